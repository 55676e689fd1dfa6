/* SPDX-License-Identifier: MIT
 *
 * Few of each, so they are found by looking through them. Runs in `stint`. */
#include "merge/extras.h"

#include "verb/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void extras_fini(struct extras *extras)
{
    for (size_t i = 0; i < extras->values_used; i++) free(extras->values[i].buckets);
    for (size_t i = 0; i < extras->frames_used; i++) {
        bins_fini(&extras->frames[i]->total.bins);
        free(extras->frames[i]->total.shares);
        free(extras->frames[i]->blames);
        free(extras->frames[i]);
    }
    free(extras->values);
    free(extras->frames);
    free(extras->counters);
}

static const char *keep(struct extras *extras, struct span text)
{
    const char *copy = arena_copy(extras->strings, text.data, text.length);
    return copy ? copy : memory_text(text.data, text.length);
}

static void add_to(struct counter *counter, const struct intake_counter *more)
{
    counter->calls = bins_plus(counter->calls, more->calls);
    counter->is_saturated |= more->is_saturated;
    if (!__builtin_add_overflow(counter->sum, more->sum, &counter->sum)) return;
    counter->sum = more->sum < 0 ? INT64_MIN : INT64_MAX;
    counter->is_saturated = true;
}

void extras_add_counter(struct extras *extras, struct span name, const struct intake_counter *more)
{
    size_t i = 0;
    while (i < extras->counters_used && !span_is(name, extras->counters[i].name)) i++;
    if (i == extras->counters_used) {
        extras->counters = memory_grow(extras->counters, extras->counters_used,
                                       &extras->counters_room, sizeof *extras->counters);
        extras->counters[extras->counters_used++] = (struct counter){.name = keep(extras, name)};
    }
    add_to(&extras->counters[i], more);
}

/* Values. */

static bool is_same(const struct value *value, struct span name, struct span unit)
{
    return span_is(name, value->name) &&
           (value->unit ? unit.data && span_is(unit, value->unit) : !unit.data);
}

size_t extras_add_value(struct extras *extras, struct span name, const struct intake_value *more)
{
    size_t i = 0;
    while (i < extras->values_used && !is_same(&extras->values[i], name, more->unit)) i++;
    if (i == extras->values_used) {
        extras->values = memory_grow(extras->values, extras->values_used, &extras->values_room,
                                     sizeof *extras->values);
        extras->values[extras->values_used++] = (struct value){
            .name = keep(extras, name), .unit = more->unit.data ? keep(extras, more->unit) : NULL};
    }
    struct value *value = &extras->values[i];
    value->n = bins_plus(value->n, more->n);
    value->sum += more->has_sum ? more->sum : NAN;
    if (!more->has_spread) return i;
    if (!value->has_spread || more->least < value->least) value->least = more->least;
    if (!value->has_spread || more->most > value->most) value->most = more->most;
    value->has_spread = true;
    return i;
}

void value_add_bucket(struct value *value, double low, double high, uint64_t count)
{
    size_t from = 0, to = value->buckets_used;
    while (from < to) {
        size_t middle = (from + to) / 2;
        if (value->buckets[middle].low < low)
            from = middle + 1;
        else
            to = middle;
    }
    if (from < value->buckets_used && value->buckets[from].low == low) {
        value->buckets[from].count = bins_plus(value->buckets[from].count, count);
        return;
    }
    value->buckets = memory_grow(value->buckets, value->buckets_used, &value->buckets_room,
                                 sizeof *value->buckets);
    memmove(&value->buckets[from + 1], &value->buckets[from],
            (value->buckets_used - from) * sizeof *value->buckets);
    value->buckets[from] = (struct value_bucket){low, high, count};
    value->buckets_used++;
}

/* The bucket that 0 lies in stands for 0, as in every report. */
static double middle(const struct value_bucket *bucket)
{
    return bucket->low <= 0 && bucket->high > 0 ? 0 : bucket->low / 2 + bucket->high / 2;
}

double value_quantile(const struct value *value, double q)
{
    size_t n = value->buckets_used;
    uint64_t *counts = memory_new(n, sizeof *counts), total = 0;
    double *middles = memory_new(n, sizeof *middles);
    for (size_t i = 0; i < n; i++) {
        counts[i] = value->buckets[i].count;
        middles[i] = middle(&value->buckets[i]);
        total = bins_plus(total, counts[i]);
    }
    double quantile = total ? hist_quantile(counts, middles, (uint32_t)n, total, q) : 0;
    free(counts);
    free(middles);
    return quantile < value->least ? value->least : quantile > value->most ? value->most : quantile;
}

/* Frames. */

struct frames *extras_frames(struct extras *extras, struct span name)
{
    for (size_t i = 0; i < extras->frames_used; i++)
        if (span_is(name, extras->frames[i]->total.name)) return extras->frames[i];
    extras->frames = memory_grow(extras->frames, extras->frames_used, &extras->frames_room,
                                 sizeof *extras->frames);
    struct frames *frames = memory_new(1, sizeof *frames);
    frames->total.name = keep(extras, name);
    extras->frames[extras->frames_used++] = frames;
    return frames;
}

void frames_add(struct frames *frames, const struct intake_frames *more)
{
    frames->missed = bins_plus(frames->missed, more->missed);
    if (!more->has_budget) return;
    if (!frames->has_budget || more->budget_ms > frames->budget_ms)
        frames->budget_ms = more->budget_ms;
    frames->has_budget = true;
}

struct worst *frames_add_worst(struct frames *frames, const struct worst *worst)
{
    uint32_t at = frames->worst_used;
    while (at > 0 && frames->worst[at - 1].duration_ms < worst->duration_ms) at--;
    if (at == EXTRAS_WORST) return NULL;
    uint32_t kept = frames->worst_used < EXTRAS_WORST ? frames->worst_used : EXTRAS_WORST - 1;
    memmove(&frames->worst[at + 1], &frames->worst[at], (kept - at) * sizeof *worst);
    frames->worst_used = kept + 1;
    frames->worst[at] = *worst;
    return &frames->worst[at];
}

void frames_add_blame(struct frames *frames, const struct blame *blame)
{
    size_t i = 0;
    while (i < frames->blames_used && !(frames->blames[i].is_category == blame->is_category &&
                                        frames->blames[i].item == blame->item))
        i++;
    if (i < frames->blames_used) {
        frames->blames[i].excess_ms += blame->excess_ms;
        frames->blames[i].frames = bins_plus(frames->blames[i].frames, blame->frames);
        return;
    }
    frames->blames = memory_grow(frames->blames, frames->blames_used, &frames->blames_room,
                                 sizeof *frames->blames);
    frames->blames[frames->blames_used++] = *blame;
}

static int by_excess(const void *a, const void *b)
{
    double x = ((const struct blame *)a)->excess_ms, y = ((const struct blame *)b)->excess_ms;
    return (x < y) - (x > y);
}

void frames_sort(struct frames *frames)
{
    if (frames->blames_used < 2) return;
    qsort(frames->blames, frames->blames_used, sizeof *frames->blames, by_excess);
}

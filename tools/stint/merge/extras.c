/* SPDX-License-Identifier: MIT
 *
 * Lists in the order in which names came, and an index by name. Runs in `stint`. */
#include "merge/extras.h"

#include "verb/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void extras_init(struct extras *extras, struct arena *strings)
{
    *extras = (struct extras){.strings = strings,
                              .counter_names = {.places = {.arena = strings}},
                              .value_names = {.places = {.arena = strings}},
                              .value_titles = {.places = {.arena = strings}},
                              .frame_names = {.places = {.arena = strings}}};
}

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

static const struct span no_unit = {0};

static bool is_counter(const void *list, uint32_t place, struct span name, struct span unit)
{
    (void)unit; /* counters have none */
    return span_is(name, ((const struct counter *)list)[place].name);
}

void extras_add_counter(struct extras *extras, struct span name, const struct intake_counter *more)
{
    size_t i = names_place(&extras->counter_names, extras->counters, is_counter, name, no_unit,
                           extras->counters_used);
    if (i == extras->counters_used) {
        extras->counters = memory_grow(extras->counters, extras->counters_used,
                                       &extras->counters_room, sizeof *extras->counters);
        extras->counters[extras->counters_used++] = (struct counter){.name = keep(extras, name)};
    }
    add_to(&extras->counters[i], more);
}

/* Values. */

static bool is_value(const void *list, uint32_t place, struct span name, struct span unit)
{
    const struct value *value = &((const struct value *)list)[place];
    return span_is(name, value->name) &&
           (value->unit ? unit.data && span_is(unit, value->unit) : !unit.data);
}

static bool has_title(const void *list, uint32_t place, struct span name, struct span unit)
{
    (void)unit; /* does not count here */
    return span_is(name, ((const struct value *)list)[place].name);
}

static void make_value(struct extras *extras, struct span name, struct span unit)
{
    size_t place = extras->values_used;
    extras->values =
        memory_grow(extras->values, place, &extras->values_room, sizeof *extras->values);
    extras->values[extras->values_used++] = (struct value){
        .name = keep(extras, name),
        .unit = unit.data ? keep(extras, unit) : NULL,
        .is_second = names_place(&extras->value_titles, extras->values, has_title, name, no_unit,
                                 place) != place,
    };
}

size_t extras_add_value(struct extras *extras, struct span name, const struct intake_value *more)
{
    size_t i = names_place(&extras->value_names, extras->values, is_value, name, more->unit,
                           extras->values_used);
    if (i == extras->values_used) make_value(extras, name, more->unit);
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

static bool are_frames(const void *list, uint32_t place, struct span name, struct span unit)
{
    (void)unit; /* frames have none */
    return span_is(name, ((struct frames *const *)list)[place]->total.name);
}

struct frames *extras_frames(struct extras *extras, struct span name)
{
    size_t i = names_place(&extras->frame_names, extras->frames, are_frames, name, no_unit,
                           extras->frames_used);
    if (i < extras->frames_used) return extras->frames[i];
    extras->frames = memory_grow(extras->frames, extras->frames_used, &extras->frames_room,
                                 sizeof *extras->frames);
    struct frames *frames = memory_new(1, sizeof *frames);
    frames->total.name = keep(extras, name);
    frames->blames_by_item.arena = extras->strings;
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
    uint64_t key = (uint64_t)blame->item << 1 | blame->is_category;
    uint32_t place = index_find(&frames->blames_by_item, key);
    if (place != INDEX_NONE) {
        struct blame *known = &frames->blames[place];
        known->excess_ms += blame->excess_ms;
        known->frames = bins_plus(known->frames, blame->frames);
        return;
    }
    /* without memory it stands there twice */
    (void)index_put(&frames->blames_by_item, key, (uint32_t)frames->blames_used);
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

/* SPDX-License-Identifier: MIT
 *
 * What a function typically takes in a lap is its mean over the laps of its thread that are not
 * among the longest (at most half of all are); what it took beyond that in a long lap is its
 * excess. The blame is the excess added up over the longest laps. Everything in the store is
 * checked again: it may be damaged, or written meanwhile. Runs anywhere. */
#include "report/worst.h"

#include "stats/order.h"
#include "store/lap_layout.h"

#include <errno.h>
#include <string.h>

enum { TOLD_FUNCTIONS = 16 };

/* One of the longest laps, with its functions copied. */
struct worst_lap {
    const struct lap_part *of;
    uint64_t number, start_ticks, ticks;
    struct store_lap_self *selves; /* function: number among merged's */
    uint32_t used;
    double *typical; /* ticks, beside selves */
};

/* Copies a place; what it says of functions that the report does not know is left out. False where
 * it was being changed. */
static bool copy_worst(struct laps *laps, const struct lap_part *own,
                       const struct store_lap_worst *place, struct worst_lap *to)
{
    const struct merged *merged = laps->merged;
    uint32_t changes = __atomic_load_n(&place->changes, __ATOMIC_ACQUIRE), used = place->used;
    *to = (struct worst_lap){own, place->number, place->start_ticks, place->ticks, NULL, 0, NULL};
    if (changes & 1 || used > STORE_LAP_SELVES || used > laps->items_left) return false;
    if (place->number >= own->part.sums.ended) return false; /* came later */
    const struct store_lap_self *selves =
        used ? view_at(merged->view, place->selves, used * sizeof *selves) : NULL;
    to->selves = arena_alloc(merged->scratch, used * sizeof *selves + 1);
    to->typical = arena_alloc(merged->scratch, used * sizeof(double) + 1);
    if ((used && !selves) || !to->selves || !to->typical) return false;
    laps->items_left -= used;
    for (uint32_t i = 0; i < used; i++) {
        uint32_t part = index_find(&merged->part_by_ref, selves[i].function);
        if (part == INDEX_NONE || merged->parts[part].thread != own->part.thread) continue;
        to->selves[to->used++] = (struct store_lap_self){part, 0, selves[i].ticks};
    }
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    return __atomic_load_n(&place->changes, __ATOMIC_RELAXED) == changes;
}

static int by_duration(struct laps *laps, struct worst_lap *found, uint32_t n)
{
    struct arena *scratch = laps->merged->scratch;
    struct arena_mark mark = arena_mark(scratch);
    struct order_item *items = arena_alloc(scratch, n * sizeof *items + 1);
    struct worst_lap *copy = arena_alloc(scratch, n * sizeof *copy + 1);
    int error = items && copy ? 0 : -ENOMEM;
    if (!error) {
        for (uint32_t i = 0; i < n; i++) items[i] = (struct order_item){found[i].ticks, i};
        order_descending(items, n);
        memcpy(copy, found, n * sizeof *copy);
        for (uint32_t i = 0; i < n; i++) found[i] = copy[items[i].item];
    }
    arena_release(scratch, mark);
    return error;
}

/* The places of one thread, longest first. */
static uint32_t read_worst(struct laps *laps, const struct lap_part *own, struct worst_lap **out)
{
    const struct store_lap *record = own->record;
    uint32_t capacity = __atomic_load_n(&record->worst_capacity, __ATOMIC_ACQUIRE), n = 0;
    uint32_t used = __atomic_load_n(&record->worst_used, __ATOMIC_ACQUIRE);
    store_ref ref = __atomic_load_n(&record->worst, __ATOMIC_ACQUIRE);
    if (used > capacity) used = capacity;
    if (used > STORE_LAP_WORST) used = STORE_LAP_WORST;
    if (used > laps->items_left) used = (uint32_t)laps->items_left;
    const struct store_lap_worst *places =
        used ? view_at(laps->merged->view, ref, (uint64_t)used * sizeof *places) : NULL;
    struct worst_lap *found = arena_alloc(laps->merged->scratch, used * sizeof *found + 1);
    *out = found;
    if (!places || !found) return 0;
    laps->items_left -= used;
    for (uint32_t i = 0; i < used; i++) n += copy_worst(laps, own, &places[i], &found[n]);
    return by_duration(laps, found, n) ? 0 : n;
}

/* Mean ticks of each function, by its number, over the laps that are not the longest `most`. NULL
 * without memory. */
static double *typical_of(struct laps *laps, const struct lap_part *own,
                          const struct worst_lap *worst, uint32_t most, uint32_t *count)
{
    const struct view *view = laps->merged->view;
    store_ref ref = __atomic_load_n(&own->record->sums, __ATOMIC_ACQUIRE);
    const struct store_lap_sums *sums = view_at(view, ref, sizeof *sums);
    uint32_t capacity = sums ? sums->capacity : 0;
    if (capacity > laps->merged->threads[own->part.thread].parts)
        capacity = laps->merged->threads[own->part.thread].parts;
    if (sums && !view_at(view, ref, sizeof *sums + capacity * sizeof sums->ticks[0])) capacity = 0;
    double *typical = arena_alloc(laps->merged->scratch, capacity * sizeof *typical + 1);
    *count = capacity;
    if (!typical) return NULL;
    for (uint32_t i = 0; i < capacity; i++) typical[i] = (double)sums->ticks[i];
    for (uint32_t i = 0; i < most; i++) {
        for (uint32_t k = 0; k < worst[i].used; k++) {
            const struct store_lap_self *self = &worst[i].selves[k];
            uint32_t number = laps->merged->parts[self->function].record->number;
            if (number < capacity) typical[number] -= (double)self->ticks;
        }
    }
    double others = (double)(own->count > most ? own->count - most : 1);
    for (uint32_t i = 0; i < capacity; i++) typical[i] = typical[i] > 0 ? typical[i] / others : 0;
    return typical;
}

/* Reads one thread's longest laps and works out what would have been typical in them; what the
 * other laps took together goes to *rest. */
static uint32_t explain_thread(struct laps *laps, const struct lap_part *own,
                               struct worst_lap **found, double rest[2])
{
    uint32_t n = read_worst(laps, own, found), functions;
    uint32_t most = n < own->count / 2 ? n : (uint32_t)(own->count / 2);
    struct arena_mark mark = arena_mark(laps->merged->scratch);
    double *typical = typical_of(laps, own, *found, most, &functions);
    double ticks = (double)own->record->total_ticks;
    for (uint32_t i = 0; i < most; i++) ticks -= (double)(*found)[i].ticks;
    rest[0] += ticks > 0 ? ticks : 0;
    rest[1] += own->count > most ? (double)(own->count - most) : 0;
    for (uint32_t i = 0; i < n && typical; i++) {
        struct worst_lap *lap = &(*found)[i];
        for (uint32_t k = 0; k < lap->used; k++) {
            const struct part *part = &laps->merged->parts[lap->selves[k].function];
            uint32_t number = part->record->number;
            lap->typical[k] = number < functions ? typical[number] : 0;
            lap->selves[k].function = part->function;
        }
    }
    arena_release(laps->merged->scratch, mark);
    return typical ? n : 0;
}

struct worst worst_find(struct laps *laps, const struct laps_kind *kind)
{
    double rest[2] = {0, 0};
    uint32_t most = view_head(laps->merged->view)->worst_laps;
    if (most > STORE_LAP_WORST) most = STORE_LAP_WORST;
    /* Those so far, and one thread's. */
    size_t bytes = (size_t)2 * STORE_LAP_WORST * sizeof(struct worst_lap);
    struct worst all = {.laps = arena_alloc(laps->merged->scratch, bytes)};
    for (const struct lap_part *own = kind->parts; own && all.laps; own = own->next) {
        struct worst_lap *found;
        uint32_t n = explain_thread(laps, own, &found, rest);
        if (!n) continue;
        memcpy(all.laps + all.count, found, n * sizeof *found);
        all.count += n;
        if (by_duration(laps, all.laps, all.count)) break;
        if (all.count > most) all.count = most;
    }
    all.typical_ticks = rest[1] > 0 ? rest[0] / rest[1] : 0;
    return all;
}

/* Telling them. */

static void set_function(const struct laps *laps, json_t *object, uint32_t function)
{
    const struct merged_function *found = &laps->merged->functions[function];
    if (found->category)
        stream_set(object, "category", json_string_nocheck(found->category));
    else
        stream_set(object, "function", json_integer(found->id));
}

static double excess_of(const struct worst_lap *lap, uint32_t i)
{
    return (double)lap->selves[i].ticks - lap->typical[i];
}

/* The bits of doubles that are not negative are in their order (IEEE 754); typical times are means,
 * so whole ticks would be too coarse. */
static struct order_item by_excess(double excess, uint32_t item)
{
    struct order_item made = {.item = item};
    _Static_assert(sizeof made.key == sizeof excess, "a double's bits");
    memcpy(&made.key, &excess, sizeof excess);
    return made;
}

/* Those with an excess, by it. */
static uint32_t rank(const struct laps *laps, const struct worst_lap *lap, struct order_item *items)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < lap->used; i++) {
        double excess = excess_of(lap, i);
        if (excess >= 1 && laps_is_told(laps, lap->selves[i].function))
            items[n++] = by_excess(excess, i);
    }
    order_descending(items, n);
    return n;
}

static void write_functions(const struct laps *laps, const struct worst_lap *lap)
{
    struct stream *stream = laps->statistics->stream;
    struct arena *scratch = laps->merged->scratch;
    struct order_item *items = arena_alloc(scratch, lap->used * sizeof *items + 1);
    uint32_t n = items ? rank(laps, lap, items) : 0;
    if (n > TOLD_FUNCTIONS) n = TOLD_FUNCTIONS;
    stream_open_line(stream, "functions", '[');
    for (uint32_t i = 0; i < n; i++) {
        uint32_t k = items[i].item;
        json_t *object = json_object();
        set_function(laps, object, lap->selves[k].function);
        stream_set(object, "self_ms", json_real(laps_ms(laps, (double)lap->selves[k].ticks)));
        stream_set(object, "typical_ms", json_real(laps_ms(laps, lap->typical[k])));
        stream_set(object, "excess_ms", json_real(laps_ms(laps, excess_of(lap, k))));
        stream_value(stream, NULL, object);
    }
    stream_close(stream, ']');
}

static void write_worst(const struct laps *laps, const struct worst *worst)
{
    struct stream *stream = laps->statistics->stream;
    uint64_t begin = view_head(laps->merged->view)->first_ticks;
    stream_open(stream, "worst", '[');
    for (uint32_t i = 0; i < worst->count; i++) {
        const struct worst_lap *lap = &worst->laps[i];
        uint64_t start = lap->start_ticks > begin ? lap->start_ticks - begin : 0;
        json_t *object = json_object();
        stream_set(object, "frame", statistics_count(lap->number));
        stream_set(object, "thread", json_integer(lap->of->part.thread));
        stream_set(object, "start_ms", json_real(laps_ms(laps, (double)start)));
        stream_set(object, "duration_ms", json_real(laps_ms(laps, (double)lap->ticks)));
        stream_open_line(stream, NULL, '{');
        stream_members(stream, object);
        write_functions(laps, lap);
        stream_close(stream, '}');
    }
    stream_close(stream, ']');
}

/* Excess over the laps that took longer than the typical one. Returns how many functions have any.
 */
static uint32_t add_blame(const struct laps *laps, const struct worst *worst, double *excess,
                          uint32_t *in_laps, struct order_item *items)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < worst->count; i++) {
        const struct worst_lap *lap = &worst->laps[i];
        for (uint32_t k = 0; k < lap->used && (double)lap->ticks > worst->typical_ticks; k++) {
            if (excess_of(lap, k) < 1) continue;
            excess[lap->selves[k].function] += excess_of(lap, k);
            in_laps[lap->selves[k].function]++;
        }
    }
    for (uint32_t i = 0; i < laps->merged->function_count; i++) {
        if (!in_laps[i] || !laps_is_told(laps, i)) continue;
        items[n++] = by_excess(excess[i], i);
    }
    order_descending(items, n);
    return n;
}

static void write_blame(const struct laps *laps, const struct worst *worst)
{
    struct stream *stream = laps->statistics->stream;
    struct arena *scratch = laps->merged->scratch;
    uint64_t all = laps->merged->function_count;
    double *excess = arena_alloc(scratch, all * sizeof *excess + 1);
    uint32_t *in_laps = arena_alloc(scratch, all * sizeof *in_laps + 1);
    struct order_item *items = arena_alloc(scratch, all * sizeof *items + 1);
    uint32_t n = excess && in_laps && items ? add_blame(laps, worst, excess, in_laps, items) : 0;
    stream_open(stream, "blame", '[');
    for (uint32_t i = 0; i < n; i++) {
        json_t *object = json_object();
        set_function(laps, object, items[i].item);
        stream_set(object, "excess_ms", json_real(laps_ms(laps, excess[items[i].item])));
        stream_set(object, "frames", json_integer(in_laps[items[i].item]));
        stream_value(stream, NULL, object);
    }
    stream_close(stream, ']');
}

void worst_write(const struct laps *laps, const struct worst *worst)
{
    write_worst(laps, worst);
    write_blame(laps, worst);
}

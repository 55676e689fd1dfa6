/* SPDX-License-Identifier: MIT
 *
 * A series of buckets that fills and is then halved, the places of the longest laps, the sums of
 * the functions. A reader may be at any of them: arrays that grow are new ones, a place that is
 * changed says so. Runs on the owner's slow paths, busy. */
#include "record/laplog.h"

#include "record/func.h"
#include "record/recorder.h"
#include "record/space.h"

#include <string.h>

enum { FIRST_BUCKETS = 64, FIRST_PLACES = 8 };

/* The time series. */

static struct store_lap_series *new_series(struct control *block, uint32_t capacity, store_ref *ref)
{
    uint64_t bytes = sizeof(struct store_lap_series) + capacity * sizeof(struct store_lap_bucket);
    *ref = space_alloc(block, bytes);
    if (!*ref) return NULL;
    struct store_lap_series *series = space_at(block, *ref);
    series->capacity = capacity;
    return series;
}

static void unite(struct store_lap_bucket *to, const struct store_lap_bucket *more)
{
    to->laps += more->laps;
    to->sum_ticks += more->sum_ticks;
    if (more->min_ticks < to->min_ticks) to->min_ticks = more->min_ticks;
    if (more->max_ticks > to->max_ticks) to->max_ticks = more->max_ticks;
}

/* Neighbours become one, in another array of the same size: a reader may still have this one. */
static struct store_lap_series *halved(struct control *block, struct laplog *log,
                                       const struct store_lap_series *full)
{
    store_ref ref = log->spare_series;
    struct store_lap_series *series =
        ref ? space_at(block, ref) : new_series(block, full->capacity, &ref);
    if (!series) return NULL;
    series->laps_per_bucket = full->laps_per_bucket * 2;
    series->used = full->used / 2;
    for (uint32_t i = 0; i < series->used; i++) {
        series->buckets[i] = full->buckets[2 * i];
        unite(&series->buckets[i], &full->buckets[2 * i + 1]);
    }
    log->spare_series = log->record->series;
    __atomic_store_n(&log->record->series, ref, __ATOMIC_RELEASE);
    return series;
}

static struct store_lap_series *larger(struct control *block, struct laplog *log,
                                       const struct store_lap_series *full)
{
    uint32_t capacity = full ? full->capacity * 2 : FIRST_BUCKETS;
    if (full && full->capacity >= STORE_LAP_BUCKETS) return halved(block, log, full);
    store_ref ref;
    struct store_lap_series *series = new_series(block, capacity, &ref);
    if (!series) return NULL;
    series->laps_per_bucket = full ? full->laps_per_bucket : 1;
    series->used = full ? full->used : 0;
    if (full) memcpy(series->buckets, full->buckets, full->used * sizeof series->buckets[0]);
    __atomic_store_n(&log->record->series, ref, __ATOMIC_RELEASE);
    return series;
}

void laplog_add(struct control *block, struct laplog *log, uint64_t start, uint64_t ticks)
{
    struct store_lap_series *series =
        log->record->series ? space_at(block, log->record->series) : NULL;
    struct store_lap_bucket *last = series && series->used ? &series->buckets[series->used - 1] : 0;
    struct store_lap_bucket one = {start, 1, ticks, ticks, ticks};
    if (last && last->laps < series->laps_per_bucket) {
        unite(last, &one);
        return;
    }
    if (!series || series->used == series->capacity) series = larger(block, log, series);
    if (!series) return;
    series->buckets[series->used] = one;
    /* Release pairs with the acquire in report/laps.c: the bucket is whole. */
    __atomic_store_n(&series->used, series->used + 1, __ATOMIC_RELEASE);
}

/* The longest. */

static bool make_places(struct control *block, struct store_lap *record, uint32_t most)
{
    uint32_t capacity = record->worst_capacity ? record->worst_capacity * 2 : FIRST_PLACES;
    if (capacity > most) capacity = most;
    store_ref ref = space_alloc(block, capacity * sizeof(struct store_lap_worst));
    if (!ref) return false;
    if (record->worst)
        memcpy(space_at(block, ref), space_at(block, record->worst),
               record->worst_used * sizeof(struct store_lap_worst));
    /* A reader takes the capacity first, so it never has an array smaller than that. */
    __atomic_store_n(&record->worst, ref, __ATOMIC_RELEASE);
    __atomic_store_n(&record->worst_capacity, capacity, __ATOMIC_RELEASE);
    return true;
}

static uint32_t shortest_of(const struct store_lap_worst *places, uint32_t n)
{
    uint32_t shortest = 0;
    for (uint32_t i = 1; i < n; i++) {
        if (places[i].ticks < places[shortest].ticks) shortest = i;
    }
    return shortest;
}

static void begin_change(struct store_lap_worst *place)
{
    __atomic_store_n(&place->changes, place->changes | 1, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_RELEASE);
}

/* A place for a lap of this duration, where it is among the longest. It is being changed until
 * publish. */
static struct store_lap_worst *claim(struct control *block, struct laplog *log, uint64_t ticks)
{
    struct store_lap *record = log->record;
    uint32_t most = recorder_settings()->worst_laps;
    if (!most) return NULL;
    bool is_at_end = record->worst_used == record->worst_capacity;
    if (is_at_end && record->worst_used < most) is_at_end = !make_places(block, record, most);
    if (!record->worst_capacity) return NULL;
    struct store_lap_worst *places = space_at(block, record->worst);
    if (!is_at_end) {
        struct store_lap_worst *place = &places[record->worst_used];
        begin_change(place);
        /* Release pairs with the acquire in report/worst.c. */
        __atomic_store_n(&record->worst_used, record->worst_used + 1, __ATOMIC_RELEASE);
        log->knows_shortest = false;
        return place;
    }
    if (!log->knows_shortest) log->shortest = shortest_of(places, record->worst_used);
    log->knows_shortest = true;
    struct store_lap_worst *place = &places[log->shortest];
    if (ticks <= place->ticks) return NULL;
    begin_change(place);
    log->knows_shortest = false; /* another will be the shortest */
    return place;
}

static void publish(struct store_lap_worst *place)
{
    /* Release pairs with the acquire in report/worst.c. */
    __atomic_store_n(&place->changes, place->changes + 1, __ATOMIC_RELEASE);
}

/* What the functions took. */

static struct store_lap_sums *make_sums(struct control *block, struct store_lap *record,
                                        uint32_t functions)
{
    struct store_lap_sums *old = record->sums ? space_at(block, record->sums) : NULL;
    if (old && old->capacity >= functions) return old;
    uint32_t capacity = old ? old->capacity : FIRST_BUCKETS;
    while (capacity < functions) capacity *= 2;
    store_ref ref = space_alloc(block, sizeof *old + capacity * sizeof old->ticks[0]);
    if (!ref) return NULL;
    struct store_lap_sums *sums = space_at(block, ref);
    sums->capacity = capacity;
    if (old) memcpy(sums->ticks, old->ticks, old->capacity * sizeof old->ticks[0]);
    __atomic_store_n(&record->sums, ref, __ATOMIC_RELEASE);
    return sums;
}

void laplog_add_selves(struct control *block, struct laplog *log,
                       const struct selves_change *change, uint64_t start, uint64_t ticks)
{
    struct store_lap *record = log->record;
    uint32_t count = change->now->count;
    struct store_lap_sums *sums = make_sums(block, record, count - 1);
    for (uint32_t i = 1; sums && i < count; i++) sums->ticks[i - 1] += selves_between(change, i);
    struct store_lap_worst *place = claim(block, log, ticks);
    if (!place) return;
    place->number = record->count;
    place->start_ticks = start;
    place->ticks = ticks;
    selves_keep(block, place, change);
    publish(place);
}

/* Folding. */

static void fold_sums(struct control *into, struct laplog *twin, const struct control *from,
                      struct store_lap *record)
{
    struct store_lap_sums *more = record->sums ? space_at(from, record->sums) : NULL;
    for (store_ref ref = from->recorder->functions; more && ref;) {
        const struct store_segment *segment = space_at(from, ref);
        const struct store_function *functions = (const void *)(segment + 1);
        for (uint32_t i = 0; i < segment->used && functions[i].number < more->capacity; i++) {
            uint64_t *ticks = &more->ticks[functions[i].number];
            store_ref function = *ticks ? func_make(into, functions[i].address) : 0;
            struct store_lap_sums *sums =
                function ? make_sums(into, twin->record, into->function_count) : NULL;
            if (sums) sums->ticks[func_at(into->base, function)->number] += *ticks;
            *ticks = 0;
        }
        ref = segment->next;
    }
}

static void fold_longest(struct control *into, struct laplog *twin, const struct control *from,
                         struct store_lap *record)
{
    const struct store_lap_worst *places = record->worst ? space_at(from, record->worst) : NULL;
    for (uint32_t i = 0; places && i < record->worst_used; i++) {
        struct store_lap_worst *place = claim(into, twin, places[i].ticks);
        if (!place) continue;
        place->number = places[i].number;
        place->start_ticks = places[i].start_ticks;
        place->ticks = places[i].ticks;
        selves_copy(into, place, from, &places[i]);
        publish(place);
    }
    record->worst_used = 0;
}

/* The array stays: else each thread that comes and goes would cost the store one. */
static void restart_series(const struct control *block, const struct store_lap *record)
{
    struct store_lap_series *series = record->series ? space_at(block, record->series) : NULL;
    if (!series) return;
    series->laps_per_bucket = 1;
    __atomic_store_n(&series->used, 0, __ATOMIC_RELEASE);
}

void laplog_fold(struct control *into, struct laplog *twin, const struct control *from,
                 struct laplog *log)
{
    struct store_lap *record = log->record;
    fold_sums(into, twin, from, record);
    fold_longest(into, twin, from, record);
    twin->record->missed += record->missed;
    twin->record->total_ticks += record->total_ticks;
    twin->record->count += record->count;
    record->missed = record->total_ticks = record->count = 0;
    restart_series(from, record);
    log->knows_shortest = false;
}

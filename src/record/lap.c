/* SPDX-License-Identifier: MIT
 *
 * At the end of a lap what each function took is the difference of two measurements; it is added to
 * the kind's sums, and kept whole where the lap is among the longest. The measurement at the end
 * serves as that at the beginning of the next lap where this follows at once. Runs on the owner's
 * slow paths, busy. */
#include "record/lap.h"

#include "clock/clock.h"
#include "record/category.h"
#include "record/func.h"
#include "record/recorder.h"
#include "record/selves.h"
#include "record/space.h"
#include "record/stacks.h"
#include "record/tree.h"
#include "record/tree_hot.h"
#include "store/lap_layout.h"

#include <string.h>

/* A lap that begins within this part of the last one's duration after that was done with follows at
 * once: what functions other than the innermost took in between may be told of the next one. */
enum { AT_ONCE = 256, FIRST_BUCKETS = 64, FIRST_PLACES = 8 };

struct lap {
    struct lap *next;
    uint64_t kind;
    struct store_lap *record;
    store_ref node; /* of its durations */
    struct selves before;
    uint64_t before_ticks; /* the moment of `before`; 0 = none */
    uint64_t done_ticks;   /* when the last one had been dealt with */
    uint32_t innermost;    /* place of the call in which it was opened */
    bool is_measured;      /* of the open one */
    uint64_t last_ticks;   /* duration of the one before */
    /* where the call stands that began it; depth 0 = the program said it */
    const struct store_stack *stack;
    uint32_t depth;
    store_ref spare_series;
    uint32_t shortest; /* of the longest ones, all of whose places are taken */
    bool knows_shortest;
};

struct lap_desk {
    struct lap *first;
    uint32_t kinds;
    struct selves_map map;
    struct selves now;
    uint64_t budget_ticks, budget_until; /* the budget as known, good until then */
};

static void *at(const struct control *block, store_ref ref)
{
    return block->base + (uint64_t)ref * STORE_UNIT;
}

static enum clock_source source(void)
{
    return (enum clock_source)recorder_settings()->clock_source;
}

/* ns · ticks / ticks_ns without passing 64 bits: 30 bits of the rate are plenty. */
static uint64_t scale(uint64_t ns, uint64_t ticks, uint64_t ticks_ns)
{
    while (ticks_ns >> 30) {
        ticks_ns >>= 1;
        ticks >>= 1;
    }
    if (!ticks_ns || ticks >> 34) return UINT64_MAX;
    return ns / ticks_ns * ticks + ns % ticks_ns * ticks / ticks_ns;
}

/* The clock's rate is known the better the longer the process runs; it is asked again whenever that
 * has doubled. */
static uint64_t budget_ticks(struct lap_desk *desk, uint64_t now)
{
    const struct recorder_options *options = recorder_settings();
    if (now < desk->budget_until) return desk->budget_ticks;
    const struct store_head *head = store_head(options->store);
    struct clock_pair last = clock_read_pair(source());
    uint64_t ticks = last.ticks - head->first_ticks, ns = last.raw_ns - head->first_raw_ns;
    if (source() == CLOCK_NS) ticks = ns = 1;
    desk->budget_ticks = scale(options->lap_budget_ns, ticks, ns);
    desk->budget_until = source() == CLOCK_NS ? UINT64_MAX : last.ticks + ticks;
    return desk->budget_ticks;
}

/* Kinds. */

static struct lap *find(const struct lap_desk *desk, uint64_t kind)
{
    struct lap *lap = desk ? desk->first : NULL;
    while (lap && lap->kind != kind) lap = lap->next;
    return lap;
}

static struct store_lap *new_record(struct control *block, uint64_t kind, store_ref *node)
{
    store_ref function = func_make_apart(block, kind, STORE_FUNCTION_LAP);
    *node = function ? tree_make_apart(block, function) : 0;
    store_ref ref = *node ? space_alloc(block, sizeof(struct store_lap)) : 0;
    if (!ref) return NULL;
    struct store_lap *record = at(block, ref);
    record->function = function;
    store_ref *link = &block->recorder->laps;
    while (*link) link = &((struct store_lap *)at(block, *link))->next;
    /* Release pairs with the acquire in report/laps.c. */
    __atomic_store_n(link, ref, __ATOMIC_RELEASE);
    return record;
}

static struct lap_desk *make_desk(struct control *block)
{
    if (block->laps) return block->laps;
    store_ref ref = space_alloc(block, sizeof(struct lap_desk));
    if (ref) block->laps = at(block, ref);
    return block->laps;
}

/* Found or made. */
static struct lap *make(struct control *block, uint64_t kind)
{
    struct lap_desk *desk = make_desk(block);
    struct lap *lap = find(desk, kind);
    if (lap || !desk || desk->kinds >= LAP_KINDS) return lap;
    store_ref node, ref = space_alloc(block, sizeof *lap);
    struct store_lap *record = ref ? new_record(block, kind, &node) : NULL;
    if (!record) return NULL;
    lap = at(block, ref);
    lap->kind = kind;
    lap->record = record;
    lap->node = node;
    lap->next = desk->first;
    desk->first = lap;
    desk->kinds++;
    return lap;
}

/* The time series. */

static struct store_lap_series *new_series(struct control *block, uint32_t capacity, store_ref *ref)
{
    uint64_t bytes = sizeof(struct store_lap_series) + capacity * sizeof(struct store_lap_bucket);
    *ref = space_alloc(block, bytes);
    if (!*ref) return NULL;
    struct store_lap_series *series = at(block, *ref);
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
static struct store_lap_series *halved(struct control *block, struct lap *lap,
                                       const struct store_lap_series *full)
{
    store_ref ref = lap->spare_series;
    struct store_lap_series *series =
        ref ? at(block, ref) : new_series(block, full->capacity, &ref);
    if (!series) return NULL;
    series->laps_per_bucket = full->laps_per_bucket * 2;
    series->used = full->used / 2;
    for (uint32_t i = 0; i < series->used; i++) {
        series->buckets[i] = full->buckets[2 * i];
        unite(&series->buckets[i], &full->buckets[2 * i + 1]);
    }
    lap->spare_series = lap->record->series;
    __atomic_store_n(&lap->record->series, ref, __ATOMIC_RELEASE);
    return series;
}

static struct store_lap_series *larger(struct control *block, struct lap *lap,
                                       const struct store_lap_series *full)
{
    uint32_t capacity = full ? full->capacity * 2 : FIRST_BUCKETS;
    if (full && full->capacity >= STORE_LAP_BUCKETS) return halved(block, lap, full);
    store_ref ref;
    struct store_lap_series *series = new_series(block, capacity, &ref);
    if (!series) return NULL;
    series->laps_per_bucket = full ? full->laps_per_bucket : 1;
    series->used = full ? full->used : 0;
    if (full) memcpy(series->buckets, full->buckets, full->used * sizeof series->buckets[0]);
    __atomic_store_n(&lap->record->series, ref, __ATOMIC_RELEASE);
    return series;
}

static void add_to_series(struct control *block, struct lap *lap, uint64_t start, uint64_t ticks)
{
    struct store_lap_series *series = lap->record->series ? at(block, lap->record->series) : NULL;
    struct store_lap_bucket *last = series && series->used ? &series->buckets[series->used - 1] : 0;
    struct store_lap_bucket one = {start, 1, ticks, ticks, ticks};
    if (last && last->laps < series->laps_per_bucket) {
        unite(last, &one);
        return;
    }
    if (!series || series->used == series->capacity) series = larger(block, lap, series);
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
        memcpy(at(block, ref), at(block, record->worst),
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
static struct store_lap_worst *claim(struct control *block, struct lap *lap, uint64_t ticks)
{
    struct store_lap *record = lap->record;
    uint32_t most = recorder_settings()->worst_laps;
    if (!most) return NULL;
    bool is_at_end = record->worst_used == record->worst_capacity;
    if (is_at_end && record->worst_used < most) is_at_end = !make_places(block, record, most);
    if (!record->worst_capacity) return NULL;
    struct store_lap_worst *places = at(block, record->worst);
    if (!is_at_end) {
        struct store_lap_worst *place = &places[record->worst_used];
        begin_change(place);
        /* Release pairs with the acquire in report/laps.c. */
        __atomic_store_n(&record->worst_used, record->worst_used + 1, __ATOMIC_RELEASE);
        lap->knows_shortest = false;
        return place;
    }
    if (!lap->knows_shortest) lap->shortest = shortest_of(places, record->worst_used);
    lap->knows_shortest = true;
    struct store_lap_worst *place = &places[lap->shortest];
    if (ticks <= place->ticks) return NULL;
    begin_change(place);
    lap->knows_shortest = false; /* another will be the shortest */
    return place;
}

static void publish(struct store_lap_worst *place)
{
    /* Release pairs with the acquire in report/laps.c. */
    __atomic_store_n(&place->changes, place->changes + 1, __ATOMIC_RELEASE);
}

/* What the functions took. */

static struct store_lap_sums *make_sums(struct control *block, struct store_lap *record,
                                        uint32_t functions)
{
    struct store_lap_sums *old = record->sums ? at(block, record->sums) : NULL;
    if (old && old->capacity >= functions) return old;
    uint32_t capacity = old ? old->capacity : FIRST_BUCKETS;
    while (capacity < functions) capacity *= 2;
    store_ref ref = space_alloc(block, sizeof *old + capacity * sizeof old->ticks[0]);
    if (!ref) return NULL;
    struct store_lap_sums *sums = at(block, ref);
    sums->capacity = capacity;
    if (old) memcpy(sums->ticks, old->ticks, old->capacity * sizeof old->ticks[0]);
    __atomic_store_n(&record->sums, ref, __ATOMIC_RELEASE);
    return sums;
}

static void add_selves(struct control *block, struct lap *lap, uint64_t start, uint64_t ticks)
{
    struct selves *now = &block->laps->now;
    struct store_lap *record = lap->record;
    struct store_lap_sums *sums = make_sums(block, record, now->count - 1);
    struct selves_change change = {&lap->before, now};
    for (uint32_t i = 1; sums && i < now->count; i++)
        sums->ticks[i - 1] += selves_between(&change, i);
    struct store_lap_worst *place = claim(block, lap, ticks);
    if (!place) return;
    place->number = record->count;
    place->start_ticks = start;
    place->ticks = ticks;
    selves_keep(block, place, &change);
    publish(place);
}

/* Both ends. */

static void finish(struct control *block, struct lap *lap, uint64_t start, uint64_t ticks)
{
    struct lap_desk *desk = block->laps;
    struct store_lap *record = lap->record;
    uint64_t now = start + ticks;
    __atomic_store_n(&record->is_open, 0, __ATOMIC_RELEASE);
    lap->before_ticks = 0;
    if (lap->is_measured && selves_measure(block, &desk->map, &desk->now, now)) {
        add_selves(block, lap, start, ticks);
        struct selves before = lap->before;
        lap->before = desk->now;
        desk->now = before;
        lap->before_ticks = now;
    }
    lap->last_ticks = ticks;
    add_to_series(block, lap, start, ticks);
    tree_add(tree_node(block->base, lap->node), ticks);
    func_record(block, record->function, ticks);
    record->total_ticks += ticks;
    if (ticks > budget_ticks(desk, now)) record->missed++;
    lap->done_ticks = now;
    __atomic_store_n(&record->count, record->count + 1, __ATOMIC_RELEASE);
}

static void end(struct control *block, struct lap *lap, uint64_t now)
{
    uint64_t start = lap->record->start_ticks;
    if (now < start) recorder_count_lost(LOST_NEGATIVE_TIMES, 1);
    finish(block, lap, start, now < start ? 0 : now - start);
}

struct lap *lap_open(struct control *block, uint64_t kind, uint64_t opened)
{
    struct lap *lap = make(block, kind);
    if (!lap) {
        recorder_count_lost(LOST_LAPS, 1);
        return NULL;
    }
    if (lap->record->is_open) end(block, lap, opened);
    bool follows = lap->before_ticks && opened >= lap->done_ticks &&
                   opened - lap->done_ticks <= lap->last_ticks / AT_ONCE;
    lap->is_measured = follows || selves_measure(block, &block->laps->map, &lap->before, opened);
    if (!follows) lap->before_ticks = opened;
    lap->innermost = selves_innermost(block);
    lap->depth = 0;
    return lap;
}

void lap_start(struct control *block, struct lap *lap, uint64_t now)
{
    if (lap->innermost < lap->before.count && now > lap->before_ticks)
        lap->before.ticks[lap->innermost] += now - lap->before_ticks;
    lap->record->start_ticks = now;
    /* Release pairs with the acquire in report/laps.c. */
    __atomic_store_n(&lap->record->is_open, 1, __ATOMIC_RELEASE);
}

void lap_begin(struct control *block, uint64_t kind)
{
    struct lap *lap = lap_open(block, kind, clock_now(source()));
    if (lap) lap_start(block, lap, clock_now(source()));
}

void lap_end(struct control *block, uint64_t kind, uint64_t now)
{
    struct lap *lap = find(block->laps, kind);
    if (!lap || !lap->record->is_open) {
        recorder_count_lost(LOST_LAPS, 1);
        return;
    }
    end(block, lap, now);
    lap->done_ticks = clock_now(source());
}

struct lap *lap_enter(struct control *block, uint64_t address)
{
    const char *name = func_lap_name(address & STORE_ADDRESS_MASK);
    struct category *category = name ? category_make(name) : NULL;
    if (!category) return NULL;
    uint64_t kind = category_address(category, STORE_KIND_SCOPE);
    struct lap *lap = find(block->laps, kind);
    if (lap && lap->record->is_open) return NULL;
    lap = lap_open(block, kind, clock_now(source()));
    if (!lap) return NULL;
    lap->stack = block->stack;
    lap->depth = (uint32_t)(block->top + 1 - stacks_frames(block));
    return lap;
}

void lap_leave(struct control *block, uint32_t depth, uint64_t start, uint64_t ticks)
{
    struct lap *lap = block->laps ? block->laps->first : NULL;
    for (; lap; lap = lap->next) {
        if (!lap->record->is_open || lap->depth != depth || lap->stack != block->stack) continue;
        finish(block, lap, start, ticks);
        lap->done_ticks = clock_now(source());
        return;
    }
}

void lap_drop_all(struct control *block)
{
    for (struct lap *lap = block->laps ? block->laps->first : NULL; lap; lap = lap->next) {
        lap->before_ticks = 0;
        if (!lap->record->is_open) continue;
        lap->record->is_open = 0;
        recorder_count_lost(LOST_LAPS, 1);
    }
}

/* Folding. */

store_ref lap_twin(struct control *into, const struct store_function *function, store_ref *node)
{
    const struct lap *lap = make(into, function->address);
    if (!lap) return 0;
    *node = lap->node;
    return lap->record->function;
}

static void fold_sums(struct control *into, struct lap *twin, const struct control *from,
                      struct store_lap *record)
{
    struct store_lap_sums *more = record->sums ? at(from, record->sums) : NULL;
    for (store_ref ref = from->recorder->functions; more && ref;) {
        const struct store_segment *segment = at(from, ref);
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

static void fold_longest(struct control *into, struct lap *twin, const struct control *from,
                         struct store_lap *record)
{
    const struct store_lap_worst *places = record->worst ? at(from, record->worst) : NULL;
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
    struct store_lap_series *series = record->series ? at(block, record->series) : NULL;
    if (!series) return;
    series->laps_per_bucket = 1;
    __atomic_store_n(&series->used, 0, __ATOMIC_RELEASE);
}

void lap_fold(struct control *into, const struct control *from)
{
    for (struct lap *lap = from->laps ? from->laps->first : NULL; lap; lap = lap->next) {
        struct store_lap *record = lap->record;
        struct lap *twin = make(into, lap->kind);
        if (!twin || !record->count) continue;
        fold_sums(into, twin, from, record);
        fold_longest(into, twin, from, record);
        twin->record->missed += record->missed;
        twin->record->total_ticks += record->total_ticks;
        twin->record->count += record->count;
        record->missed = record->total_ticks = record->count = 0;
        restart_series(from, record);
        lap->knows_shortest = false;
        lap->before_ticks = 0;
    }
}

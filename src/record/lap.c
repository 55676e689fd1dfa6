/* SPDX-License-Identifier: MIT
 *
 * At the end of a lap what each function took is the difference of two measurements, which goes to
 * the kind's log. The measurement at the end serves as that at the beginning of the next lap where
 * this follows at once. Runs on the owner's slow paths, busy. */
#include "record/lap.h"

#include "clock/clock.h"
#include "record/category.h"
#include "record/func.h"
#include "record/laplog.h"
#include "record/recorder.h"
#include "record/selves.h"
#include "record/space.h"
#include "record/stacks.h"
#include "record/tree.h"
#include "record/tree_hot.h"

/* A lap that begins within this part of the last one's duration after that was done with follows at
 * once: what functions other than the innermost took in between may be told of the next one. */
enum { AT_ONCE = 256 };

struct lap {
    struct lap *next;
    uint64_t kind;
    struct laplog log;
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
};

struct lap_desk {
    struct lap *first;
    uint32_t kinds;
    struct selves_map map;
    struct selves now;
    uint64_t budget_ticks, budget_until; /* the budget as known, good until then */
};

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
    struct store_lap *record = space_at(block, ref);
    record->function = function;
    store_ref *link = &block->recorder->laps;
    while (*link) link = &((struct store_lap *)space_at(block, *link))->next;
    /* Release pairs with the acquire in report/laps.c. */
    __atomic_store_n(link, ref, __ATOMIC_RELEASE);
    return record;
}

static struct lap_desk *make_desk(struct control *block)
{
    if (block->laps) return block->laps;
    store_ref ref = space_alloc(block, sizeof(struct lap_desk));
    if (ref) block->laps = space_at(block, ref);
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
    lap = space_at(block, ref);
    lap->kind = kind;
    lap->log.record = record;
    lap->node = node;
    lap->next = desk->first;
    desk->first = lap;
    desk->kinds++;
    return lap;
}

/* Both ends. */

static void finish(struct control *block, struct lap *lap, uint64_t start, uint64_t ticks)
{
    struct lap_desk *desk = block->laps;
    struct store_lap *record = lap->log.record;
    uint64_t now = start + ticks;
    __atomic_store_n(&record->is_open, 0, __ATOMIC_RELEASE);
    lap->before_ticks = 0;
    if (lap->is_measured && selves_measure(block, &desk->map, &desk->now, now)) {
        const struct selves_change change = {&lap->before, &desk->now};
        laplog_add_selves(block, &lap->log, &change, start, ticks);
        struct selves before = lap->before;
        lap->before = desk->now;
        desk->now = before;
        lap->before_ticks = now;
    }
    lap->last_ticks = ticks;
    laplog_add(block, &lap->log, start, ticks);
    tree_add(tree_node(block->base, lap->node), ticks);
    func_record(block, record->function, ticks);
    record->total_ticks += ticks;
    if (ticks > budget_ticks(desk, now)) record->missed++;
    lap->done_ticks = now;
    __atomic_store_n(&record->count, record->count + 1, __ATOMIC_RELEASE);
}

static void end(struct control *block, struct lap *lap, uint64_t now)
{
    uint64_t start = lap->log.record->start_ticks;
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
    if (lap->log.record->is_open) end(block, lap, opened);
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
    lap->log.record->start_ticks = now;
    /* Release pairs with the acquire in report/laps.c. */
    __atomic_store_n(&lap->log.record->is_open, 1, __ATOMIC_RELEASE);
}

void lap_begin(struct control *block, uint64_t kind)
{
    struct lap *lap = lap_open(block, kind, clock_now(source()));
    if (lap) lap_start(block, lap, clock_now(source()));
}

void lap_end(struct control *block, uint64_t kind, uint64_t now)
{
    struct lap *lap = find(block->laps, kind);
    if (!lap || !lap->log.record->is_open) {
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
    if (lap && lap->log.record->is_open) return NULL;
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
        if (!lap->log.record->is_open || lap->depth != depth || lap->stack != block->stack)
            continue;
        finish(block, lap, start, ticks);
        lap->done_ticks = clock_now(source());
        return;
    }
}

void lap_drop_all(struct control *block)
{
    for (struct lap *lap = block->laps ? block->laps->first : NULL; lap; lap = lap->next) {
        lap->before_ticks = 0;
        if (!lap->log.record->is_open) continue;
        lap->log.record->is_open = 0;
        recorder_count_lost(LOST_LAPS, 1);
    }
}

/* Folding. */

store_ref lap_twin(struct control *into, const struct store_function *function, store_ref *node)
{
    const struct lap *lap = make(into, function->address);
    if (!lap) return 0;
    *node = lap->node;
    return lap->log.record->function;
}

void lap_fold(struct control *into, const struct control *from)
{
    for (struct lap *lap = from->laps ? from->laps->first : NULL; lap; lap = lap->next) {
        struct lap *twin = make(into, lap->kind);
        if (!twin || !lap->log.record->count) continue;
        laplog_fold(into, &twin->log, from, &lap->log);
        lap->before_ticks = 0;
    }
}

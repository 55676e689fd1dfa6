/* SPDX-License-Identifier: MIT
 *
 * Folding one recorder into another: node by node, parents first, so that each node's counterpart
 * is known when its children come. The counterpart is kept in last_child, which a retired recorder
 * does not need. Runs on the slow path of a thread that attaches; one at a time. */
#include "record/fold.h"

#include "base/sys.h"
#include "record/category.h"
#include "record/func.h"
#include "record/lap.h"
#include "record/recorder.h"
#include "record/ring.h"
#include "record/space.h"
#include "record/stacks.h"
#include "record/tree.h"
#include "record/tree_hot.h"

#include <string.h>

static struct control *others(void)
{
    struct control_process *process = control_process();
    if (process->others) return control_block(process->others - 1);
    struct recorder_thread row = {.name = "[other threads]", .stack_high = UINTPTR_MAX};
    struct control *block = recorder_make(&row);
    if (!block) return NULL;
    block->recorder->flags |= STORE_RECORDER_OTHERS;
    block->recorder->generations = 0;
    __atomic_store_n(&block->recorder->state, STORE_THREAD_EXITED, __ATOMIC_RELEASE);
    for (uint32_t i = 0; i < process->blocks_used; i++) {
        if (control_block(i) == block) process->others = i + 1;
    }
    return block;
}

/* What a folded counterpart must be told, since its place in the tree does not say it. */
static void fold_side(struct control *into, struct control *from, store_ref node,
                      store_ref counterpart)
{
    const struct store_node *source = tree_node(from->base, node);
    struct store_folded *folded = tree_folded_record(into, counterpart);
    if (tree_is_folded(source)) {
        const struct store_folded *side = tree_folded_record(from, node);
        folded->nested_ticks += side->nested_ticks;
        folded->child_ticks += side->child_ticks;
        return;
    }
    if (tree_is_within(from, source->parent, source->function))
        folded->nested_ticks += source->total_ticks;
    store_ref parent = tree_node(from->base, source->parent)->last_child;
    tree_add_folded_child(into, parent, source->total_ticks);
}

static bool is_of_laps(const struct control *block, const struct store_node *node)
{
    return node->function && func_at(block->base, node->function)->flags & STORE_FUNCTION_LAP;
}

static store_ref counterpart_of(struct control *into, const struct control *from,
                                const struct store_node *node)
{
    if (is_of_laps(from, node)) {
        store_ref twin;
        return lap_twin(into, func_at(from->base, node->function), &twin) ? twin : 0;
    }
    uint64_t address = node->address;
    if (!node->parent)
        return address & STORE_MARK_CATEGORY ? category_node(into, address) : into->recorder->root;
    if (address == STORE_MARK_FOLDED)
        return into->recorder->root; /* the folded root holds nothing */
    if (tree_is_folded(node)) return tree_folded(into, address & ~STORE_MARK_FOLDED);
    store_ref parent = tree_node(from->base, node->parent)->last_child;
    return parent ? tree_child(into, parent, address) : 0;
}

static void fold_node(struct control *into, struct control *from, store_ref ref)
{
    struct store_node *node = tree_node(from->base, ref);
    store_ref counterpart = counterpart_of(into, from, node);
    node->last_child = counterpart;
    if (!counterpart) return;
    struct store_node *sum = tree_node(into->base, counterpart);
    if (node->folded_children) {
        uint64_t *ticks = space_at(from, node->folded_children);
        tree_add_folded_child(into, counterpart, *ticks);
        *ticks = 0;
    }
    if (node->count) {
        if (tree_is_folded(sum)) fold_side(into, from, ref, counterpart);
        tree_add_node(into, sum, node);
    }
}

static void clear_node(const struct control *block, store_ref ref)
{
    struct store_node *node = tree_node(block->base, ref);
    node->count = node->total_ticks = node->max_ticks = 0;
    node->min_ticks = UINT64_MAX;
    node->last_child = 0;
    node->told = 0;
    if (tree_is_folded(node) && node->function) {
        struct store_folded *folded = tree_folded_record(block, ref);
        folded->nested_ticks = folded->child_ticks = 0;
    }
}

static void each_node(struct control *into, struct control *from,
                      void (*act)(struct control *, struct control *, store_ref))
{
    for (store_ref segment = from->recorder->nodes; segment;) {
        const struct store_segment *head = space_at(from, segment);
        for (uint32_t i = 0; i < head->used; i++) {
            uint64_t offset = sizeof *head + (uint64_t)i * sizeof(struct store_node);
            act(into, from, segment + (store_ref)(offset / STORE_UNIT));
        }
        segment = head->next;
    }
}

static void clear_each(struct control *into, struct control *from, store_ref ref)
{
    (void)into;
    /* What found no memory for a counterpart stays. */
    if (tree_node(from->base, ref)->last_child) clear_node(from, ref);
}

static void fold_ring(struct control *into, struct store_function *sum, const struct control *from,
                      const struct store_function *function)
{
    struct store_ring *ring = space_at(from, function->ring);
    uint32_t next = ring->next < ring->capacity ? ring->next : ring->capacity;
    const uint64_t *samples = space_at(from, ring->samples);
    /* Oldest first: of the lap before, then of this one. */
    for (uint32_t i = ring->lapped ? next : ring->capacity; i < ring->capacity; i++)
        ring_add(into, sum, samples[i], ring->limit);
    for (uint32_t i = 0; i < next; i++) ring_add(into, sum, samples[i], ring->limit);
    ring->lapped = 0;
    ring->next = 0;
}

static void fold_function(struct control *into, const struct control *from,
                          struct store_function *function)
{
    store_ref node, ref = function->flags & STORE_FUNCTION_LAP ? lap_twin(into, function, &node)
                                                               : func_make(into, function->address);
    if (!ref) return;
    struct store_function *sum = func_at(into->base, ref);
    /* The time names the module that was there: it must not be that of the folding. */
    if (function->first_ticks < sum->first_ticks) sum->first_ticks = function->first_ticks;
    sum->flags |= function->flags;
    if (!sum->unit) sum->unit = function->unit;
    for (uint32_t i = 0; i < STORE_BLOCKS; i++) {
        if (!function->blocks[i]) continue;
        uint64_t *counts = space_at(from, function->blocks[i]);
        uint64_t *sums = func_counters(into, sum, i);
        if (!sums) continue;
        for (uint32_t k = 0; k < STORE_BLOCK_BUCKETS; k++) sums[k] += counts[k];
        memset(counts, 0, STORE_BLOCK_BUCKETS * sizeof *counts);
    }
    if (function->ring) fold_ring(into, sum, from, function);
}

static void fold_functions(struct control *into, const struct control *from)
{
    for (store_ref segment = from->recorder->functions; segment;) {
        struct store_segment *head = space_at(from, segment);
        struct store_function *items = (struct store_function *)(void *)(head + 1);
        for (uint32_t i = 0; i < head->used; i++) fold_function(into, from, &items[i]);
        segment = head->next;
    }
}

static void fold_all(struct control *into, struct control *from)
{
    each_node(into, from, fold_node);
    fold_functions(into, from);
    lap_fold(into, from);
    each_node(into, from, clear_each);
    struct store_recorder *sum = into->recorder;
    struct store_recorder *recorder = from->recorder;
    sum->generations += recorder->generations;
    sum->cpu_ns += recorder->cpu_ns;
    if (recorder->ended_ticks > sum->ended_ticks) sum->ended_ticks = recorder->ended_ticks;
    for (int i = 0; i < LOST_KINDS; i++) sum->lost[i] += recorder->lost[i];
    sum->lost[LOST_THREADS_MERGED] += recorder->generations;
    memset(recorder->lost, 0, sizeof recorder->lost);
    recorder->generations = 0;
    recorder->cpu_ns = 0;
    recorder->cpu_before_ns = 0;
    recorder->started_ticks = 0;
}

void fold_into_others(struct control *block)
{
    struct control_process *process = control_process();
    /* The holder is a thread that attaches: it runs, and does not wait for us; unless it is this
     * one, in a handler of a trap, which can't be blocked. */
    uint32_t self = (uint32_t)sys_call0(SYS_gettid);
    for (uint32_t owner = 0; !__atomic_compare_exchange_n(&process->fold_lock, &owner, self, false,
                                                          __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
         owner = 0) {
        if (owner == self) return;
        (void)sys_call0(SYS_sched_yield);
    }
    struct control *into = others();
    if (into) fold_all(into, block);
    __atomic_store_n(&process->fold_lock, 0, __ATOMIC_RELEASE);
}

/* SPDX-License-Identifier: MIT
 *
 * The straight line of enter and exit. Inlined into the hooks and nowhere else; whatever is not
 * ordinary returns false before anything was changed, and the slow path starts over.
 *
 * An instrumented signal handler may run between any two instructions here. A slot is therefore
 * claimed (top moves) before it is filled, its sp is written last and cleared before the slot is
 * given back, so what a handler finds at the top is a whole frame or one with sp 0, which sends it
 * to the slow path. Counters are changed by single instructions with a memory operand, which a
 * handler can't split. */
#pragma once

#include "clock/clock_hot.h"
#include "record/func.h"
#include "record/tree.h"
#include "record/tree_hot.h"
#include "stats/hist_hot.h"

/* Context: hot, owner thread. sp: the stack address at the hook. */
static ALWAYS_INLINE bool frames_try_enter(struct control *block, uint64_t address, uintptr_t sp)
{
    struct store_frame *top = block->top;
    if (UNLIKELY(top >= block->limit)) return false;
    /* Above the newest frame: that one is stale, or this is another stack. Equal is ordinary: a
     * function that was inlined calls the hook from its caller's frame. */
    if (UNLIKELY(sp > top->sp) || UNLIKELY(sp < block->stack_low)) return false;
    const uint8_t *base = block->base;
    store_ref parent = top->node;
    store_ref ref = tree_node(base, parent)->last_child;
    /* Ref 0 reads the store's magic, which is no address. */
    if (tree_node(base, ref)->address != address) {
        ref = tree_find(block, parent, address);
        if (UNLIKELY(!ref)) return false;
        tree_node(base, parent)->last_child = ref;
    }
    struct store_frame *frame = top + 1;
    block->top = frame;
    SIGNAL_FENCE();
    frame->node = ref;
    frame->start_ticks = clock_counter();
    /* Release pairs with the acquire of view_frames: a frame with an sp is whole. */
    __atomic_store_n(&frame->sp, sp, __ATOMIC_RELEASE);
    return true;
}

/* Context: hot, owner thread. now: read first of all. */
static ALWAYS_INLINE bool frames_try_exit(struct control *block, uint64_t address, uintptr_t sp,
                                          uint64_t now)
{
    struct store_frame *frame = block->top;
    if (UNLIKELY(frame <= block->floor)) return false;
    if (UNLIKELY(sp - block->stack_low >= block->stack_bytes)) return false;
    uint8_t *base = block->base;
    struct store_node *node = tree_node(base, frame->node);
    if (UNLIKELY(node->address != address)) return false;
    uint64_t ticks = now - frame->start_ticks;
    if (UNLIKELY((int64_t)ticks < 0)) return false;
    uint32_t bucket = hist_bucket(ticks);
    store_ref counters = func_at(base, node->function)->blocks[bucket / STORE_BLOCK_BUCKETS];
    if (UNLIKELY(!counters)) return false;
    if (UNLIKELY(ticks < node->min_ticks) || UNLIKELY(ticks > node->max_ticks)) return false;
    SIGNAL_FENCE();
    frame->sp = 0;
    SIGNAL_FENCE();
    block->top = frame - 1;
    node->count += 1;
    node->total_ticks += ticks;
    uint64_t *counter = (uint64_t *)(void *)(base + (uint64_t)counters * STORE_UNIT);
    counter[bucket % STORE_BLOCK_BUCKETS] += 1;
    return true;
}

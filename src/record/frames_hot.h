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
#include "record/stack_hot.h"
#include "record/tree_hot.h"
#include "stats/hist_hot.h"

/* The frame above which a call may be opened, or NULL. Context: hot, owner thread. */
static ALWAYS_INLINE struct store_frame *frames_ready(const struct control *block)
{
    struct store_frame *top = block->top;
    if (UNLIKELY(top >= block->limit)) return NULL;
    /* Above the newest frame: that one is stale, or this is another stack. Equal is ordinary: a
     * function that was inlined calls the hook from its caller's frame. */
    if (UNLIKELY(stack_address() > top->sp)) return NULL;
    if (UNLIKELY(stack_address() < block->stack_low)) return NULL;
    return top;
}

static ALWAYS_INLINE void frames_push(struct control *block, struct store_frame *top,
                                      store_ref node)
{
    struct store_frame *frame = top + 1;
    block->top = frame;
    SIGNAL_FENCE();
    frame->node = node;
    frame->start_ticks = clock_counter();
    /* Release pairs with the acquire of view_frames: a frame with an sp is whole. */
    __atomic_store_n(&frame->sp, stack_address(), __ATOMIC_RELEASE);
}

/* The parent's last child or the first probe of the table. Context: hot, owner thread. */
static ALWAYS_INLINE bool frames_try_enter(struct control *block, uint64_t address)
{
    struct store_frame *top = frames_ready(block);
    if (UNLIKELY(!top)) return false;
    const uint8_t *base = block->base;
    store_ref parent = top->node;
    store_ref node = tree_node(base, parent)->last_child;
    /* Ref 0 reads the store's magic, which is no address. */
    if (tree_node(base, node)->address != address) {
        node = block->slots[tree_slot(parent, address) & block->slots_mask];
        if (UNLIKELY(tree_node(base, node)->address != address)) return false;
        if (UNLIKELY(tree_node(base, node)->parent != parent)) return false;
        tree_node(base, parent)->last_child = node;
    }
    frames_push(block, top, node);
    return true;
}

/* The same with as many probes as it takes: apart, so that the common case needs few registers. */
static ALWAYS_INLINE bool frames_try_enter_probing(struct control *block, uint64_t address)
{
    struct store_frame *top = frames_ready(block);
    if (UNLIKELY(!top)) return false;
    store_ref node = tree_find(block, top->node, address);
    if (UNLIKELY(!node)) return false;
    tree_node(block->base, top->node)->last_child = node;
    frames_push(block, top, node);
    return true;
}

/* now: read first of all. Context: hot, owner thread. */
static ALWAYS_INLINE bool frames_try_exit(struct control *block, uint64_t address, uint64_t now)
{
    /* No bytes: no recorder, a forked child, or busy. */
    if (UNLIKELY(stack_address() - block->stack_low >= block->stack_bytes)) return false;
    struct store_frame *frame = block->top;
    uint8_t *base = block->base;
    struct store_node *node = tree_node(base, frame->node);
    /* The floor's node is the root, which has no address. */
    if (UNLIKELY(node->address != address)) return false;
    uint64_t ticks = now - frame->start_ticks;
    uint32_t bucket = hist_bucket(ticks);
    store_ref counters = func_at(base, node->function)->blocks[bucket / STORE_BLOCK_BUCKETS];
    if (UNLIKELY(!counters)) return false;
    /* A negative time is a huge one here. */
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

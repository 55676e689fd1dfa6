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

/* The callee to expect of a frame: three stores, so that a handler never finds an address beside
 * another callee's node. */
static ALWAYS_INLINE void frames_expect(struct store_frame *frame, store_ref child,
                                        uint64_t address)
{
    frame->child_address = 0;
    SIGNAL_FENCE();
    frame->last_child = child;
    SIGNAL_FENCE();
    frame->child_address = address;
}

static ALWAYS_INLINE void frames_push(struct control *block, struct store_frame *top,
                                      store_ref node)
{
    struct store_frame *frame = top + 1;
    block->top = frame;
    SIGNAL_FENCE();
    frame->node = node;
    frame->start_ticks = clock_counter();
    store_ref child = tree_node(block->base, node)->last_child;
    frame->last_child = child;
    /* Ref 0 gives the store's magic, which is no address. */
    frame->child_address = tree_node(block->base, child)->address;
    /* Release pairs with the acquire of view_frames: a frame with an sp is whole. */
    __atomic_store_n(&frame->sp, stack_address(), __ATOMIC_RELEASE);
}

/* The caller's last callee, or the first probe of the table. Context: hot, owner thread. */
static ALWAYS_INLINE bool frames_try_enter(struct control *block, uint64_t address)
{
    struct store_frame *top = frames_ready(block);
    if (UNLIKELY(!top)) return false;
    store_ref node = top->last_child;
    if (top->child_address != address) {
        store_ref parent = top->node;
        node = block->slots[tree_slot(parent, address) & block->slots_mask];
        const struct store_node *found = tree_node(block->base, node);
        if (UNLIKELY(found->address != address) || UNLIKELY(found->parent != parent)) return false;
        frames_expect(top, node, address);
        tree_node(block->base, parent)->last_child = node;
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
    frames_expect(top, node, address);
    tree_node(block->base, top->node)->last_child = node;
    frames_push(block, top, node);
    return true;
}

/* What the processor waits for is the chain from the clock to the counter: most calls of small
 * functions last less than 512 ticks, where the bucket is the number of ticks, known without a bit
 * scan. */
static ALWAYS_INLINE uint32_t frames_bucket(uint64_t ticks, uint32_t low_ticks)
{
    if (ticks < 512) return low_ticks;
    return hist_bucket(ticks);
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
    uint32_t bucket = frames_bucket(ticks, (uint32_t)now - (uint32_t)frame->start_ticks);
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

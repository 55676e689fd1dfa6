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

#include "base/stack_hot.h"
#include "clock/clock_hot.h"
#include "record/func.h"
#include "record/tree_hot.h"
#include "stats/hist_hot.h"

/* May a call be opened above top, the block's? Context: hot, owner thread. */
static ALWAYS_INLINE bool frames_have_room(const struct control *block,
                                           const struct store_frame *top)
{
    /* Also false where a handler that interrupted this line had the frames moved
     * (record/stacks.c). */
    return LIKELY((uintptr_t)top - (uintptr_t)block->frames < block->frames_bytes);
}

/* Does a hook at sp open a call above top? Context: hot, owner thread. */
static ALWAYS_INLINE bool frames_follow(const struct control *block, const struct store_frame *top,
                                        uintptr_t sp)
{
    /* Above the newest frame: that one is stale, or this is another stack. Equal is ordinary: a
     * function that was inlined calls the hook from its caller's frame. */
    return LIKELY(sp <= top->sp) && LIKELY(sp >= block->stack_low);
}

static ALWAYS_INLINE uint64_t frames_expectation(store_ref node, uint64_t address)
{
    return address << 32 | node;
}

/* A handler that comes between the two stores leaves words of two callees, which frames_expected
 * sees. */
static ALWAYS_INLINE void frames_expect(struct store_frame *frame, store_ref node, uint64_t address)
{
    frame->expected = frames_expectation(node, address);
    SIGNAL_FENCE();
    frame->expected_address = address;
}

/* Is this the callee that the frame expects? Then *node is its node. */
static ALWAYS_INLINE bool frames_expected(const struct store_frame *frame, uint64_t address,
                                          store_ref *node)
{
    /* One load: a handler may change the word. */
    uint64_t expected = __atomic_load_n(&frame->expected, __ATOMIC_RELAXED);
    *node = (store_ref)expected;
    return frame->expected_address == address && LIKELY(expected >> 32 == (uint32_t)address);
}

/* A handler may have come since the top was loaded, and have left us on the frames of its alternate
 * stack, or have changed to those of the coroutine that this hook is the first to be called from.
 */
static ALWAYS_INLINE bool frames_moved(const struct control *block, const struct store_frame *top)
{
    return __atomic_load_n(&block->top, __ATOMIC_RELAXED) != top;
}

/* All of the new frame but what makes it whole: its sp, for frames_publish. */
static ALWAYS_INLINE struct store_frame *frames_push(struct control *block, struct store_frame *top,
                                                     store_ref ref)
{
    struct store_frame *frame = top + 1;
    const uint8_t *base = block->base;
    const struct store_node *node = tree_node(base, ref);
    block->top = frame;
    SIGNAL_FENCE();
    frame->node = ref;
    frame->start_ticks = clock_counter();
    store_ref child = node->last_child;
    uint64_t address = tree_node(base, child)->address; /* of ref 0: the magic, no address */
    frame->near = func_at(base, node->function)->blocks[0];
    frames_expect(frame, child, address);
    return frame;
}

static ALWAYS_INLINE void frames_publish(struct store_frame *frame, uintptr_t sp)
{
    /* Release pairs with the acquire of view_frames: a frame with an sp is whole. */
    __atomic_store_n(&frame->sp, sp, __ATOMIC_RELEASE);
}

/* The caller's last callee, or the first probe of the table. Where the stack stands is read where
 * it is needed: asked for earlier it costs a register. Context: hot, owner thread. */
static ALWAYS_INLINE bool frames_try_enter(struct control *block, uint64_t address)
{
    struct store_frame *top = block->top;
    if (!frames_have_room(block, top) || !frames_follow(block, top, stack_address())) return false;
    store_ref ref;
    if (!frames_expected(top, address, &ref)) {
        store_ref caller = top->node;
        ref = block->slots[tree_slot(caller, address) & block->slots_mask];
        const struct store_node *node = tree_node(block->base, ref);
        /* Ref 0 gives the store's magic, which is no address. */
        if (UNLIKELY(node->address != address) || UNLIKELY(node->parent != caller)) return false;
        frames_expect(top, ref, address);
        tree_node(block->base, caller)->last_child = ref;
    }
    if (UNLIKELY(frames_moved(block, top))) return false;
    struct store_frame *frame = frames_push(block, top, ref);
    frames_publish(frame, stack_address());
    return true;
}

/* The same with as many probes as it takes: apart, so that the common case needs few registers. sp:
 * where the hook stands. */
static ALWAYS_INLINE bool frames_try_enter_probing(struct control *block, uint64_t address,
                                                   uintptr_t sp)
{
    struct store_frame *top = block->top;
    if (!frames_have_room(block, top) || !frames_follow(block, top, sp)) return false;
    store_ref ref = tree_find(block, top->node, address);
    if (UNLIKELY(!ref)) return false;
    frames_expect(top, ref, address);
    tree_node(block->base, top->node)->last_child = ref;
    if (UNLIKELY(frames_moved(block, top))) return false;
    frames_publish(frames_push(block, top, ref), sp);
    return true;
}

/* The counter of a duration, or NULL where its block does not exist yet.
 *
 * The next read of the clock waits for all loads and sums before it (measured on Sapphire Rapids:
 * rdtsc overlaps with 15 cycles of what precedes it), so the longest chain is what a call costs.
 * Most calls of small functions are short: there the bucket is the number of ticks, and the frame
 * brings the counters along. */
static ALWAYS_INLINE uint64_t *frames_counter(uint8_t *base, const struct store_frame *frame,
                                              const struct store_node *node, uint64_t ticks,
                                              uint32_t low_ticks)
{
    if (ticks < STORE_NEAR_TICKS) {
        if (UNLIKELY(!frame->near)) return NULL;
        return (uint64_t *)(void *)(base + (uint64_t)frame->near * STORE_UNIT) + low_ticks;
    }
    uint32_t bucket = hist_bucket(ticks);
    store_ref block = func_at(base, node->function)->blocks[bucket / STORE_BLOCK_BUCKETS];
    if (UNLIKELY(!block)) return NULL;
    return (uint64_t *)(void *)(base + (uint64_t)block * STORE_UNIT) + bucket % STORE_BLOCK_BUCKETS;
}

/* An exit that is ordinary: what it changes. */
struct frames_exit {
    struct store_node *node;
    uint64_t *counter;
    uint64_t ticks;
};

/* frame: the top, loaded before the clock was read; now: the clock. short_only: calls of
 * STORE_NEAR_TICKS and more are refused. Changes nothing. Context: hot, owner thread. */
static ALWAYS_INLINE bool frames_may_exit(const struct control *block,
                                          const struct store_frame *frame, uint64_t address,
                                          uint64_t now, bool short_only, struct frames_exit *exit)
{
    /* No bytes: no recorder, a forked child, or busy. */
    if (UNLIKELY(stack_address() - block->stack_low >= block->stack_bytes)) return false;
    if (UNLIKELY(frames_moved(block, frame))) return false;
    uint8_t *base = block->base;
    struct store_node *node = tree_node(base, frame->node);
    /* The floor's node is the root, which has no address. */
    if (UNLIKELY(node->address != address)) return false;
    uint64_t ticks = now - frame->start_ticks;
    /* A negative time is a huge one here. */
    if (UNLIKELY(ticks < node->min_ticks) || UNLIKELY(ticks > node->max_ticks)) return false;
    if (short_only && ticks >= STORE_NEAR_TICKS) return false;
    uint32_t low_ticks = (uint32_t)now - (uint32_t)frame->start_ticks;
    uint64_t *counter = frames_counter(base, frame, node, ticks, low_ticks);
    if (UNLIKELY(!counter)) return false;
    *exit = (struct frames_exit){node, counter, ticks};
    return true;
}

static ALWAYS_INLINE void frames_pop(struct control *block, struct store_frame *frame)
{
    SIGNAL_FENCE();
    frame->sp = 0;
    SIGNAL_FENCE();
    block->top = frame - 1;
}

static ALWAYS_INLINE void frames_count(const struct frames_exit *exit)
{
    exit->node->count += 1;
    exit->node->total_ticks += exit->ticks;
    *exit->counter += 1;
}

/* Both. Context: as frames_may_exit. */
static ALWAYS_INLINE bool frames_try_exit(struct control *block, struct store_frame *frame,
                                          uint64_t address, uint64_t now)
{
    struct frames_exit exit;
    if (UNLIKELY(!frames_may_exit(block, frame, address, now, false, &exit))) return false;
    frames_pop(block, frame);
    frames_count(&exit);
    return true;
}

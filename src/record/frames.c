/* SPDX-License-Identifier: MIT
 *
 * The rules of enter and exit:
 *   - frames strictly below a new call are stale (longjmp, an exception without exit hooks): closed
 * now;
 *   - so are those that repeat one function at one height, where they are too many;
 *   - an exit closes the newest call of its function, and what stands above it is stale;
 *   - a frame with sp 0 is being filled or emptied by code that we interrupted: it is stepped over.
 * Runs on the owner's slow paths, busy. */
#include "record/frames.h"

#include "clock/clock.h"
#include "record/func.h"
#include "record/lap.h"
#include "record/recorder.h"
#include "record/stacks.h"
#include "record/tree.h"
#include "record/tree_hot.h"

static uint64_t ticks_now(void)
{
    return clock_now((enum clock_source)recorder_settings()->clock_source);
}

static struct store_frame *floor_of(const struct control *block)
{
    uint32_t inherited = block->stack->in_use == 1 ? block->inherited : 0;
    return stacks_frames(block) + inherited;
}

/* The newest whole frame at or below `from`; the floor is always whole. */
static struct store_frame *whole(const struct control *block, struct store_frame *from)
{
    const struct store_frame *floor = floor_of(block);
    while (from > floor && !from->sp) from--;
    return from;
}

static void pop(struct control *block, struct store_frame *frame)
{
    frame->sp = 0;
    SIGNAL_FENCE();
    block->top = frame - 1;
}

/* Ends the call at the top and accounts for it. */
static void close_top(struct control *block, uint64_t now)
{
    struct store_frame frame = *block->top;
    uint32_t depth = (uint32_t)(block->top - stacks_frames(block));
    pop(block, block->top);
    if (!frame.sp || frame.start_ticks & STORE_FRAME_MUTED) return;
    uint64_t ticks = now - frame.start_ticks;
    if ((int64_t)ticks < 0) {
        ticks = 0;
        recorder_count_lost(LOST_NEGATIVE_TIMES, 1);
    }
    struct store_node *node = tree_node(block->base, frame.node);
    tree_add(node, ticks);
    if (node->function) func_record(block, node->function, ticks);
    if (tree_is_folded(node)) {
        store_ref parent = whole(block, block->top)->node;
        tree_exit_folded(block, frame.node, parent, (uint32_t)frame.expected, ticks);
    }
    if (node->address & STORE_MARK_LAP) lap_leave(block, depth, frame.start_ticks, ticks);
}

void frames_close_all(struct control *block, uint64_t now)
{
    const struct store_frame *floor = floor_of(block);
    while (block->top > floor) close_top(block, now);
}

void frames_close_below(struct control *block, uintptr_t sp, uint64_t now)
{
    const struct store_frame *floor = floor_of(block);
    while (block->top > floor) {
        const struct store_frame *frame = whole(block, block->top);
        if (frame == floor || frame->sp >= sp) return;
        while (block->top >= frame) close_top(block, now);
        block->too_deep = 0; /* what was deeper is gone too */
    }
}

/* Room above the top: one slot for the call. False at the depth limit. */
static bool has_room(struct control *block)
{
    if (block->top + 1 < stacks_frames(block) + block->stack->capacity) return true;
    return stacks_grow(block);
}

static bool is_of(const struct control *block, const struct store_frame *frame, uint64_t address)
{
    if (frame->start_ticks & STORE_FRAME_MUTED)
        return frame->sp && frame->start_ticks == (STORE_FRAME_MUTED | address);
    uint64_t own = tree_node(block->base, frame->node)->address;
    return frame->sp && (own & (STORE_ADDRESS_MASK | STORE_MARK_CATEGORY)) == address;
}

/* A call that is lost, and with it all that it calls: counted, so that their exits close nothing.
 */
static void lose(struct control *block, uint64_t address, uintptr_t sp, enum lost_kind kind)
{
    if (!block->too_deep) {
        block->too_deep_sp = sp;
        block->too_deep_alike = 0;
    }
    block->too_deep_alike |= is_of(block, whole(block, block->top), address);
    block->too_deep++;
    recorder_count_lost(kind, 1);
}

/* They are gone when something happens further out: a longjmp left them. Inlined functions share
 * their caller's address, so equal is not further out. */
static void forget_lost_below(struct control *block, uintptr_t sp)
{
    if (block->too_deep && sp > block->too_deep_sp) block->too_deep = 0;
}

/* Does a lost call end? Not where the exit comes from further out than a call of the top's own may
 * end, a tail-jump included, nor where the top itself ends: a longjmp left the lost ones. Where one
 * of them is of the top's function, it is taken for that. */
static bool is_of_lost(struct control *block, uint64_t address, uintptr_t sp)
{
    const struct store_frame *top = whole(block, block->top);
    bool is_top = sp == top->sp && is_of(block, top, address) && !block->too_deep_alike;
    if (sp > top->sp || is_top) block->too_deep = 0;
    return block->too_deep;
}

/* flags: of a folded frame, else 0. */
static void push(struct control *block, store_ref node, uint32_t flags, uintptr_t sp)
{
    struct store_frame *frame = block->top + 1;
    block->top = frame;
    SIGNAL_FENCE();
    frame->node = node;
    frame->expected = flags;
    frame->expected_address = 0;
    frame->near = func_at(block->base, tree_node(block->base, node)->function)->blocks[0];
    frame->start_ticks = ticks_now();
    __atomic_store_n(&frame->sp, sp, __ATOMIC_RELEASE);
}

/* A call while recording is paused: calls that come below it after the pause find in it what they
 * would find in the call around it. */
static void push_muted(struct control *block, uint64_t address, uintptr_t sp)
{
    const struct store_frame *above = whole(block, block->top);
    bool is_folded = tree_is_folded(tree_node(block->base, above->node));
    struct store_frame *frame = block->top + 1;
    block->top = frame;
    SIGNAL_FENCE();
    frame->node = above->node;
    frame->expected = is_folded ? above->expected : 0;
    frame->expected_address = 0;
    frame->near = 0;
    frame->start_ticks = STORE_FRAME_MUTED | address;
    __atomic_store_n(&frame->sp, sp, __ATOMIC_RELEASE);
}

/* Calls from before a fork that ended without our seeing it. */
static void drop_inherited_below(struct control *block, uintptr_t sp)
{
    while (block->inherited && block->stack->in_use == 1 && block->top == floor_of(block) &&
           block->top->sp < sp) {
        block->inherited--;
        pop(block, block->top);
    }
}

/* Calls at one height are of inlined functions, and of a function inlined into itself compilers
 * make few (gcc: eight). More of one function were left by jumps, or by coroutines that never
 * returned and whose stack is another's now: without a bound they would nest for ever. Scopes may
 * be begun in a loop, any number of them. */
static void close_repeated(struct control *block, uint64_t address, uintptr_t sp)
{
    enum { REPEATED_MOST = 16, LOOK_MOST = 256 };
    const struct store_frame *floor = floor_of(block);
    const struct store_frame *first = NULL;
    unsigned count = 0;
    if (address & STORE_MARK_CATEGORY) return;
    if (block->top - floor > LOOK_MOST) floor = block->top - LOOK_MOST;
    for (const struct store_frame *at = block->top; at > floor && (!at->sp || at->sp == sp); at--) {
        if (!is_of(block, at, address)) continue;
        first = at;
        count++;
    }
    if (count < REPEATED_MOST) return;
    uint64_t now = ticks_now();
    while (block->top >= first) close_top(block, now);
    block->too_deep = 0;
}

void frames_arrive(struct control *block, uintptr_t sp)
{
    stacks_settle(block);
    stacks_switch(block, sp);
    forget_lost_below(block, sp);
    if (sp <= whole(block, block->top)->sp) return;
    frames_close_below(block, sp, ticks_now());
    drop_inherited_below(block, sp);
}

void frames_enter(struct control *block, uint64_t address, uintptr_t sp)
{
    frames_arrive(block, sp);
    close_repeated(block, address, sp);
    if (block->too_deep || !has_room(block)) {
        lose(block, address, sp, LOST_CALLS_TOO_DEEP);
        return;
    }
    if (control_is_paused()) {
        push_muted(block, address, sp);
        return;
    }
    struct store_frame *above = whole(block, block->top);
    store_ref parent = above->node;
    store_ref node = tree_child(block, parent, func_mark(address));
    if (!node) {
        lose(block, address, sp, LOST_CALLS_NO_MEMORY);
        return;
    }
    bool is_lap = tree_node(block->base, node)->address & STORE_MARK_LAP;
    struct lap *lap = is_lap ? lap_enter(block, address) : NULL;
    uint32_t flags = 0;
    if (tree_is_folded(tree_node(block->base, node))) {
        flags = tree_enter_folded(block, node, above);
        recorder_count_lost(LOST_CONTEXTS_FOLDED, 1);
    } else {
        tree_node(block->base, parent)->last_child = node;
        above->expected_address = 0; /* the table is asked next time */
    }
    push(block, node, flags, sp);
    if (lap) lap_start(block, lap, block->top->start_ticks);
}

/* The exit of a call that was open before a fork: its frame goes without being counted. */
static bool exit_inherited(struct control *block, uint64_t address, uint64_t now)
{
    if (block->stack->in_use != 1) return false;
    struct store_frame *frames = stacks_frames(block);
    for (uint32_t i = block->inherited; i > 0; i--) {
        if (!is_of(block, &frames[i], address)) continue;
        frames_close_all(block, now);
        while (block->top >= &frames[i]) pop(block, block->top);
        block->inherited = i - 1;
        return true;
    }
    return false;
}

void frames_exit(struct control *block, uint64_t address, uintptr_t sp, uint64_t now)
{
    stacks_settle(block);
    stacks_switch(block, sp);
    if (block->too_deep && is_of_lost(block, address, sp)) {
        block->too_deep--;
        return;
    }
    const struct store_frame *floor = floor_of(block);
    for (struct store_frame *frame = block->top; frame > floor; frame--) {
        if (!is_of(block, frame, address)) continue;
        while (block->top >= frame) close_top(block, now);
        return;
    }
    if (!exit_inherited(block, address, now)) recorder_count_lost(LOST_UNMATCHED_EXITS, 1);
}

/* SPDX-License-Identifier: MIT
 *
 * Which machine stack a thread is on is told by the address of a hook's caller. The bounds of a
 * stack seen for the first time come from what the program told the C library (makecontext,
 * sigaltstack), else from the kernel's list of mappings, read with raw calls. Runs on the owner's
 * slow paths. */
#include "record/stacks.h"

#include "base/maps.h"
#include "clock/clock.h"
#include "record/frames.h"
#include "record/recorder.h"
#include "record/space.h"

#include <errno.h>
#include <string.h>

enum { OWN = 1, ANOTHER = 2, FIBER = 3 }; /* in_use */

enum {
    FIRST_FRAMES = 128,
    FIRST_FRAMES_ELSEWHERE = 16,
    NOTES = 2 * STACKS_MOST,
    HINTS = STACKS_MOST
};

struct bounds {
    uintptr_t low, high;
};

/* What the program said of its stacks, newest over oldest. A torn entry holds no address or the
 * wrong bounds of a stack that is being made and that nobody runs on yet. */
static struct bounds notes[NOTES];
static uint32_t note_count;

static uint32_t notes_held(void)
{
    uint32_t count = __atomic_load_n(&note_count, __ATOMIC_RELAXED);
    return count < NOTES ? count : NOTES;
}

void stacks_note(uintptr_t low, uintptr_t high)
{
    for (uint32_t i = 0; i < notes_held(); i++) {
        if (notes[i].low < high && low < notes[i].high) notes[i] = (struct bounds){0, 0};
    }
    uint32_t at = __atomic_fetch_add(&note_count, 1, __ATOMIC_RELAXED) % NOTES;
    notes[at] = (struct bounds){low, high};
}

static struct bounds bounds_of(uintptr_t sp)
{
    for (uint32_t i = 0; i < notes_held(); i++) {
        if (sp >= notes[i].low && sp < notes[i].high) return notes[i];
    }
    struct maps_range range;
    if (maps_find(sp, &range)) return (struct bounds){range.low, range.high};
    /* A page around it: better a stack too many than two mixed up. */
    uintptr_t page = sp & ~(uintptr_t)4095;
    return (struct bounds){page, page + 4096};
}

static struct store_stack *stack_at(const struct control *block, store_ref ref)
{
    return (struct store_stack *)(void *)(block->base + (uint64_t)ref * STORE_UNIT);
}

static struct store_frame *frames_at(const struct control *block, store_ref ref)
{
    return (struct store_frame *)(void *)(block->base + (uint64_t)ref * STORE_UNIT);
}

/* The newest whole frame; above it all have sp 0. */
static struct store_frame *find_top(const struct control *block, const struct store_stack *stack)
{
    struct store_frame *top = frames_at(block, stack->frames);
    const struct store_frame *last = top + stack->capacity - 1;
    while (top < last && top[1].sp) top++;
    return top;
}

static void use(struct control *block, struct store_stack *stack)
{
    if (block->stack) block->stack->age = ++block->stack_age;
    block->stack = stack;
    block->top = find_top(block, stack);
    block->stack_low = (uintptr_t)stack->low;
}

static store_ref new_frames(struct control *block, uint32_t capacity, store_ref older)
{
    uint64_t bytes = sizeof(struct store_frames) + (uint64_t)capacity * sizeof(struct store_frame);
    store_ref ref = space_alloc(block, bytes);
    if (!ref) return 0;
    struct store_frames *head = (struct store_frames *)(void *)frames_at(block, ref);
    head->older = older;
    head->capacity = capacity;
    return ref + (store_ref)(sizeof *head / STORE_UNIT);
}

static struct store_frames *head_of(const struct control *block, store_ref frames)
{
    return (struct store_frames *)(void *)frames_at(block, frames) - 1;
}

/* The array of an older generation in which the top stands, or 0. */
static store_ref older_with_top(const struct control *block)
{
    store_ref ref = head_of(block, block->stack->frames)->older;
    while (ref) {
        const struct store_frame *frames = frames_at(block, ref);
        const struct store_frames *head = head_of(block, ref);
        if (block->top >= frames && block->top < frames + head->capacity) return ref;
        ref = head->older;
    }
    return 0;
}

void stacks_settle(struct control *block)
{
    const struct store_stack *stack = block->stack;
    struct store_frame *frames = stacks_frames(block);
    if (block->top >= frames && block->top < frames + stack->capacity) return;
    store_ref older = older_with_top(block);
    if (older) {
        const struct store_frame *source = frames_at(block, older);
        size_t whole = (size_t)(block->top - source) + 1;
        memcpy(frames, source, whole * sizeof *frames);
        for (size_t i = whole; i < stack->capacity && frames[i].sp; i++) frames[i].sp = 0;
        block->top = frames + (whole - 1);
        return;
    }
    block->top = find_top(block, stack); /* the handler left us on another stack's frames */
}

/* Empties a stack's frames but the floor, which ends comparisons with the stack's own end. */
static void set_bounds(struct control *block, struct store_stack *stack, struct bounds bounds)
{
    stack->low = bounds.low;
    stack->high = bounds.high;
    struct store_frame *floor = frames_at(block, stack->frames);
    floor->node = block->recorder->root;
    floor->sp = bounds.high;
}

/* `frames`: as many as are wanted at first, unless the depth limit is lower. */
static struct store_stack *new_stack(struct control *block, struct bounds bounds, uint32_t frames,
                                     uint32_t kind)
{
    uint32_t most = recorder_settings()->max_depth + 1; /* the floor is no call */
    if (frames > most) frames = most;
    store_ref ref = space_alloc(block, sizeof(struct store_stack));
    store_ref array = ref ? new_frames(block, frames, 0) : 0;
    if (!array) return NULL;
    struct store_stack *stack = stack_at(block, ref);
    stack->frames = array;
    stack->capacity = frames;
    stack->in_use = kind;
    set_bounds(block, stack, bounds);
    store_ref *link = &block->recorder->stacks;
    while (*link) link = &stack_at(block, *link)->next;
    /* Release pairs with the acquire in store/view.c. */
    __atomic_store_n(link, ref, __ATOMIC_RELEASE);
    block->stack_count++;
    return stack;
}

int stacks_init(struct control *block, uintptr_t low, uintptr_t high)
{
    struct store_stack *stack = new_stack(block, (struct bounds){low, high}, FIRST_FRAMES, OWN);
    if (!stack) return -ENOMEM;
    use(block, stack);
    return 0;
}

static uint64_t ticks_now(void)
{
    return clock_now((enum clock_source)recorder_settings()->clock_source);
}

void stacks_close_all(struct control *block)
{
    uint64_t now = ticks_now();
    for (store_ref ref = block->recorder->stacks; ref; ref = stack_at(block, ref)->next) {
        struct store_stack *stack = stack_at(block, ref);
        if (!stack->in_use) continue;
        use(block, stack);
        frames_close_all(block, now);
    }
    block->fiber = NULL;
    use(block, stack_at(block, block->recorder->stacks));
    block->too_deep = 0;
}

void stacks_reuse(struct control *block, uintptr_t low, uintptr_t high)
{
    struct store_stack *first = stack_at(block, block->recorder->stacks);
    stacks_close_all(block);
    block->inherited = 0;
    set_bounds(block, first, (struct bounds){low, high});
    use(block, first);
}

/* The stack idle longest loses its calls: they end now. */
static struct store_stack *drop_oldest(struct control *block)
{
    struct store_stack *oldest = NULL;
    for (store_ref ref = block->recorder->stacks; ref; ref = stack_at(block, ref)->next) {
        struct store_stack *stack = stack_at(block, ref);
        if (stack->in_use < ANOTHER || stack == block->stack || stack == block->fiber) continue;
        if (!oldest || stack->age < oldest->age) oldest = stack;
    }
    if (!oldest) return NULL;
    use(block, oldest);
    if (block->top > stacks_frames(block)) recorder_count_lost(LOST_STACKS_DROPPED, 1);
    frames_close_all(block, ticks_now());
    return oldest;
}

/* Coroutines come back to the page where they left: a table of guesses by page saves the walk. */
static store_ref *hint_of(struct control *block, uintptr_t sp)
{
    if (!block->stack_hints) {
        store_ref ref = space_alloc(block, HINTS * sizeof(store_ref));
        if (!ref) return NULL;
        block->stack_hints = (store_ref *)(void *)(block->base + (uint64_t)ref * STORE_UNIT);
    }
    return &block->stack_hints[(sp >> 12) % HINTS];
}

static bool is_on(const struct store_stack *stack, uintptr_t sp)
{
    return stack->in_use && sp >= stack->low && sp < stack->high;
}

bool stacks_share(const struct control *block, uintptr_t one, uintptr_t other)
{
    for (store_ref ref = block->recorder->stacks; ref; ref = stack_at(block, ref)->next) {
        if (is_on(stack_at(block, ref), one) && is_on(stack_at(block, ref), other)) return true;
    }
    return false;
}

/* Fibers that the thread is not on may be memory of other use by now. */
static bool is_other_fiber(const struct control *block, const struct store_stack *stack)
{
    return stack->in_use == FIBER && stack != block->fiber;
}

static struct store_stack *find_stack(struct control *block, uintptr_t sp)
{
    if (block->fiber && is_on(block->fiber, sp)) return block->fiber;
    store_ref *hint = hint_of(block, sp);
    if (hint && *hint && is_on(stack_at(block, *hint), sp) &&
        !is_other_fiber(block, stack_at(block, *hint)))
        return stack_at(block, *hint);
    for (store_ref ref = block->recorder->stacks; ref; ref = stack_at(block, ref)->next) {
        struct store_stack *stack = stack_at(block, ref);
        if (!is_on(stack, sp) || is_other_fiber(block, stack)) continue;
        if (hint) *hint = ref;
        return stack;
    }
    return NULL;
}

bool stacks_contains(const struct control *block, uintptr_t sp)
{
    const struct store_stack *stack = block->stack, *fiber = block->fiber;
    if (fiber && fiber != stack && is_on(fiber, sp)) return false;
    return sp >= stack->low && sp < stack->high;
}

bool stacks_knows(struct control *block, uintptr_t sp)
{
    return stacks_contains(block, sp) || find_stack(block, sp);
}

/* Memory for one stack more: a new record, or that of the stack idle longest. */
static struct store_stack *make_stack(struct control *block, struct bounds bounds, uint32_t kind)
{
    if (block->stack_count < STACKS_MOST)
        return new_stack(block, bounds, FIRST_FRAMES_ELSEWHERE, kind);
    struct store_stack *stack = drop_oldest(block);
    if (!stack) return NULL;
    set_bounds(block, stack, bounds);
    stack->in_use = kind;
    return stack;
}

/* Another fiber lies here now: the calls of the former one end. */
static void empty(struct control *block, struct store_stack *stack)
{
    struct store_stack *current = block->stack;
    use(block, stack);
    frames_close_all(block, ticks_now());
    set_bounds(block, stack, (struct bounds){0, 0});
    use(block, current);
}

static bool has_bounds(const struct store_stack *stack, struct bounds bounds)
{
    return stack->in_use == FIBER && stack->low == bounds.low && stack->high == bounds.high;
}

/* The record of the fiber with these bounds, or NULL. */
static struct store_stack *find_fiber(struct control *block, struct bounds bounds)
{
    struct store_stack *found = NULL;
    store_ref *hint = hint_of(block, bounds.low);
    if (hint && *hint && has_bounds(stack_at(block, *hint), bounds)) return stack_at(block, *hint);
    for (store_ref ref = block->recorder->stacks; ref; ref = stack_at(block, ref)->next) {
        struct store_stack *stack = stack_at(block, ref);
        if (has_bounds(stack, bounds)) {
            found = stack;
            if (hint) *hint = ref;
        } else if (stack->in_use == FIBER && stack->low < bounds.high && stack->high > bounds.low) {
            empty(block, stack);
        }
    }
    return found;
}

int stacks_set_fiber(struct control *block, uintptr_t low, uintptr_t high, uintptr_t sp)
{
    struct bounds bounds = {low, high};
    struct store_stack *fiber = NULL;
    stacks_settle(block);
    if (low < high) {
        fiber = find_fiber(block, bounds);
        if (!fiber) fiber = make_stack(block, bounds, FIBER);
        if (!fiber) return -ENOMEM;
    }
    block->fiber = fiber;
    stacks_switch(block, sp);
    return 0;
}

void stacks_switch(struct control *block, uintptr_t sp)
{
    if (stacks_contains(block, sp)) return;
    struct store_stack *stack = find_stack(block, sp);
    if (!stack) stack = make_stack(block, bounds_of(sp), ANOTHER);
    if (!stack) return;
    use(block, stack);
    block->too_deep = 0;
}

bool stacks_grow(struct control *block)
{
    struct store_stack *stack = block->stack;
    uint32_t most = recorder_settings()->max_depth;
    if (stack->capacity > most) return false;
    uint32_t capacity = stack->capacity * 2;
    if (capacity > most) capacity = most + 1; /* the floor is no call */
    if (capacity <= stack->capacity) return false;
    store_ref array = new_frames(block, capacity, stack->frames);
    if (!array) return false;
    const struct store_frame *old = stacks_frames(block);
    struct store_frame *frames = frames_at(block, array);
    memcpy(frames, old, stack->capacity * sizeof *frames);
    block->top = frames + (block->top - old);
    /* A reader takes capacity first, then frames, so it never has an array smaller than that. */
    __atomic_store_n(&stack->frames, array, __ATOMIC_RELEASE);
    __atomic_store_n(&stack->capacity, capacity, __ATOMIC_RELEASE);
    return true;
}

void stacks_forget(struct control *block, uintptr_t low, uintptr_t high)
{
    for (store_ref ref = block->recorder->stacks; ref; ref = stack_at(block, ref)->next) {
        const struct store_stack *stack = stack_at(block, ref);
        /* Pair with the releases in stacks_grow: of an owner that grows them meanwhile, the array
         * is at least as large as the capacity. */
        uint32_t capacity = __atomic_load_n(&stack->capacity, __ATOMIC_ACQUIRE);
        store_ref array = __atomic_load_n(&stack->frames, __ATOMIC_ACQUIRE);
        struct store_frame *frames = frames_at(block, array);
        for (uint32_t i = 0; i < capacity; i++) {
            uint64_t address = frames[i].expected_address;
            if (address >= low && address < high) frames[i].expected_address = 0;
        }
    }
}

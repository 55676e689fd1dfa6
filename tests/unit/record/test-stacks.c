/* SPDX-License-Identifier: MIT
 *
 * One frame stack a machine stack, found by address; and frames that move while an interrupted hook
 * still holds their old place. */
#include "record/stacks.h"

#include "lab.h"

#include "record/func.h"
#include "record/tree.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/mman.h>

#include <cmocka.h>

enum { A = 0xa000, B = 0xb000, C = 0xc000, D = 0xd000, PAGE = 4096 };
/* Another stack that the program told of. */
enum { OTHER_LOW = 0x10000000, OTHER_HIGH = 0x10008000, STRIDE = 0x10000 };
enum { HERE = LAB_HIGH - 0x1000, THERE = OTHER_HIGH - 0x1000 };

static void open_lab(void) { lab_open((struct recorder_options){0}); }

static uint32_t stacks_in_store(void)
{
    uint32_t count = 0;
    for (store_ref ref = lab.block->recorder->stacks; ref; count++) {
        ref = ((const struct store_stack *)lab_at(lab.block, ref))->next;
    }
    return count;
}

static void assert_bounds(uintptr_t low, uintptr_t high)
{
    assert_int_equal(lab.block->stack->low, low);
    assert_int_equal(lab.block->stack->high, high);
    assert_int_equal(lab.block->stack_low, low);
    assert_int_equal(lab.block->stack_bytes, high - low);
}

static void a_thread_begins_on_its_own_stack(void **state)
{
    open_lab();
    assert_bounds(LAB_LOW, LAB_HIGH);
    assert_int_equal(lab.block->stack->in_use, 1);
    assert_int_equal(lab_depth(), 0);
    assert_true(stacks_contains(lab.block, LAB_LOW));
    assert_true(stacks_contains(lab.block, LAB_HIGH - 1));
    assert_false(stacks_contains(lab.block, LAB_HIGH));
    assert_false(stacks_contains(lab.block, LAB_LOW - 1));
    const struct store_frame *floor = lab_at(lab.block, lab.block->stack->frames);
    assert_int_equal(floor->node, lab.block->recorder->root);
}

static void another_stack_has_frames_of_its_own(void **state)
{
    open_lab();
    recorder_note_stack(OTHER_LOW, OTHER_HIGH);
    lab_enter(A, HERE, 0);
    lab_enter(B, HERE - 16, 0);
    lab_enter(C, THERE, 0);
    assert_bounds(OTHER_LOW, OTHER_HIGH);
    assert_int_equal(lab_depth(), 1);
    assert_non_null(LAB_NODE(C));
    assert_null(LAB_NODE(A, B, C));
    assert_int_equal(stacks_in_store(), 2);
}

static void switching_back_goes_on_where_it_was_left(void **state)
{
    open_lab();
    recorder_note_stack(OTHER_LOW, OTHER_HIGH);
    lab_enter(A, HERE, 100);
    lab_enter(C, THERE, 110);
    lab_enter(B, HERE - 16, 120);
    assert_bounds(LAB_LOW, LAB_HIGH);
    lab_enter(D, THERE - 16, 130);
    lab_exit(B, HERE - 16, 140);
    lab_exit(D, THERE - 16, 150);
    lab_exit(A, HERE, 160);
    lab_exit(C, THERE, 170);
    assert_int_equal(LAB_NODE(A)->total_ticks, 60);
    assert_int_equal(LAB_NODE(A, B)->total_ticks, 20);
    assert_int_equal(LAB_NODE(C)->total_ticks, 60);
    assert_int_equal(LAB_NODE(C, D)->total_ticks, 20);
    assert_int_equal(lab_lost(LOST_UNMATCHED_EXITS), 0);
    assert_int_equal(stacks_in_store(), 2);
}

static void a_call_on_one_stack_makes_none_of_another_stale(void **state)
{
    open_lab();
    recorder_note_stack(OTHER_LOW, OTHER_HIGH); /* lies above this one */
    lab_enter(A, HERE, 0);
    lab_enter(B, THERE, 0);
    lab_enter(C, HERE - 16, 0);
    assert_int_equal(LAB_NODE(A)->count, 0);
    assert_int_equal(LAB_NODE(B)->count, 0);
    assert_int_equal(lab_depth(), 2);
}

static void the_kernel_tells_the_bounds_of_an_unknown_stack(void **state)
{
    open_lab();
    char *area = mmap(NULL, 6 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(area != MAP_FAILED);
    assert_int_equal(mprotect(area + PAGE, 4 * PAGE, PROT_READ | PROT_WRITE), 0);
    uintptr_t low = (uintptr_t)area + PAGE, high = low + 4 * PAGE;
    lab_enter(A, low + 2 * PAGE, 0);
    assert_bounds(low, high);
    munmap(area, 6 * PAGE);
}

static void where_nothing_is_known_a_page_is_a_stack(void **state)
{
    open_lab();
    lab_enter(A, 0x300123, 0);
    assert_bounds(0x300000, 0x301000);
}

static void the_newest_word_on_a_range_counts(void **state)
{
    open_lab();
    recorder_note_stack(0x20000000, 0x20010000);
    recorder_note_stack(0x20008000, 0x20018000);
    lab_enter(A, 0x20009000, 0);
    assert_bounds(0x20008000, 0x20018000);
    lab_enter(A, 0x20004123, 0); /* what was said of it is void */
    assert_bounds(0x20004000, 0x20005000);
}

static uintptr_t nth_stack(uint32_t i) { return OTHER_LOW + (uintptr_t)i * STRIDE; }

static void enter_on(uint32_t i)
{
    recorder_note_stack(nth_stack(i), nth_stack(i) + PAGE);
    lab_enter(A, nth_stack(i) + 64, 0);
}

static void beyond_the_most_the_one_idle_longest_is_dropped(void **state)
{
    open_lab();
    lab_enter(B, HERE, 0);
    for (uint32_t i = 0; i < STACKS_MOST - 1; i++) enter_on(i);
    assert_int_equal(lab_lost(LOST_STACKS_DROPPED), 0);
    assert_int_equal(LAB_NODE(A)->count, 0);
    lab_enter(C, nth_stack(0) + 48, 0); /* now number 1 is the oldest */
    enter_on(STACKS_MOST);
    assert_int_equal(lab_lost(LOST_STACKS_DROPPED), 1);
    assert_int_equal(LAB_NODE(A)->count, 1); /* its call has ended */
    assert_int_equal(stacks_in_store(), STACKS_MOST);
    assert_bounds(nth_stack(STACKS_MOST), nth_stack(STACKS_MOST) + PAGE);
    lab_exit(C, nth_stack(0) + 48, 0);
    lab_exit(A, nth_stack(2) + 64, 0);
    lab_exit(B, HERE, 0); /* the thread's own is never dropped */
    assert_int_equal(lab_lost(LOST_UNMATCHED_EXITS), 0);
    lab_exit(A, nth_stack(1) + 64, 0);
    assert_int_equal(lab_lost(LOST_UNMATCHED_EXITS), 1);
}

static void dropping_an_empty_stack_loses_nothing(void **state)
{
    open_lab();
    for (uint32_t i = 0; i < 3 * STACKS_MOST; i++) {
        enter_on(i);
        lab_exit(A, nth_stack(i) + 64, UINT64_MAX / 2);
    }
    assert_int_equal(lab_lost(LOST_STACKS_DROPPED), 0);
    assert_int_equal(LAB_NODE(A)->count, 3 * STACKS_MOST);
    assert_int_equal(stacks_in_store(), STACKS_MOST);
}

static void enter_deep(uint32_t calls)
{
    for (uint32_t i = 0; i < calls; i++) lab_enter(A, HERE - 0x1000 - i * 16, i);
}

static void exit_deep(uint32_t calls)
{
    for (uint32_t i = calls; i > 0; i--) lab_exit(A, HERE - 0x1000 - (i - 1) * 16, 10000);
}

static void frames_grow_and_keep_their_calls(void **state)
{
    enum { DEEP = 3000 };
    open_lab();
    enter_deep(DEEP);
    const struct store_frame *frames = lab_at(lab.block, lab.block->stack->frames);
    assert_int_equal(lab_depth(), DEEP);
    assert_int_equal((uintptr_t)frames % 64, 0);
    store_ref parent = lab.block->recorder->root;
    for (uint32_t i = 0; i < DEEP; i++) {
        assert_int_equal(frames[i + 1].start_ticks, i);
        assert_int_equal(frames[i + 1].sp, HERE - 0x1000 - i * 16);
        const struct store_node *node = lab_at(lab.block, frames[i + 1].node);
        assert_int_equal(node->parent, parent);
        parent = frames[i + 1].node;
    }
    exit_deep(DEEP);
    assert_int_equal(lab_depth(), 0);
    assert_int_equal(lab_lost(LOST_UNMATCHED_EXITS), 0);
}

static void frames_grow_no_further_than_the_depth_limit(void **state)
{
    static const uint32_t limits[] = {16, 127, 128, 1000};
    for (int i = 0; i < 4; i++) {
        lab_open((struct recorder_options){.max_depth = limits[i]});
        recorder_note_stack(OTHER_LOW, OTHER_HIGH);
        assert_true(control_begin(lab.block, HERE));
        while (stacks_grow(lab.block)) {
        }
        assert_int_equal(lab.block->stack->capacity, limits[i] + 1); /* and the floor */
        stacks_switch(lab.block, THERE);
        while (stacks_grow(lab.block)) {
        }
        assert_int_equal(lab.block->stack->capacity, limits[i] + 1);
        control_end(lab.block);
        lab_close(state);
    }
}

/* What the straight line of enter does after its look at the top. */
static void finish_enter(struct store_frame *top, store_ref node, uintptr_t sp, uint64_t start)
{
    lab.block->top = top + 1;
    top[1].node = node;
    top[1].start_ticks = start;
    top[1].near = 0;
    top[1].expected = top[1].expected_address = 0;
    top[1].sp = sp;
}

/* An enter of B below A is interrupted when it has looked at the top; a handler makes the frames
 * move; the enter goes on in the old ones. */
static void interrupted_enter(uint32_t handler_depth)
{
    open_lab();
    lab_enter(A, HERE, 0);
    lab_enter(B, HERE - 16, 10);
    lab_exit(B, HERE - 16, 15);
    store_ref node = tree_child(lab.block, lab.block->top->node, B);
    struct store_frame *top = lab.block->top;
    store_ref before = lab.block->stack->frames;
    enter_deep(handler_depth);
    exit_deep(handler_depth);
    assert_int_not_equal(lab.block->stack->frames, before);
    finish_enter(top, node, HERE - 16, 100);
}

static void a_call_that_was_opened_in_the_old_frames_is_there(void **state)
{
    static const uint32_t depths[] = {200, 300, 2000};
    for (int i = 0; i < 3; i++) {
        interrupted_enter(depths[i]);
        lab_enter(C, HERE - 32, 110);
        assert_int_equal(lab_depth(), 3);
        lab_exit(C, HERE - 32, 130);
        lab_exit(B, HERE - 16, 150);
        lab_exit(A, HERE, 1000);
        assert_int_equal(LAB_NODE(A, B, C)->total_ticks, 20);
        assert_int_equal(LAB_NODE(A, B)->count, 2);
        assert_int_equal(LAB_NODE(A, B)->total_ticks, 5 + 50);
        assert_int_equal(LAB_NODE(A)->count, 1);
        assert_int_equal(lab_lost(LOST_UNMATCHED_EXITS), 0);
        lab_close(state);
    }
}

static void its_exit_may_come_first(void **state)
{
    interrupted_enter(200);
    lab_exit(B, HERE - 16, 150);
    assert_int_equal(LAB_NODE(A, B)->total_ticks, 5 + 50);
    assert_int_equal(lab_depth(), 1);
    lab_enter(C, HERE - 16, 160);
    assert_non_null(LAB_NODE(A, C));
}

static void a_call_that_was_closed_in_the_old_frames_is_gone(void **state)
{
    open_lab();
    lab_enter(A, HERE, 0);
    lab_enter(B, HERE - 16, 10);
    struct store_frame *frame = lab.block->top; /* an exit looks at it, and is interrupted */
    enter_deep(200);
    exit_deep(200);
    frame->sp = 0;
    lab.block->top = frame - 1;
    lab_enter(C, HERE - 16, 20);
    assert_int_equal(lab_depth(), 2);
    assert_non_null(LAB_NODE(A, C));
    lab_exit(C, HERE - 16, 30);
    lab_exit(A, HERE, 40);
    assert_int_equal(LAB_NODE(A)->total_ticks, 40);
    assert_int_equal(LAB_NODE(A, B)->count, 0); /* counting it is the interrupted exit's */
    assert_int_equal(lab_lost(LOST_UNMATCHED_EXITS), 0);
}

static void it_is_gone_after_a_visit_to_another_stack_too(void **state)
{
    open_lab();
    recorder_note_stack(OTHER_LOW, OTHER_HIGH);
    lab_enter(A, HERE, 0);
    lab_enter(B, HERE - 16, 10);
    struct store_frame *frame = lab.block->top;
    enter_deep(200);
    exit_deep(200);
    frame->sp = 0;
    lab.block->top = frame - 1;
    lab_enter(C, THERE, 20);
    lab_enter(D, HERE - 16, 30);
    assert_int_equal(lab_depth(), 2);
    assert_non_null(LAB_NODE(A, D));
}

static void a_handler_on_another_stack_may_leave_us_there(void **state)
{
    open_lab();
    recorder_note_stack(OTHER_LOW, OTHER_HIGH);
    lab_enter(A, HERE, 0);
    lab_enter(B, HERE - 16, 0);
    lab_exit(B, HERE - 16, 5);
    store_ref node = tree_child(lab.block, lab.block->top->node, B);
    struct store_frame *top = lab.block->top;
    lab_enter(C, THERE, 10);
    lab_exit(C, THERE, 20);
    finish_enter(top, node, HERE - 16, 30);
    lab_exit(B, HERE - 16, 40);
    lab_exit(A, HERE, 50);
    assert_int_equal(LAB_NODE(A, B)->total_ticks, 5 + 10);
    assert_int_equal(LAB_NODE(A)->total_ticks, 50);
    assert_int_equal(lab_lost(LOST_UNMATCHED_EXITS), 0);
}

static void all_calls_of_all_stacks_end_with_the_thread(void **state)
{
    open_lab();
    recorder_note_stack(OTHER_LOW, OTHER_HIGH);
    lab_enter(A, HERE, 0);
    lab_enter(B, HERE - 16, 0);
    lab_enter(C, THERE, 0);
    assert_true(control_begin(lab.block, HERE));
    stacks_close_all(lab.block);
    control_end(lab.block);
    assert_int_equal(LAB_NODE(A)->count, 1);
    assert_int_equal(LAB_NODE(A, B)->count, 1);
    assert_int_equal(LAB_NODE(C)->count, 1);
    assert_bounds(LAB_LOW, LAB_HIGH);
}

static void a_successor_finds_the_stack_empty_and_at_its_place(void **state)
{
    open_lab();
    recorder_note_stack(OTHER_LOW, OTHER_HIGH);
    lab_enter(A, HERE, 0);
    lab_enter(C, THERE, 0);
    assert_true(control_begin(lab.block, HERE));
    stacks_reuse(lab.block, 0x400000, 0x500000);
    control_end(lab.block);
    assert_bounds(0x400000, 0x500000);
    assert_int_equal(lab_depth(), 0);
    assert_int_equal(LAB_NODE(A)->count, 1);
    lab_enter(B, 0x4f0000, 0);
    assert_non_null(LAB_NODE(B));
}

static void open_calls_forget_to_expect_unloaded_code(void **state)
{
    open_lab();
    recorder_note_stack(OTHER_LOW, OTHER_HIGH);
    lab_enter(A, HERE, 0);
    struct store_frame *first = lab.block->top;
    lab_enter(A, THERE, 0);
    struct store_frame *second = lab.block->top;
    lab_enter(B, THERE - 16, 0);
    struct store_frame *third = lab.block->top;
    first->expected_address = B;
    second->expected_address = C - 1;
    third->expected_address = C;
    stacks_forget(lab.block, B, C);
    assert_int_equal(first->expected_address, 0);
    assert_int_equal(second->expected_address, 0);
    assert_int_equal(third->expected_address, C);
}

static void without_memory_a_call_elsewhere_stays_on_the_stack_in_use(void **state)
{
    open_lab();
    lab_enter(A, HERE, 0);
    lab_exit(A, HERE, 5);
    recorder_note_stack(OTHER_LOW, OTHER_HIGH);
    lab_exhaust();
    assert_true(control_begin(lab.block, THERE));
    stacks_switch(lab.block, THERE);
    assert_false(stacks_grow(lab.block) && stacks_grow(lab.block));
    control_end(lab.block);
    assert_bounds(LAB_LOW, LAB_HIGH);
    assert_int_equal(stacks_in_store(), 1);
}

/* A fiber's stack within the thread's own, and where the thread is below and above it. */
enum { FIBER_LOW = LAB_LOW + 0x4000, FIBER_HIGH = LAB_LOW + 0x8000, FIBER = FIBER_HIGH - 0x100 };
enum { BELOW = LAB_LOW + 0x2000 };

static void set_fiber(uintptr_t low, uintptr_t high, uintptr_t sp)
{
    assert_true(control_begin(lab.block, sp));
    assert_int_equal(stacks_set_fiber(lab.block, low, high, sp), 0);
    control_end(lab.block);
}

static void a_fiber_within_a_stack_has_frames_of_its_own(void **state)
{
    open_lab();
    lab_enter(A, HERE, 0);
    set_fiber(FIBER_LOW, FIBER_HIGH, HERE);
    assert_int_equal(lab.block->stack_low,
                     FIBER_HIGH); /* what the straight line may take for own */
    lab_enter(B, FIBER, 10);
    assert_bounds(FIBER_LOW, FIBER_HIGH);
    lab_enter(C, BELOW, 20); /* the thread's own stack reaches around the fiber's */
    assert_int_equal(lab.block->stack_low, LAB_LOW);
    assert_int_equal(lab.block->stack_bytes, FIBER_LOW - LAB_LOW);
    lab_exit(B, FIBER, 30);
    set_fiber(0, 0, BELOW);
    assert_bounds(LAB_LOW, LAB_HIGH);
    lab_exit(C, BELOW, 40), lab_exit(A, HERE, 50);
    assert_int_equal(LAB_NODE(B)->total_ticks, 20);
    assert_int_equal(LAB_NODE(A, C)->total_ticks, 20);
    assert_int_equal(lab_lost(LOST_UNMATCHED_EXITS), 0);
}

static void a_fiber_comes_back_to_its_open_calls(void **state)
{
    open_lab();
    set_fiber(FIBER_LOW, FIBER_HIGH, HERE);
    lab_enter(A, FIBER, 0);
    set_fiber(0, 0, FIBER); /* before it switches */
    lab_enter(B, FIBER - 16, 10);
    assert_non_null(LAB_NODE(A, B));
    lab_enter(C, HERE, 20);
    lab_enter(D, FIBER, 30); /* the fiber's memory is of other use while it is not on */
    assert_non_null(LAB_NODE(C, D));
    lab_exit(D, FIBER, 35), lab_exit(C, HERE, 40);
    set_fiber(FIBER_LOW, FIBER_HIGH, FIBER - 32); /* after it has switched */
    assert_int_equal(lab_depth(), 2);
    assert_int_equal(stacks_in_store(), 2);
}

static void another_fiber_at_a_place_ends_the_calls_of_the_former(void **state)
{
    open_lab();
    set_fiber(FIBER_LOW, FIBER_HIGH, HERE);
    lab_enter(A, FIBER, 0);
    set_fiber(FIBER_LOW + 0x1000, FIBER_HIGH + 0x1000, HERE);
    assert_int_equal(LAB_NODE(A)->count, 1);
    lab_enter(B, FIBER, 10);
    assert_bounds(FIBER_LOW + 0x1000, FIBER_HIGH + 0x1000);
    set_fiber(OTHER_LOW, OTHER_LOW + 0x4000, HERE);
    set_fiber(0, 0, HERE);
    recorder_note_stack(OTHER_LOW, OTHER_HIGH); /* a coroutine's now */
    lab_enter(C, OTHER_LOW + 0x100, 20);
    assert_bounds(OTHER_LOW, OTHER_HIGH);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        LAB_CASE(a_thread_begins_on_its_own_stack),
        LAB_CASE(another_stack_has_frames_of_its_own),
        LAB_CASE(switching_back_goes_on_where_it_was_left),
        LAB_CASE(a_call_on_one_stack_makes_none_of_another_stale),
        LAB_CASE(the_kernel_tells_the_bounds_of_an_unknown_stack),
        LAB_CASE(where_nothing_is_known_a_page_is_a_stack),
        LAB_CASE(the_newest_word_on_a_range_counts),
        LAB_CASE(beyond_the_most_the_one_idle_longest_is_dropped),
        LAB_CASE(dropping_an_empty_stack_loses_nothing),
        LAB_CASE(frames_grow_and_keep_their_calls),
        LAB_CASE(frames_grow_no_further_than_the_depth_limit),
        LAB_CASE(a_call_that_was_opened_in_the_old_frames_is_there),
        LAB_CASE(its_exit_may_come_first),
        LAB_CASE(a_call_that_was_closed_in_the_old_frames_is_gone),
        LAB_CASE(it_is_gone_after_a_visit_to_another_stack_too),
        LAB_CASE(a_handler_on_another_stack_may_leave_us_there),
        LAB_CASE(all_calls_of_all_stacks_end_with_the_thread),
        LAB_CASE(a_successor_finds_the_stack_empty_and_at_its_place),
        LAB_CASE(open_calls_forget_to_expect_unloaded_code),
        LAB_CASE(without_memory_a_call_elsewhere_stays_on_the_stack_in_use),
        LAB_CASE(a_fiber_within_a_stack_has_frames_of_its_own),
        LAB_CASE(a_fiber_comes_back_to_its_open_calls),
        LAB_CASE(another_fiber_at_a_place_ends_the_calls_of_the_former),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

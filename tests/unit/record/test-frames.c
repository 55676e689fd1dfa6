/* SPDX-License-Identifier: MIT
 *
 * The rules of enter and exit with made-up stacks and clocks, beside a model of a few lines that
 * knows nothing of nodes and tables. */
#include "record/frames.h"

#include "lab.h"
#include "program.h"

#include "record/tree.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { A = 0xa000, B = 0xb000, C = 0xc000, D = 0xd000, SP = LAB_HIGH - 0x1000 };

static void open_lab(void) { lab_open((struct recorder_options){0}); }

static void nested_calls_have_their_nodes_counts_and_times(void **state)
{
    open_lab();
    lab_enter(A, SP, 100);
    lab_enter(B, SP - 16, 110);
    lab_exit(B, SP - 16, 115);
    lab_enter(B, SP - 16, 120);
    lab_enter(C, SP - 32, 130);
    lab_exit(C, SP - 32, 150);
    lab_exit(B, SP - 16, 170);
    lab_enter(C, SP - 16, 180);
    lab_exit(C, SP - 16, 181);
    lab_exit(A, SP, 200);
    const struct store_node *b = LAB_NODE(A, B);
    assert_int_equal(b->count, 2);
    assert_int_equal(b->total_ticks, 55);
    assert_int_equal(b->min_ticks, 5);
    assert_int_equal(b->max_ticks, 50);
    assert_int_equal(LAB_NODE(A)->total_ticks, 100);
    assert_int_equal(LAB_NODE(A, B, C)->total_ticks, 20);
    assert_int_equal(LAB_NODE(A, C)->total_ticks, 1);
    assert_int_equal(lab.block->recorder->node_count, 5); /* the root too */
    assert_int_equal(lab_histogram_sum(lab.block, lab_function(lab.block, C)), 2);
    assert_int_equal(lab_bucket(lab.block, lab_function(lab.block, C), lab_bucket_of(20)), 1);
    assert_int_equal(lab_depth(), 0);
}

static void recursion_has_a_node_for_each_depth(void **state)
{
    open_lab();
    for (uint64_t i = 0; i < 3; i++) lab_enter(A, SP - i * 16, i);
    for (uint64_t i = 3; i > 0; i--) lab_exit(A, SP - (i - 1) * 16, 10 + 3 - i);
    assert_int_equal(LAB_NODE(A)->total_ticks, 12);
    assert_int_equal(LAB_NODE(A, A)->total_ticks, 10);
    assert_int_equal(LAB_NODE(A, A, A)->total_ticks, 8);
    assert_null(lab_nth_function(lab.block, 1));
}

static void frames_strictly_below_a_new_call_are_stale(void **state)
{
    open_lab();
    lab_enter(A, SP, 0);
    lab_enter(B, SP - 16, 0);
    lab_enter(C, SP - 32, 0);
    lab_enter(D, SP - 15, 0); /* a longjmp left B and C */
    assert_int_equal(LAB_NODE(A, B)->count, 1);
    assert_int_equal(LAB_NODE(A, B, C)->count, 1);
    assert_int_equal(LAB_NODE(A)->count, 0);
    assert_non_null(LAB_NODE(A, D));
    assert_int_equal(lab_depth(), 2);
    lab_exit(D, SP - 15, 100);
    lab_exit(A, SP, 100);
    assert_int_equal(lab_lost(LOST_UNMATCHED_EXITS), 0);
}

static void an_equal_stack_address_is_not_stale(void **state)
{
    open_lab();
    lab_enter(A, SP, 0);
    lab_enter(B, SP, 0); /* inlined into A */
    lab_enter(C, SP, 0);
    assert_non_null(LAB_NODE(A, B, C));
    lab_exit(C, SP, 10);
    lab_exit(B, SP, 20);
    lab_exit(A, SP, 30);
    assert_int_equal(LAB_NODE(A)->total_ticks, 30);
}

static void an_exit_closes_what_stands_above(void **state)
{
    open_lab();
    lab_enter(A, SP, 0);
    lab_enter(B, SP - 16, 10);
    lab_enter(C, SP - 32, 20);
    lab_exit(A, SP, 100); /* an exception that ran no exit hooks */
    assert_int_equal(LAB_NODE(A, B, C)->total_ticks, 80);
    assert_int_equal(LAB_NODE(A, B)->total_ticks, 90);
    assert_int_equal(LAB_NODE(A)->total_ticks, 100);
    assert_int_equal(lab_depth(), 0);
}

static void an_exit_is_that_of_the_newest_call_of_its_function(void **state)
{
    open_lab();
    lab_enter(A, SP, 0);
    lab_enter(B, SP - 16, 0);
    lab_enter(A, SP - 32, 0);
    lab_exit(A, SP + 64, 7); /* a tail-jump: its frame is gone, its address says nothing */
    assert_int_equal(LAB_NODE(A, B, A)->count, 1);
    assert_int_equal(LAB_NODE(A)->count, 0);
    assert_int_equal(lab_depth(), 2);
}

static void an_exit_without_its_call_is_counted_and_closes_nothing(void **state)
{
    open_lab();
    lab_exit(A, SP, 0);
    lab_enter(A, SP, 0);
    lab_exit(B, SP - 16, 5);
    assert_int_equal(lab_lost(LOST_UNMATCHED_EXITS), 2);
    assert_int_equal(lab_depth(), 1);
    assert_int_equal(LAB_NODE(A)->count, 0);
}

static void a_time_that_runs_backwards_is_zero_and_counted(void **state)
{
    open_lab();
    lab_enter(A, SP, 1000);
    lab_exit(A, SP, 999);
    assert_int_equal(lab_lost(LOST_NEGATIVE_TIMES), 1);
    assert_int_equal(LAB_NODE(A)->count, 1);
    assert_int_equal(LAB_NODE(A)->total_ticks, 0);
    assert_int_equal(LAB_NODE(A)->max_ticks, 0);
    assert_int_equal(lab_bucket(lab.block, lab_function(lab.block, A), 0), 1);
}

static void beyond_the_depth_limit_calls_are_lost_in_balance(void **state)
{
    enum { LIMIT = 20, BEYOND = 7 };
    lab_open((struct recorder_options){.max_depth = LIMIT});
    for (int round = 0; round < 3; round++) {
        uint64_t i = 0;
        for (; i < LIMIT + BEYOND; i++) lab_enter(A + i % 3, SP - i * 16, i);
        assert_int_equal(lab_depth(), LIMIT);
        while (i-- > 0) lab_exit(A + i % 3, SP - i * 16, 1000);
        assert_int_equal(lab_depth(), 0);
    }
    assert_int_equal(lab_lost(LOST_CALLS_TOO_DEEP), 3 * BEYOND);
    assert_int_equal(lab_lost(LOST_UNMATCHED_EXITS), 0);
    assert_int_equal(lab.block->recorder->node_count, LIMIT + 1);
    assert_int_equal(LAB_NODE(A)->count, 3);
    assert_int_equal(LAB_NODE(A, A + 1, A + 2)->total_ticks, 3 * 998);
}

static void a_longjmp_out_of_the_lost_depth_ends_it(void **state)
{
    enum { LIMIT = 20 };
    lab_open((struct recorder_options){.max_depth = LIMIT});
    for (uint64_t i = 0; i < LIMIT + 5; i++) lab_enter(A, SP - i * 16, i);
    lab_enter(B, SP - 16, 0); /* everything below the second call is gone */
    assert_int_equal(lab_depth(), 3);
    assert_non_null(LAB_NODE(A, A, B));
    lab_exit(B, SP - 16, 1);
    lab_exit(A, SP - 16, 1);
    lab_exit(A, SP, 1);
    assert_int_equal(lab_depth(), 0);
    assert_int_equal(lab_lost(LOST_UNMATCHED_EXITS), 0);
}

/* The jump itself is told of: what comes next may stand where the lost ones stood. */
static void arriving_further_out_ends_the_lost_depth_and_what_is_open_below(void **state)
{
    enum { LIMIT = 4 };
    lab_open((struct recorder_options){.max_depth = LIMIT});
    for (uint64_t i = 0; i < LIMIT + 2; i++) lab_enter(A + i, SP - i * 16, i);
    frames_arrive(lab.block, SP - 15);
    assert_int_equal(lab_depth(), 1);
    lab_enter(B, SP - 16, 5);
    lab_exit(B, SP - 16, 6);
    lab_exit(A, SP, 10);
    assert_int_equal(LAB_NODE(A, B)->count, 1);
    assert_int_equal(LAB_NODE(A)->total_ticks, 10);
    assert_int_equal(LAB_NODE(A, A + 1)->count, 1);
    assert_int_equal(lab_lost(LOST_UNMATCHED_EXITS), 0);
    assert_int_equal(lab_depth(), 0);
}

/* The next event is the end of the call that caught it. */
static void an_exit_after_a_longjmp_out_of_the_lost_depth_is_its_own(void **state)
{
    enum { LIMIT = 4 };
    lab_open((struct recorder_options){.max_depth = LIMIT});
    for (int is_outer = 0; is_outer < 2; is_outer++) {
        for (uint64_t i = 0; i < LIMIT; i++) lab_enter(A + i, SP - i * 16, i);
        for (uint64_t i = 4; i < 6; i++) lab_enter(B, SP - i * 16, i);
        if (!is_outer) lab_exit(A + 3, SP - 48, 10);
        for (uint64_t i = 3; i-- > 0;) lab_exit(A + i, SP - i * 16, 13 - i);
    }
    assert_int_equal(LAB_NODE(A, A + 1, A + 2)->count, 2);
    assert_int_equal(LAB_NODE(A)->total_ticks, 2 * 13);
    assert_int_equal(lab_lost(LOST_UNMATCHED_EXITS), 0);
}

/* The tail-jump of a lost call to the exit hook comes from where its caller stood. */
static void a_lost_calls_tail_jump_at_its_callers_height_is_a_lost_exit(void **state)
{
    enum { LIMIT = 3 };
    static const uint64_t lost[] = {B, A + 2}; /* another function, and recursion */
    lab_open((struct recorder_options){.max_depth = LIMIT});
    for (size_t k = 0; k < 2; k++) {
        for (uint64_t i = 0; i < LIMIT; i++) lab_enter(A + i, SP - i * 16, i);
        lab_enter(lost[k], SP - 48, 5);
        lab_exit(lost[k], SP - 32, 6);
        assert_int_equal(lab_depth(), LIMIT);
        for (uint64_t i = LIMIT; i-- > 0;) lab_exit(A + i, SP - i * 16, 10);
        assert_int_equal(lab_depth(), 0);
    }
    assert_int_equal(LAB_NODE(A, A + 1, A + 2)->total_ticks, 2 * 8);
}

static void without_memory_calls_are_lost_in_balance(void **state)
{
    open_lab();
    lab_enter(A, SP, 0);
    lab_exhaust();
    uint64_t i = 1;
    while (!lab_lost(LOST_CALLS_NO_MEMORY) && i < 10000) {
        lab_enter(B + i * 16, SP - i * 16, 0);
        i++;
    }
    lab_enter(C, SP - i * 16, 0);
    lab_enter(B + 16, SP - (i + 1) * 16, 0);
    lab_exit(B + 16, SP - (i + 1) * 16, 5);
    lab_exit(C, SP - i * 16, 5);
    while (--i > 0) lab_exit(B + i * 16, SP - i * 16, 10);
    lab_exit(A, SP, 20);
    assert_int_equal(LAB_NODE(A)->total_ticks, 20);
    assert_int_equal(lab_depth(), 0);
    assert_int_equal(lab_lost(LOST_UNMATCHED_EXITS), 0);
    assert_int_equal(lab_lost(LOST_CALLS_NO_MEMORY) + lab_lost(LOST_CALLS_TOO_DEEP), 3);
}

static void an_unfinished_frame_is_stepped_over(void **state)
{
    open_lab();
    lab_enter(A, SP, 0);
    struct store_frame *claimed = ++lab.block->top; /* a hook that we interrupted has got so far */
    lab_enter(B, SP - 64, 10);
    lab_enter(C, SP - 80, 20);
    lab_exit(C, SP - 80, 30);
    lab_exit(B, SP - 64, 40);
    assert_non_null(LAB_NODE(A, B, C));
    assert_ptr_equal(lab.block->top, claimed);
    claimed->node = tree_child(lab.block, claimed[-1].node, D);
    claimed->start_ticks = 5;
    claimed->sp = SP - 16;
    lab_exit(D, SP - 16, 50);
    lab_exit(A, SP, 60);
    assert_int_equal(LAB_NODE(A, D)->total_ticks, 45);
    assert_int_equal(LAB_NODE(A)->total_ticks, 60);
}

static void an_unfinished_frame_ends_with_what_it_stands_on(void **state)
{
    open_lab();
    lab_enter(A, SP, 0);
    lab_enter(B, SP - 16, 0);
    lab_exit(B, SP - 16, 5); /* leaves its node in the slot */
    lab.block->top++;
    lab_exit(A, SP, 10);
    assert_int_equal(lab_depth(), 0);
    assert_int_equal(LAB_NODE(A)->count, 1);
    assert_int_equal(LAB_NODE(A, B)->count, 1);
}

static void check_program(uint32_t max_nodes, uint32_t seed)
{
    struct program program = {.seed = seed, .calls_left = 20000};
    struct program_sums sums[PROGRAM_FUNCTIONS] = {{0}};
    lab_open((struct recorder_options){.max_nodes = max_nodes});
    program_run(&program);
    program_read(lab.block, sums);
    program_assert(lab.block, sums, program.sums);
    assert_int_equal(lab_depth(), 0);
}

static void a_whole_tree_has_the_sums_of_the_program(void **state)
{
    check_program(1 << 20, 1);
    assert_int_equal(lab_lost(LOST_CONTEXTS_FOLDED), 0);
}

static void a_folded_tree_has_the_same_sums_and_counts_nested_time_once(void **state)
{
    static const uint32_t limits[] = {1, 2, 9, 16, 50, 300, 2000};
    for (uint32_t i = 0; i < 7; i++) {
        check_program(limits[i], i + 2);
        assert_true(lab_lost(LOST_CONTEXTS_FOLDED) > 0);
        assert_true(lab.block->recorder->node_count <= limits[i] + 1 + PROGRAM_FUNCTIONS);
        lab_close(state);
    }
}

static void folded_calls_left_by_longjmp_are_no_longer_active(void **state)
{
    lab_open((struct recorder_options){.max_nodes = 2});
    lab_enter(A, SP, 0);
    lab_enter(B, SP - 16, 0);
    lab_enter(B, SP - 32, 0);
    lab_enter(C, SP - 48, 0);
    lab_enter(D, SP - 16 + 1, 10);
    lab_exit(D, SP - 16 + 1, 15);
    const struct store_folded *b = lab_at(lab.block, lab_function(lab.block, B)->folded);
    assert_int_equal(b->active, 0);
    lab_enter(B, SP - 16, 20);
    uint64_t nested = b->nested_ticks;
    lab_exit(B, SP - 16, 30);
    assert_int_equal(b->nested_ticks, nested);
    assert_int_equal(lab_folded(lab.block, B)->count, 3);
}

/* Deep in a recursion that has used up the nodes, and on every level of the way back: each of these
 * calls would take as long as the stack is deep, all together minutes, were its path walked. */
static void folded_calls_cost_the_same_however_deep_they_are(void **state)
{
    enum { DEPTH = 100000, CALLS = 20 };
    uint64_t now = 0;
    lab_open((struct recorder_options){.max_nodes = DEPTH + 1});
    for (uint32_t i = 1; i <= DEPTH; i++) lab_enter(A, SP - 8 * i, now);
    assert_int_equal(lab_lost(LOST_CONTEXTS_FOLDED), 0);
    for (uint32_t i = DEPTH; i > 0; i--) {
        for (uint32_t k = 0; k < CALLS; k++, now += 10) {
            lab_enter(B, SP - 8 * i - 2, now);
            lab_enter(A, SP - 8 * i - 4, now + 1);
            lab_exit(A, SP - 8 * i - 4, now + 3);
            lab_exit(B, SP - 8 * i - 2, now + 4);
        }
        lab_exit(A, SP - 8 * i, now);
    }
    const struct store_folded *a = lab_at(lab.block, lab_function(lab.block, A)->folded);
    const struct store_folded *b = lab_at(lab.block, lab_function(lab.block, B)->folded);
    assert_int_equal(lab_folded(lab.block, A)->total_ticks, 2 * DEPTH * CALLS);
    assert_int_equal(a->nested_ticks, 2 * DEPTH * CALLS);
    assert_int_equal(lab_folded(lab.block, B)->total_ticks, 4 * DEPTH * CALLS);
    assert_int_equal(b->nested_ticks, 0);
    lab_enter(A, SP, now);
    lab_enter(C, SP - 2, now + 1);
    lab_exit(C, SP - 2, now + 5);
    lab_exit(A, SP, now + 6);
    assert_int_equal(a->nested_ticks, 2 * DEPTH * CALLS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        LAB_CASE(nested_calls_have_their_nodes_counts_and_times),
        LAB_CASE(recursion_has_a_node_for_each_depth),
        LAB_CASE(frames_strictly_below_a_new_call_are_stale),
        LAB_CASE(an_equal_stack_address_is_not_stale),
        LAB_CASE(an_exit_closes_what_stands_above),
        LAB_CASE(an_exit_is_that_of_the_newest_call_of_its_function),
        LAB_CASE(an_exit_without_its_call_is_counted_and_closes_nothing),
        LAB_CASE(a_time_that_runs_backwards_is_zero_and_counted),
        LAB_CASE(beyond_the_depth_limit_calls_are_lost_in_balance),
        LAB_CASE(a_longjmp_out_of_the_lost_depth_ends_it),
        LAB_CASE(arriving_further_out_ends_the_lost_depth_and_what_is_open_below),
        LAB_CASE(an_exit_after_a_longjmp_out_of_the_lost_depth_is_its_own),
        LAB_CASE(a_lost_calls_tail_jump_at_its_callers_height_is_a_lost_exit),
        LAB_CASE(without_memory_calls_are_lost_in_balance),
        LAB_CASE(an_unfinished_frame_is_stepped_over),
        LAB_CASE(an_unfinished_frame_ends_with_what_it_stands_on),
        LAB_CASE(a_whole_tree_has_the_sums_of_the_program),
        LAB_CASE(a_folded_tree_has_the_same_sums_and_counts_nested_time_once),
        LAB_CASE(folded_calls_left_by_longjmp_are_no_longer_active),
        LAB_CASE(folded_calls_cost_the_same_however_deep_they_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

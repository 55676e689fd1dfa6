/* SPDX-License-Identifier: MIT
 *
 * Calls past the depth limit, or past the memory: lost in balance, whatever leaves them. */
#include "record/frames.h"

#include "lab.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { A = 0xa000, B = 0xb000, C = 0xc000, SP = LAB_HIGH - 0x1000 };

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

/* The next event is the end of the call that caught it. */
static void an_exit_after_a_longjmp_out_of_the_lost_depth_is_its_own(void **state)
{
    enum { LIMIT = 4 };
    lab_open((struct recorder_options){.max_depth = LIMIT});
    for (int is_further_out = 0; is_further_out < 2; is_further_out++) {
        for (uint64_t i = 0; i < LIMIT; i++) lab_enter(A + i, SP - i * 16, i);
        lab_enter(B, SP - 64, 5);
        lab_enter(C, SP - 80, 6);
        if (!is_further_out) lab_exit(A + 3, SP - 48, 10);
        lab_exit(A + 2, SP - 32, 11);
        assert_int_equal(lab_depth(), 2);
        lab_exit(A + 1, SP - 16, 12);
        lab_exit(A, SP, 13);
        assert_int_equal(lab_depth(), 0);
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
    assert_int_equal(lab_lost(LOST_UNMATCHED_EXITS), 0);
}

static void without_memory_calls_are_lost_in_balance(void **state)
{
    lab_open((struct recorder_options){0});
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        LAB_CASE(beyond_the_depth_limit_calls_are_lost_in_balance),
        LAB_CASE(a_longjmp_out_of_the_lost_depth_ends_it),
        LAB_CASE(an_exit_after_a_longjmp_out_of_the_lost_depth_is_its_own),
        LAB_CASE(a_lost_calls_tail_jump_at_its_callers_height_is_a_lost_exit),
        LAB_CASE(without_memory_calls_are_lost_in_balance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

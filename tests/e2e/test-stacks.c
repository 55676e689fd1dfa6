/* SPDX-License-Identifier: MIT
 *
 * More stacks than threads: what is open on one must not be closed by calls on another. */
#include "cases.h"

static void ucontext_coroutines_keep_their_own_calls(void **state)
{
    struct both both;
    both_run(&both, &(struct run_spec){.target = "coroutines"});
    assert_int_equal(report_lost(both.report, "unmatched_exits"), 0);
    assert_int_equal(report_lost(both.report, "stacks_dropped"), 0);
    both_fini(&both);
}

static void stacks_switched_by_hand_keep_their_own_calls(void **state)
{
    struct both both;
    both_run(&both, &(struct run_spec){.target = "switches"});
    assert_int_equal(report_lost(both.report, "unmatched_exits"), 0);
    both_fini(&both);
}

static void a_coroutine_may_move_between_threads(void **state)
{
    struct both both;
    both_run(&both, &(struct run_spec){.target = "moving-coroutine"});
    both_fini(&both);
}

/* Where the threads' guards are of 4 KiB and libc's data are larger. */
static void a_stack_right_below_a_threads_is_another(void **state)
{
    struct both both;
    both_run(&both, &(struct run_spec){.target = "neighbour-stack"});
    assert_int_equal(report_lost(both.report, "unmatched_exits"), 0);
    both_fini(&both);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ucontext_coroutines_keep_their_own_calls),
        cmocka_unit_test(stacks_switched_by_hand_keep_their_own_calls),
        cmocka_unit_test(a_coroutine_may_move_between_threads),
        cmocka_unit_test(a_stack_right_below_a_threads_is_another),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT
 *
 * What programs say for themselves through <stint/stint.h>. */
#include "cases.h"

static void stacks_that_lie_in_each_other_are_kept_apart_by_fiber_calls(void **state)
{
    struct both both;
    both_run(&both, &(struct run_spec){.target = "fibers"});
    assert_int_equal(report_lost(both.report, "unmatched_exits"), 0);
    assert_int_equal(report_lost(both.report, "stacks_dropped"), 0);
    both_fini(&both);
}

static void nothing_is_recorded_while_paused_and_all_stays_in_balance(void **state)
{
    struct both both;
    both_run(&both, &(struct run_spec){.target = "pauses"});
    assert_int_equal(report_lost(both.report, "unmatched_exits"), 0);
    both_fini(&both);
}

/* All slow: the same rules without the straight line. */
static void pauses_hold_on_the_slow_path_too(void **state)
{
    struct both both;
    both_run(&both, &(struct run_spec){.target = "pauses", .stint_env = {"STINT_CLOCK=monotonic"}});
    assert_int_equal(report_lost(both.report, "unmatched_exits"), 0);
    both_fini(&both);
}

static void threads_have_the_names_that_the_program_gave_them(void **state)
{
    struct both both;
    both_run(&both, &(struct run_spec){.target = "thread-names"});
    const char *const names[] = {"a name of more than sixty-three bytes, which is what the report",
                                 "named before its first event", "Gebäude-Nr. 2, named twice",
                                 "kernel back",
                                 "sixty-two bytes are before the umlaut that would be cut apart: "};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (report_threads(both.report, names[i]) != 1) fail_msg("no thread \"%s\"", names[i]);
    assert_int_equal(report_threads(both.report, NULL), 5);
    both_fini(&both);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stacks_that_lie_in_each_other_are_kept_apart_by_fiber_calls),
        cmocka_unit_test(nothing_is_recorded_while_paused_and_all_stays_in_balance),
        cmocka_unit_test(pauses_hold_on_the_slow_path_too),
        cmocka_unit_test(threads_have_the_names_that_the_program_gave_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

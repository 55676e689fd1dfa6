/* SPDX-License-Identifier: MIT
 *
 * Before main, and before stint's own constructor. */
#include "cases.h"

static void a_librarys_constructor_before_ours_is_counted(void **state)
{
    struct both both;
    both_run_bare(&both, &(struct run_spec){.target = "early"});
    both_check_left(&both, "profiling_results.json");
    both.report = report_load(&both.stint, "profiling_results.json", CHECK_ALL);
    check_truth(both.report, both.stint.out);
    assert_int_equal(report_threads(both.report, NULL), 2);
    both_fini(&both);
}

static void a_crash_before_main_is_reported(void **state)
{
    struct both both;
    both_run(&both, &(struct run_spec){.target = "early-crash"});
    assert_string_equal(report_ending(both.report, "signal"), "SIGSEGV");
    both_fini(&both);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_librarys_constructor_before_ours_is_counted),
        cmocka_unit_test(a_crash_before_main_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

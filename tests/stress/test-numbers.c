/* SPDX-License-Identifier: MIT
 *
 * The targets of tests/e2e with large numbers: what is lost once in ten thousand shows here. */
#include "cases.h"

static void a_hundred_thousand_short_threads(void **state)
{
    struct both both;
    both_run(&both, &(struct run_spec){.target = "short-threads", .args = {"100000"}});
    assert_true(report_threads(both.report, NULL) <= 256);
    both_fini(&both);
}

static void five_thousand_threads_at_once(void **state)
{
    struct both both;
    both_run(&both, &(struct run_spec){.target = "many-threads", .args = {"5000"}});
    assert_int_equal(report_threads(both.report, NULL), 5001);
    both_fini(&both);
}

static void ten_thousand_forks_beside_busy_threads(void **state)
{
    struct both both;
    struct run_spec spec = {.target = "forks-in-threads", .args = {"10000"}, .truth_varies = true};
    both_run_bare(&both, &spec);
    both_check_left(&both, NULL);
    both.report = report_load(&both.stint, "profiling_results.json", CHECK_ALL);
    check_truth(both.report, both.stint.out);
    const char *children = strstr(both.stint.out, "number children ");
    assert_non_null(children);
    assert_int_equal(report_others(&both.stint), atol(children + strlen("number children ")));
    both_fini(&both);
}

static void a_hundred_thousand_longjmps(void **state)
{
    struct both both;
    both_run(&both, &(struct run_spec){.target = "longjmps", .args = {"100000"}});
    both_fini(&both);
}

static void a_hundred_thousand_handlers(void **state)
{
    struct both both;
    struct run_spec spec = {.target = "timer-handler", .args = {"100000"}, .truth_varies = true};
    both_run_bare(&both, &spec);
    both.report = report_load(&both.stint, "profiling_results.json", CHECK_ALL);
    check_truth_with_lost(both.report, both.stint.out, "calls_while_busy", 0.001);
    both_fini(&both);
}

static void coroutines_that_switch_a_hundred_thousand_times(void **state)
{
    struct both both;
    both_run(&both, &(struct run_spec){.target = "coroutines", .args = {"12000"}});
    both_fini(&both);
}

static void exits_under_fire(void **state)
{
    for (int i = 0; i < 100; i++) {
        struct both both;
        both_run_bare(&both, &(struct run_spec){.target = "hammering"});
        both_check_left(&both, "profiling_results.json");
        both_fini(&both);
        both_run_bare(&both, &(struct run_spec){.target = "exit-elsewhere", .args = {"twice"}});
        both_check_left(&both, "profiling_results.json");
        both_fini(&both);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_hundred_thousand_short_threads),
        cmocka_unit_test(five_thousand_threads_at_once),
        cmocka_unit_test(ten_thousand_forks_beside_busy_threads),
        cmocka_unit_test(a_hundred_thousand_longjmps),
        cmocka_unit_test(a_hundred_thousand_handlers),
        cmocka_unit_test(coroutines_that_switch_a_hundred_thousand_times),
        cmocka_unit_test(exits_under_fire),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT
 *
 * Times, by each clock: lower bounds only, since a loaded machine may take any time more. */
#include "cases.h"

static void check_clock(const char *setting, const char *source)
{
    struct both both;
    both_run(&both, &(struct run_spec){.target = "sleeps", .env = {setting}});
    const json_t *clock = json_object_get(both.report, "clock"), *report = both.report;
    if (source) assert_string_equal(string_at(clock, "source"), source);
    assert_true(real_at(clock, "ticks_per_second") > 0);
    assert_true(real_at(clock, "error_ppm") >= 0);
    const json_t *sleeps = report_function(report, "sleeps");
    assert_true(real_at(sleeps, "Min_ms") >= 10 && real_at(sleeps, "P50_ms") >= 10);
    assert_true(real_at(sleeps, "Self_ms") >= 50);
    double calls_both = real_at(report_function(report, "calls_both"), "Total_ms");
    double parts =
        real_at(sleeps, "Total_ms") + real_at(report_function(report, "spins"), "Total_ms");
    assert_true(calls_both >= parts);
    assert_true(real_at(report_function(report, "calls_both"), "Self_ms") <=
                calls_both - parts + 1e-3);
    assert_true(real_at(json_object_get(report, "process"), "duration_ms") >= calls_both);
    assert_int_equal(report_lost(report, "negative_times"), 0);
    both_fini(&both);
}

static void sleeping_and_spinning_take_at_least_their_time(void **state)
{
    check_clock("STINT_CLOCK=auto", NULL);
}

static void by_the_counter(void **state)
{
    struct run run;
    run_target(&run, &(struct run_spec){.target = "sleeps"}, true);
    json_t *report = report_load(&run, "profiling_results.json", CHECK_ALL);
    bool has_counter = strcmp(string_at(json_object_get(report, "clock"), "source"), "monotonic");
    json_decref(report);
    run_fini(&run);
    if (has_counter)
        check_clock("STINT_CLOCK=tsc", NULL);
    else
        skip_because("no counter here");
}

static void by_the_monotonic_clock(void **state)
{
    check_clock("STINT_CLOCK=monotonic", "monotonic");
}

static void check_ticks(const json_t *report, const char *name, const char *key, double ticks)
{
    double rate = real_at(json_object_get(report, "clock"), "ticks_per_second");
    double found = real_at(report_function(report, name), key) * rate / 1000;
    if (found < ticks - 0.01 || found > ticks + 0.01)
        fail_msg("%s: %s is %.6f ticks and not %.0f", name, key, found, ticks);
}

/* Between two readings lie ten ticks, and each call reads twice: the leaf on slow paths, too, since
 * it is entered with the last reading and left with the first. */
static void every_duration_is_right_to_the_tick(void **state)
{
    struct both both;
    both_run_bare(&both, &(struct run_spec){.target = "fake-counter"});
    if (WEXITSTATUS(both.plain.status) == 77) {
        both_fini(&both);
        skip_because("the counter can't be forbidden here");
    }
    both.report = report_load(&both.stint, "profiling_results.json", CHECK_ALL);
    check_truth(both.report, both.stint.out);
    bool has_counter = !strcmp(string_at(json_object_get(both.report, "clock"), "source"), "tsc");
    if (has_counter) {
        check_ticks(both.report, "leaf", "Total_ms", 2 * 500 * 10 * (7 + 6));
        check_ticks(both.report, "leaf", "Min_ms", 10);
        check_ticks(both.report, "leaf", "Max_ms", 30);
        check_ticks(both.report, "middle", "Min_ms", 10 * (1 + 2 * 7 + 6));
        check_ticks(both.report, "outer", "Min_ms", 10 * (1 + 500 * (2 + 2 * 7 + 6)));
    }
    both_fini(&both);
    if (!has_counter) skip_because("no counter here");
}

static void the_cost_of_a_call_is_told(void **state)
{
    struct both both;
    both_run(&both, &(struct run_spec){.target = "counts"});
    const json_t *overhead = json_object_get(both.report, "overhead"), *function;
    size_t i;
    long long calls = 0;
    json_array_foreach(json_object_get(both.report, "functions"), i, function) calls +=
        integer_at(function, "Count");
    assert_int_equal(integer_at(overhead, "calls"), calls);
    assert_true(real_at(overhead, "per_call_ns") > 0);
    both_fini(&both);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sleeping_and_spinning_take_at_least_their_time),
        cmocka_unit_test(by_the_counter),
        cmocka_unit_test(by_the_monotonic_clock),
        cmocka_unit_test(every_duration_is_right_to_the_tick),
        cmocka_unit_test(the_cost_of_a_call_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

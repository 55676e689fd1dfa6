/* SPDX-License-Identifier: MIT
 *
 * Threads: how they begin, what they are called, how they end, and how many there may be. */
#include "cases.h"

static void living_and_dead_threads_are_in_the_report(void **state)
{
    struct both both;
    both_run(&both, &(struct run_spec){.target = "threads"});
    const json_t *report = both.report;
    assert_int_equal(report_threads(report, NULL), 1 + 4 + 1 + 1 + 3);
    assert_int_equal(report_threads(report, "lives"), 3);
    const json_t *lives = report_thread(report, "lives"), *dead = report_thread(report, "dies-2");
    assert_string_equal(string_at(lives, "state"), "running");
    assert_string_equal(string_at(lives, "start_routine"), "lives");
    assert_string_equal(string_at(dead, "state"), "exited");
    assert_string_equal(string_at(dead, "start_routine"), "dies");
    assert_int_equal(integer_at(dead, "generations"), 1);
    const json_t *first = json_array_get(json_object_get(report, "threads"), 0);
    assert_true(json_is_null(json_object_get(first, "start_routine")));
    assert_true(json_is_null(json_object_get(first, "parent")));
    assert_string_equal(string_at(first, "name"), "threads");
    assert_int_equal(integer_at(dead, "parent"), integer_at(first, "id"));
    both_fini(&both);
}

static void a_thread_knows_the_thread_that_started_it(void **state)
{
    struct both both;
    both_run(&both, &(struct run_spec){.target = "threads"});
    long long parent = integer_at(report_thread(both.report, "parent"), "id");
    assert_int_equal(integer_at(report_thread(both.report, "dies-7"), "parent"), parent);
    both_fini(&both);
}

static void lifetime_and_processor_time_are_told(void **state)
{
    struct both both;
    both_run(&both, &(struct run_spec){.target = "sleeps"});
    const json_t *thread = json_array_get(json_object_get(both.report, "threads"), 0);
    assert_true(real_at(thread, "lifetime_ms") >= 100);
    assert_true(real_at(thread, "cpu_ms") >= 50);
    assert_true(real_at(json_object_get(both.report, "process"), "cpu_ms") >= 50);
    assert_true(real_at(thread, "cpu_ms") <= real_at(thread, "lifetime_ms"));
    both_fini(&both);
}

static void forty_threads_blocked_at_exit_are_open_with_their_time(void **state)
{
    same_and_true("detached-blocked");
}

static void threads_that_call_on_while_main_returns_do_no_harm(void **state)
{
    struct both both;
    for (int i = 0; i < 5; i++) {
        both_run_bare(&both, &(struct run_spec){.target = "hammering"});
        both_check_left(&both, "profiling_results.json");
        both.report = report_load(&both.stint, "profiling_results.json", CHECK_RACING);
        assert_int_equal(report_calls(both.report, "hammer"), 8);
        assert_int_equal(report_open(both.report, "hammer"), 8);
        assert_int_equal(report_threads(both.report, NULL), 9);
        both_fini(&both);
    }
}

static long long generations(const json_t *report)
{
    const json_t *thread;
    size_t i;
    long long sum = 0;
    json_array_foreach(json_object_get(report, "threads"), i, thread) sum +=
        integer_at(thread, "generations");
    return sum;
}

static void later_threads_take_over_retired_recorders(void **state)
{
    struct both both;
    both_run(&both, &(struct run_spec){.target = "short-threads", .args = {"3000"}});
    assert_true(report_threads(both.report, NULL) <= 256);
    assert_int_equal(generations(both.report), 3001);
    both_fini(&both);
}

static void max_threads_bounds_the_recorders(void **state)
{
    struct both both;
    struct run_spec spec = {
        .target = "short-threads", .args = {"1000"}, .env = {"STINT_MAX_THREADS=30"}};
    both_run(&both, &spec);
    assert_true(report_threads(both.report, NULL) <= 30);
    assert_int_equal(generations(both.report), 1001);
    both_fini(&both);
}

static void threads_alive_at_once_all_have_a_row(void **state)
{
    struct both both;
    struct run_spec spec = {.target = "many-threads", .args = {"700"}};
    both_run(&both, &spec);
    assert_int_equal(report_threads(both.report, NULL), 701);
    both_fini(&both);
}

static void other_beginnings_and_ends_of_threads_are_as_without_stint(void **state)
{
    struct both both;
    both_run(&both, &(struct run_spec){.target = "thread-ways"});
    const json_t *thread;
    size_t i, by_thrd = 0;
    json_array_foreach(json_object_get(both.report, "threads"), i, thread) by_thrd +=
        !strcmp(string_at(thread, "start_routine"), "by_thrd");
    assert_int_equal(by_thrd, 1);
    both_fini(&both);
}

static void a_thread_made_by_raw_clone_is_counted(void **state) { same_and_true("raw-thread"); }

static void clangs_hooks_are_counted_by_thread(void **state)
{
    if (access(run_target_path("threads@clang"), X_OK)) skip_because("no clang");
    same_and_true("threads@clang");
}

static void a_thread_has_its_newest_name_whoever_gave_it(void **state)
{
    static const char *const names[] = {"by-creator", "by-itself", "after-calls", "dead-late",
                                        "main-renamed"};
    struct both both;
    both_run(&both, &(struct run_spec){.target = "renamed-threads"});
    assert_int_equal(report_threads(both.report, NULL), 5);
    for (size_t i = 0; i < 5; i++)
        if (report_threads(both.report, names[i]) != 1) fail_msg("no thread %s", names[i]);
    both_fini(&both);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(living_and_dead_threads_are_in_the_report),
        cmocka_unit_test(a_thread_has_its_newest_name_whoever_gave_it),
        cmocka_unit_test(a_thread_knows_the_thread_that_started_it),
        cmocka_unit_test(lifetime_and_processor_time_are_told),
        cmocka_unit_test(forty_threads_blocked_at_exit_are_open_with_their_time),
        cmocka_unit_test(threads_that_call_on_while_main_returns_do_no_harm),
        cmocka_unit_test(later_threads_take_over_retired_recorders),
        cmocka_unit_test(max_threads_bounds_the_recorders),
        cmocka_unit_test(threads_alive_at_once_all_have_a_row),
        cmocka_unit_test(other_beginnings_and_ends_of_threads_are_as_without_stint),
        cmocka_unit_test(a_thread_made_by_raw_clone_is_counted),
        cmocka_unit_test(clangs_hooks_are_counted_by_thread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT
 *
 * Counts and times of calls: what the whole is for. */
#include "cases.h"

static void every_call_is_counted(void **state) { same_and_true("counts"); }

static void every_call_is_counted_in_other_builds(void **state)
{
    static const char *const builds[] = {"counts@O0", "counts@no-pie", "counts@no-inline",
                                         "counts@lto", "counts@clang"};
    for (size_t i = 0; i < sizeof builds / sizeof *builds; i++)
        if (!access(run_target_path(builds[i]), X_OK)) same_and_true(builds[i]);
}

/* clang's other switch: what was inlined has no hooks. */
static void calls_after_inlining_are_counted(void **state)
{
    if (access(run_target_path("counts@after-inlining"), X_OK)) skip_because("no clang");
    struct both both;
    both_run_bare(&both, &(struct run_spec){.target = "counts@after-inlining"});
    both.report = report_load(&both.stint, "profiling_results.json", CHECK_ALL);
    assert_int_equal(report_calls(both.report, "inlined"), 0);
    assert_int_equal(report_calls(both.report, "leaf"), 4500);
    assert_int_equal(report_calls(both.report, "middle"), 1000);
    both_fini(&both);
}

static void halves_of_two_compilers_make_one_report(void **state)
{
    if (access(run_target_path("halves"), X_OK)) skip_because("no clang");
    same_and_true("halves");
}

static void recursion_is_counted_once(void **state)
{
    static const char *const functions[] = {"down", "even", "odd"};
    struct both both;
    both_run(&both, &(struct run_spec){.target = "recursion@O0"});
    double whole = real_at(json_object_get(both.report, "process"), "duration_ms");
    for (size_t i = 0; i < 3; i++) {
        const json_t *function = report_function(both.report, functions[i]);
        /* counted at each depth, the 20 ms would be 101, 31 or 30 times as much */
        assert_true(real_at(function, "Total_ms") <= whole);
        assert_true(real_at(function, "Total_ms") <=
                    real_at(report_function(both.report, "main"), "Total_ms"));
    }
    both_fini(&both);
}

static void tail_calls_are_counted(void **state) { same_and_true("recursion"); }

static void calls_still_open_are_counted_with_their_time_so_far(void **state)
{
    struct both both;
    both_run(&both, &(struct run_spec){.target = "still-open"});
    const json_t *thread = json_array_get(json_object_get(both.report, "threads"), 0);
    assert_int_equal(json_array_size(json_object_get(thread, "open_calls")), 5);
    long long outermost =
        json_integer_value(json_array_get(json_object_get(thread, "open_calls"), 0));
    assert_int_equal(outermost, integer_at(report_function(both.report, "main"), "id"));
    both_fini(&both);
}

static void calls_beyond_the_depth_are_counted_as_lost_and_stay_balanced(void **state)
{
    struct both both;
    struct run_spec spec = {.target = "deep", .args = {"5000"}, .env = {"STINT_MAX_DEPTH=1000"}};
    both_run_bare(&both, &spec);
    both_check_left(&both, "profiling_results.json");
    both.report = report_load(&both.stint, "profiling_results.json", CHECK_ALL);
    long long made = 5001 + 4 + 1 + 1, lost = report_lost(both.report, "calls_too_deep");
    assert_true(lost >= 5001 - 1000);
    assert_int_equal(report_calls(both.report, "deeper") + report_calls(both.report, "afterwards") +
                         report_calls(both.report, "main") + lost,
                     made);
    assert_int_equal(report_calls(both.report, "afterwards"), 1);
    assert_int_equal(report_open(both.report, "deeper"), 0);
    both_fini(&both);
}

static void unlimited_stack(void)
{
    struct rlimit all = {RLIM_INFINITY, RLIM_INFINITY};
    setrlimit(RLIMIT_STACK, &all);
}

static void recursion_two_million_deep(void **state)
{
    struct both both;
    both_run_bare(&both, &(struct run_spec){.target = "deep", .prepare = unlimited_stack});
    assert_int_equal(both.plain.status, 0);
    both_check_left(&both, "profiling_results.json");
    both.report = report_load(&both.stint, "profiling_results.json", CHECK_ALL);
    assert_int_equal(
        report_calls(both.report, "deeper") + report_lost(both.report, "calls_too_deep"), 2000004);
    assert_int_equal(report_calls(both.report, "afterwards"), 1);
    both_fini(&both);
}

static void hooks_called_out_of_pairs_do_no_harm(void **state)
{
    struct both both;
    both_run(&both, &(struct run_spec){.target = "unpaired"});
    assert_int_equal(report_lost(both.report, "unmatched_exits"), 1001);
    both_fini(&both);
}

static void errno_survives_every_hook(void **state)
{
    struct both both;
    both_run(&both, &(struct run_spec){.target = "errno-kept"});
    assert_int_equal(both.stint.status, 0);
    both_fini(&both);
}

static void a_program_that_records_nothing_makes_nothing(void **state)
{
    struct both both;
    both_run_bare(&both, &(struct run_spec){.target = "nothing"});
    both_check_left(&both, "");
    both_fini(&both);
}

static void self_times_of_each_thread_add_up_to_its_roots(void **state)
{
    struct both both;
    both_run(&both, &(struct run_spec){.target = "threads", .env = {"STINT_THREAD_TREES=1"}});
    const json_t *thread;
    size_t i;
    json_array_foreach(json_object_get(both.report, "threads"), i, thread)
    {
        assert_true(json_array_size(json_object_get(thread, "call_tree")) > 0);
    }
    both_fini(&both);
}

/* As hand-written code calls C that needs no alignment (x264's does). */
static void a_stack_that_is_not_aligned_is_endured(void **state)
{
    struct both both;
    same_and_true("misaligned");
    /* every call goes slow, and the store grows in a jump too */
    both_run(&both, &(struct run_spec){.target = "misaligned",
                                       .stint_env = {"STINT_FUNCTION_SAMPLES=100000"}});
    both_fini(&both);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stack_that_is_not_aligned_is_endured),
        cmocka_unit_test(every_call_is_counted),
        cmocka_unit_test(every_call_is_counted_in_other_builds),
        cmocka_unit_test(calls_after_inlining_are_counted),
        cmocka_unit_test(halves_of_two_compilers_make_one_report),
        cmocka_unit_test(recursion_is_counted_once),
        cmocka_unit_test(tail_calls_are_counted),
        cmocka_unit_test(calls_still_open_are_counted_with_their_time_so_far),
        cmocka_unit_test(calls_beyond_the_depth_are_counted_as_lost_and_stay_balanced),
        cmocka_unit_test(recursion_two_million_deep),
        cmocka_unit_test(hooks_called_out_of_pairs_do_no_harm),
        cmocka_unit_test(errno_survives_every_hook),
        cmocka_unit_test(a_program_that_records_nothing_makes_nothing),
        cmocka_unit_test(self_times_of_each_thread_add_up_to_its_roots),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

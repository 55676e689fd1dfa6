/* SPDX-License-Identifier: MIT
 *
 * Frames said by the header and by STINT_FRAME_FUNCTION: their number, which were slow, and why. */
#include "cases.h"

enum { FRAMES = 60, SLOW = 6 };

static const json_t *frames_of(const json_t *report, const char *kind)
{
    const json_t *found = json_object_get(json_object_get(report, "frames"), kind);
    if (!found) fail_msg("no frames %s", kind);
    return found;
}

static const char *name_of(const json_t *report, const json_t *entry)
{
    const json_t *id = json_object_get(entry, "function");
    if (!id) return string_at(entry, "category");
    const json_t *functions = json_object_get(report, "functions");
    return string_at(json_array_get(functions, (size_t)json_integer_value(id)), "name");
}

/* The slow ones are the longest, and blamed is who slept in them. */
static void check_slow(const json_t *report, const char *kind)
{
    const json_t *frames = frames_of(report, kind), *worst = json_object_get(frames, "worst"), *lap;
    size_t i;
    bool is_seen[FRAMES] = {false};
    assert_int_equal(integer_at(frames, "Count"), FRAMES);
    assert_int_equal(integer_at(frames, "missed"), SLOW);
    assert_true(real_at(frames, "budget_ms") == 20);
    assert_int_equal(json_array_size(worst), SLOW);
    json_array_foreach(worst, i, lap)
    {
        long long number = integer_at(lap, "frame");
        assert_true(number >= 0 && number < FRAMES && number % 10 == 3 && !is_seen[number]);
        is_seen[number] = true;
        assert_true(real_at(lap, "duration_ms") >= 25);
        const json_t *first = json_array_get(json_object_get(lap, "functions"), 0);
        assert_string_equal(name_of(report, first), "stutters");
        assert_true(real_at(first, "excess_ms") > 24);
    }
    const json_t *blamed = json_array_get(json_object_get(frames, "blame"), 0);
    assert_string_equal(name_of(report, blamed), "stutters");
    assert_int_equal(integer_at(blamed, "frames"), SLOW);
    assert_true(real_at(blamed, "excess_ms") > SLOW * 24);
    const json_t *category = json_object_get(json_object_get(report, "categories"), kind);
    assert_int_equal(integer_at(category, "Count"), FRAMES);
    assert_true(real_at(category, "Total_ms") == real_at(frames, "Total_ms"));
}

static void check_series(const json_t *report, const char *kind, long long expected)
{
    const json_t *one, *bucket, *frames = frames_of(report, kind);
    size_t i, k;
    long long sum = 0;
    double total_ms = 0, last_ms = -1;
    json_array_foreach(json_object_get(frames, "series"), i, one)
    {
        last_ms = -1;
        json_array_foreach(json_object_get(one, "buckets"), k, bucket)
        {
            double start = json_number_value(json_array_get(bucket, 0));
            long long n = json_integer_value(json_array_get(bucket, 1));
            assert_true(start > last_ms);
            last_ms = start;
            sum += n;
            total_ms += (double)n * json_number_value(json_array_get(bucket, 3));
        }
    }
    assert_int_equal(sum, expected);
    double told = real_at(frames, "Total_ms");
    assert_true(total_ms > told * (1 - 1e-9) && total_ms < told * (1 + 1e-9));
}

#define SETTINGS "STINT_FRAME_BUDGET_MS=20", "STINT_WORST_FRAMES=6"

static void run_with(struct both *both, const char *how, const char *functions)
{
    both_run(both, &(struct run_spec){
                       .target = "frames", .args = {how}, .stint_env = {SETTINGS, functions}});
}

static void the_slow_frames_are_found_with_what_made_them_slow(void **state)
{
    struct both both;
    run_with(&both, NULL, NULL);
    check_slow(both.report, "Frame_Total");
    check_series(both.report, "Frame_Total", FRAMES);
    const json_t *open = frames_of(both.report, "never ended");
    assert_int_equal(integer_at(open, "Count"), 1);
    assert_int_equal(integer_at(open, "Open"), 1);
    assert_null(json_object_get(open, "Avg_ms"));
    assert_int_equal(report_lost(both.report, "frames_unmatched"), 0);
    both_fini(&both);
}

static void each_call_of_a_function_is_a_frame(void **state)
{
    struct both both;
    run_with(&both, NULL, "STINT_FRAME_FUNCTION=draws");
    check_slow(both.report, "draws");
    check_slow(both.report, "Frame_Total");
    check_series(both.report, "draws", FRAMES);
    both_fini(&both);
}

static void patterns_name_several(void **state)
{
    struct both both;
    run_with(&both, NULL, "STINT_FRAME_FUNCTION=dr?ws,st*rs");
    check_slow(both.report, "draws");
    assert_int_equal(integer_at(frames_of(both.report, "stutters"), "missed"), SLOW);
    assert_null(json_object_get(json_object_get(both.report, "frames"), "usual"));
    both_fini(&both);
}

static void a_recursive_activation_is_no_frame(void **state)
{
    struct both both;
    run_with(&both, "recursion", "STINT_FRAME_FUNCTION=draws");
    check_slow(both.report, "draws");
    assert_int_equal(report_calls(both.report, "draws"), 3 * FRAMES);
    both_fini(&both);
}

static void a_frame_left_by_longjmp_ends(void **state)
{
    struct both both;
    run_with(&both, "jumps", "STINT_FRAME_FUNCTION=draws");
    check_slow(both.report, "draws");
    check_slow(both.report, "Frame_Total");
    both_fini(&both);
}

static void handlers_in_frames_do_no_harm(void **state)
{
    struct both both;
    run_with(&both, "signals", "STINT_FRAME_FUNCTION=draws,on_signal");
    check_slow(both.report, "draws");
    assert_int_equal(integer_at(frames_of(both.report, "on_signal"), "Count"), FRAMES);
    both_fini(&both);
}

static void threads_have_frames_of_their_own(void **state)
{
    struct both both;
    run_with(&both, "threads", NULL);
    check_slow(both.report, "Frame_Total");
    const json_t *ticks = frames_of(both.report, "Tick");
    assert_int_equal(integer_at(ticks, "Count"), 800);
    assert_int_equal(json_array_size(json_object_get(ticks, "series")), 8);
    assert_int_equal(json_array_size(json_object_get(ticks, "worst")), 6);
    check_series(both.report, "Tick", 800);
    both_fini(&both);
}

static void threads_that_are_merged_keep_their_frames(void **state)
{
    struct both both;
    both_run(&both, &(struct run_spec){.target = "frames",
                                       .args = {"threads"},
                                       .stint_env = {SETTINGS, "STINT_MAX_THREADS=2"}});
    assert_int_equal(integer_at(frames_of(both.report, "Tick"), "Count"), 800);
    both_fini(&both);
}

static void a_child_has_frames_of_its_own(void **state)
{
    struct run run;
    run_target(&run, &(struct run_spec){.target = "frames", .args = {"forks"}, .env = {SETTINGS}},
               true);
    json_t *report = report_load(&run, "profiling_results.json", CHECK_ALL);
    check_slow(report, "Frame_Total");
    assert_int_equal(integer_at(frames_of(report, "begun by the parent"), "Count"), 1);
    json_decref(report);
    assert_int_equal(report_others(&run), 1);
    report = report_load_other(&run, 0, CHECK_CHILD);
    assert_int_equal(integer_at(frames_of(report, "Frame_Total"), "Count"), 7);
    assert_null(json_object_get(json_object_get(report, "frames"), "begun by the parent"));
    assert_int_equal(report_lost(report, "frames_unmatched"), 1);
    json_decref(report);
    run_fini(&run);
}

static void frames_survive_a_kill(void **state)
{
    struct run run;
    run_target(&run,
               &(struct run_spec){.target = "frames",
                                  .args = {"killed"},
                                  .env = {SETTINGS, "STINT_FRAME_FUNCTION=draws"}},
               true);
    json_t *report = report_recover(&run, CHECK_ALL);
    check_slow(report, "Frame_Total");
    check_slow(report, "draws");
    check_series(report, "draws", FRAMES);
    json_decref(report);
    run_fini(&run);
}

static void an_end_alone_is_counted_as_lost(void **state)
{
    struct both both;
    run_with(&both, "unmatched", NULL);
    assert_int_equal(report_lost(both.report, "frames_unmatched"), 1);
    assert_null(json_object_get(json_object_get(both.report, "frames"), "never begun"));
    both_fini(&both);
}

static void a_name_that_no_function_has_is_told(void **state)
{
    struct both both;
    both_run(&both, &(struct run_spec){.target = "counts",
                                       .stint_env = {"STINT_FRAME_FUNCTION=mai,no::such(int)"},
                                       .says = true});
    assert_non_null(
        strstr(both.stint.err, "stint: no instrumented function is called mai, no::such"));
    assert_null(json_object_get(both.report, "frames"));
    both_fini(&both);
}

static void functions_of_plugins_are_found_each_time_they_come(void **state)
{
    char one[4096], two[4096];
    snprintf(one, sizeof one, "%s", run_target_path("plugin-one.so"));
    snprintf(two, sizeof two, "%s", run_target_path("plugin-two.so"));
    struct both both;
    both_run(&both, &(struct run_spec){.target = "plugin-host",
                                       .args = {one, two, "20"},
                                       .stint_env = {"STINT_FRAME_FUNCTION=one_works"}});
    assert_int_equal(integer_at(frames_of(both.report, "one_works"), "Count"), 60);
    both_fini(&both);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_slow_frames_are_found_with_what_made_them_slow),
        cmocka_unit_test(each_call_of_a_function_is_a_frame),
        cmocka_unit_test(patterns_name_several),
        cmocka_unit_test(a_recursive_activation_is_no_frame),
        cmocka_unit_test(a_frame_left_by_longjmp_ends),
        cmocka_unit_test(handlers_in_frames_do_no_harm),
        cmocka_unit_test(threads_have_frames_of_their_own),
        cmocka_unit_test(threads_that_are_merged_keep_their_frames),
        cmocka_unit_test(a_child_has_frames_of_its_own),
        cmocka_unit_test(frames_survive_a_kill),
        cmocka_unit_test(an_end_alone_is_counted_as_lost),
        cmocka_unit_test(a_name_that_no_function_has_is_told),
        cmocka_unit_test(functions_of_plugins_are_found_each_time_they_come),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT
 *
 * What programs say for themselves through <stint/stint.h>. */
#include "cases.h"

static const char *function_at(const json_t *report, const json_t *id)
{
    const json_t *functions = json_object_get(report, "functions"), *function;
    size_t i;
    json_array_foreach(functions, i, function)
    {
        if (id && json_equal(json_object_get(function, "id"), id))
            return string_at(function, "name");
    }
    return "";
}

/* Calls of one function made by another itself. */
static long long calls_by(const json_t *report, const char *caller, const char *called)
{
    const json_t *tree = json_object_get(report, "call_tree"), *node;
    long long calls = 0;
    size_t i;
    json_array_foreach(tree, i, node)
    {
        const json_t *above = json_object_get(node, "parent");
        if (!json_is_integer(above)) continue;
        above = json_array_get(tree, (size_t)json_integer_value(above));
        if (!strcmp(function_at(report, json_object_get(node, "function")), called) &&
            !strcmp(function_at(report, json_object_get(above, "function")), caller))
            calls += integer_at(node, "Count");
    }
    return calls;
}

static void stacks_that_lie_in_each_other_are_kept_apart_by_fiber_calls(void **state)
{
    struct both both;
    both_run(&both, &(struct run_spec){.target = "fibers"});
    long long yields = report_calls(both.report, "yields"),
              waiting = report_open(both.report, "yields");
    assert_int_equal(calls_by(both.report, "yields", "leaf"), yields - waiting);
    assert_int_equal(calls_by(both.report, "resumes", "leaf"), 2 * yields);
    assert_int_equal(report_lost(both.report, "unmatched_exits"), 0);
    assert_int_equal(report_lost(both.report, "stacks_dropped"), 0);
    both_fini(&both);
}

static long long count_of(const json_t *report, const char *table, const char *name)
{
    const json_t *entry = json_object_get(json_object_get(report, table), name);
    return entry ? integer_at(entry, "Count") : 0;
}

static void check_pauses(const json_t *report, const char *truth)
{
    check_truth(report, truth);
    assert_int_equal(report_lost(report, "unmatched_exits"), 0);
    assert_int_equal(count_of(report, "counters", "Counted"), report_calls(report, "leaf"));
    assert_int_equal(count_of(report, "values", "Valued"), report_calls(report, "leaf"));
}

/* On the straight line, and where every call is slow. */
static void nothing_is_recorded_while_paused_and_all_stays_in_balance(void **state)
{
    const char *const clocks[] = {"STINT_CLOCK=auto", "STINT_CLOCK=monotonic"};
    for (size_t i = 0; i < sizeof clocks / sizeof clocks[0]; i++) {
        struct both both;
        both_run_bare(&both, &(struct run_spec){.target = "pauses", .stint_env = {clocks[i]}});
        both.report = report_load(&both.stint, "profiling_results.json", CHECK_ALL);
        check_pauses(both.report, both.stint.out);
        json_t *child = report_load_other(&both.stint, 0, CHECK_CHILD);
        char *truth = run_read(run_path(&both.stint, "work/child.txt"));
        check_pauses(child, truth);
        free(truth);
        json_decref(child);
        both_fini(&both);
    }
}

static void scopes_are_counted_however_they_are_left(void **state)
{
    const char *const targets[] = {"scopes", "scopes@O0", "scopes@clang"};
    for (size_t i = 0; i < sizeof targets / sizeof targets[0]; i++) {
        struct both both;
        both_run_bare(&both, &(struct run_spec){.target = targets[i]});
        both.report = report_load(&both.stint, "profiling_results.json", CHECK_ALL);
        check_truth(both.report, both.stint.out);
        assert_int_equal(report_lost(both.report, "unmatched_exits"), 0);
        assert_int_equal(report_others(&both.stint), 1);
        json_t *child = report_load_other(&both.stint, 0, CHECK_CHILD);
        char *truth = run_read(run_path(&both.stint, "work/child.txt"));
        check_truth(child, truth);
        free(truth);
        json_decref(child);
        both_fini(&both);
    }
}

/* Also what an exception left through code of clang's, which has no exit hooks then. */
static void scopes_end_with_their_block_when_it_throws(void **state)
{
    const char *const targets[] = {"scopes-cc", "scopes-cc@clang"};
    for (size_t i = 0; i < sizeof targets / sizeof targets[0]; i++) {
        struct both both;
        both_run(&both, &(struct run_spec){.target = targets[i]});
        assert_int_equal(report_lost(both.report, "unmatched_exits"), 0);
        const json_t *categories = json_object_get(both.report, "categories");
        const json_t *asleep = json_object_get(categories, "Asleep");
        const json_t *around = report_function(both.report, "sleeps_in_a_scope()");
        assert_true(real_at(asleep, "Self_ms") >= 20);
        assert_true(real_at(around, "Total_ms") >= 20);
        /* What the scope took is not the function's own. */
        double others = real_at(around, "Total_ms") - real_at(asleep, "Total_ms");
        assert_true(real_at(around, "Self_ms") <= others + 0.001);
        both_fini(&both);
    }
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

static void check_said(const struct both *both, long long rounds)
{
    assert_int_equal(count_of(both->report, "categories", "Round"), rounds);
    assert_int_equal(count_of(both->report, "categories", "Step"), rounds);
    assert_int_equal(count_of(both->report, "categories", "Waited"), rounds);
    assert_int_equal(count_of(both->report, "counters", "Steps"), rounds);
    assert_int_equal(count_of(both->report, "categories", "Open_At_The_End"), 1);
    assert_int_equal(json_array_size(json_object_get(both->report, "functions")), 0);
    json_t *child = report_load_other(&both->stint, 0, CHECK_CHILD);
    assert_int_equal(count_of(child, "categories", "Round"), 7);
    assert_int_equal(count_of(child, "counters", "Steps"), 7);
    json_decref(child);
}

/* Nothing it imports shows that it may record. */
static void a_program_without_hooks_is_recorded_however_it_ends(void **state)
{
    const char *const ends[] = {"return", "early", "crash", "kill"};
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        struct both both;
        both_run_bare(&both, &(struct run_spec){.target = "says", .args = {ends[i]}});
        both.report = report_load(&both.stint, "profiling_results.json", CHECK_ALL);
        check_said(&both, 25000 + (i == 1));
        if (i == 2) assert_string_equal(report_ending(both.report, "signal"), "SIGSEGV");
        both_fini(&both);
    }
}

static void a_header_that_is_newer_than_stint_is_told(void **state)
{
    struct both both;
    both_run_bare(&both, &(struct run_spec){.target = "newer-header", .says = true});
    assert_non_null(strstr(both.stint.err, "older than the <stint/stint.h>"));
    both_check_left(&both, "");
    both_fini(&both);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stacks_that_lie_in_each_other_are_kept_apart_by_fiber_calls),
        cmocka_unit_test(nothing_is_recorded_while_paused_and_all_stays_in_balance),
        cmocka_unit_test(scopes_are_counted_however_they_are_left),
        cmocka_unit_test(scopes_end_with_their_block_when_it_throws),
        cmocka_unit_test(a_program_without_hooks_is_recorded_however_it_ends),
        cmocka_unit_test(a_header_that_is_newer_than_stint_is_told),
        cmocka_unit_test(threads_have_the_names_that_the_program_gave_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

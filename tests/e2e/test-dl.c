/* SPDX-License-Identifier: MIT
 *
 * Modules that come and go. */
#include "cases.h"

static void check_plugins(const char *rounds, const char *how)
{
    char one[4096], two[4096];
    snprintf(one, sizeof one, "%s", run_target_path("plugin-one.so"));
    snprintf(two, sizeof two, "%s", run_target_path("plugin-two.so"));
    struct both both;
    both_run(&both, &(struct run_spec){.target = "plugin-host", .args = {one, two, rounds, how}});
    assert_string_equal(both.stint.err, "");
    const json_t *works = report_function(both.report, "one_works");
    assert_string_equal(string_at(works, "module"), one);
    assert_string_equal(string_at(report_function(both.report, "two_works"), "module"), two);
    both_fini(&both);
}

static void plugins_at_one_address_have_their_own_names(void **state) { check_plugins("50", NULL); }

static void a_module_is_named_though_it_was_never_opened_again(void **state)
{
    check_plugins("1", NULL);
}

static void a_program_with_an_instrumented_malloc_is_not_entered_twice(void **state)
{
    /* the loader itself allocates where the report's library is opened */
    struct both both;
    both_run(&both, &(struct run_spec){.target = "own-malloc", .truth_varies = true});
    both_fini(&both);
}

static void a_crash_inside_that_malloc_is_reported(void **state)
{
    struct both both;
    both_run_bare(
        &both, &(struct run_spec){.target = "own-malloc", .args = {"crash"}, .truth_varies = true});
    assert_int_equal(WTERMSIG(both.plain.status), SIGSEGV);
    both_check_left(&both, "profiling_results.json");
    both.report = report_load(&both.stint, "profiling_results.json", CHECK_ALL);
    assert_true(report_calls(both.report, "malloc") >= 200);
    assert_int_equal(report_open(both.report, "main"), 1);
    both_fini(&both);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plugins_at_one_address_have_their_own_names),
        cmocka_unit_test(a_module_is_named_though_it_was_never_opened_again),
        cmocka_unit_test(a_program_with_an_instrumented_malloc_is_not_entered_twice),
        cmocka_unit_test(a_crash_inside_that_malloc_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT
 *
 * What stint brings along stays out of the target's sight, and what the target has out of stint's.
 */
#include "cases.h"

static void no_symbol_of_ours_is_visible(void **state)
{
    struct both both;
    struct run_spec spec = {.target = "looks-up",
                            .args = {"json_object", "json_dumps", "unw_step", "_Ux86_64_step",
                                     "_Unwind_RaiseException", "cplus_demangle_v3_callback",
                                     "stint_report_table", "rust_demangle_callback"}};
    both_run(&both, &spec);
    assert_null(strstr(both.plain.out, ": there"));
    both_fini(&both);
}

/* Exceptions of a plugin that a C host opens run through libgcc_s: asked of the loader itself. */
static void a_throwing_plugin_is_bound_to_libgcc(void **state)
{
    char plugin[4096];
    snprintf(plugin, sizeof plugin, "%s", run_target_path("throwing-plugin.so"));
    struct both both;
    both_run(&both, &(struct run_spec){.target = "plugin-thrower", .args = {plugin}});
    both_fini(&both);
    struct run run;
    struct run_spec spec = {
        .target = "plugin-thrower", .args = {plugin}, .env = {"LD_DEBUG=bindings"}};
    run_target(&run, &spec, true);
    size_t bound = 0;
    for (char *line = strtok(run.err, "\n"); line; line = strtok(NULL, "\n")) {
        if (!strstr(line, "`_Unwind_")) continue;
        if (!strstr(line, "libstdc++.so.6 [0]") && !strstr(line, "throwing-plugin.so [0]"))
            continue;
        const char *to = strstr(line, "] to ");
        if (!to || !strstr(to, "libgcc_s.so.1")) fail_msg("%s", line);
        bound++;
    }
    assert_true(bound > 0);
    run_fini(&run);
}

static void a_program_that_exports_json_names_is_not_called(void **state)
{
    struct both both;
    both_run(&both, &(struct run_spec){.target = "json-names"});
    both_fini(&both);
    both_run(&both, &(struct run_spec){.target = "json-names", .args = {"crash"}});
    assert_true(report_backtrace_has(both.report, "main"));
    both_fini(&both);
}

/* Threads that use them before, during and after the report, each result checked by the target. */
static void a_program_that_uses_jansson_and_libunwind_itself_is_undisturbed(void **state)
{
    static const char *const ends[] = {"exit", "segv"};
    for (int i = 0; i < 20; i++) {
        struct both both;
        struct run_spec spec = {.target = "own-jansson",
                                .args = {ends[i % 2], i % 4 > 1 ? "own" : NULL}};
        both_run_bare(&both, &spec);
        both_check_left(&both, "profiling_results.json");
        both.report = report_load(&both.stint, "profiling_results.json", CHECK_RACING);
        check_truth(both.report, both.stint.out);
        if (i % 2) assert_true(report_backtrace_has(both.report, "main"));
        both_fini(&both);
    }
}

/* Makes a locale with a decimal comma below dir: few machines have one. */
static bool make_locale(const char *dir)
{
    char command[9000];
    snprintf(command, sizeof command,
             "localedef -c -i %s -f UTF-8 --no-archive %s/comma >/dev/null 2>&1; test -f "
             "%s/comma/LC_NUMERIC",
             run_setting("STINT_TEST_LOCALE"), dir, dir);
    return system(command) == 0;
}

static void the_report_is_valid_where_the_decimal_point_is_a_comma(void **state)
{
    char dir[RUN_SCRATCH], setting[RUN_SCRATCH + 10], command[RUN_SCRATCH + 10];
    run_scratch(dir, "locale");
    assert_non_null(mkdtemp(dir));
    bool is_there = make_locale(dir);
    if (is_there) {
        struct both both;
        snprintf(setting, sizeof setting, "LOCPATH=%s", dir);
        struct run_spec spec = {
            .target = "file-limits", .args = {"comma"}, .env = {setting, "LC_ALL"}};
        both_run(&both, &spec);
        assert_non_null(strstr(both.stint.out, "1,5"));
        both_fini(&both);
    }
    snprintf(command, sizeof command, "rm -rf %s", dir);
    assert_int_equal(system(command), 0);
    if (!is_there) skip_because("localedef can make no locale here");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_symbol_of_ours_is_visible),
        cmocka_unit_test(a_throwing_plugin_is_bound_to_libgcc),
        cmocka_unit_test(a_program_that_exports_json_names_is_not_called),
        cmocka_unit_test(a_program_that_uses_jansson_and_libunwind_itself_is_undisturbed),
        cmocka_unit_test(the_report_is_valid_where_the_decimal_point_is_a_comma),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

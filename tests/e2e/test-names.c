/* SPDX-License-Identifier: MIT
 *
 * Names of functions, from wherever symbols can be had, as JSON can hold them. */
#include "cases.h"

static void run_names(struct both *both)
{
    both_run_bare(both, &(struct run_spec){.target = "names"});
    both_check_left(both, "profiling_results.json");
    both->report = report_load(&both->stint, "profiling_results.json", CHECK_ALL);
}

static void check_named(const json_t *report, const char *name, const char *raw, long long calls)
{
    const json_t *function = report_function(report, name);
    if (!function) fail_msg("no function \"%s\"", name);
    assert_int_equal(integer_at(function, "Count"), calls);
    if (raw) assert_string_equal(string_at(function, "raw_name"), raw);
}

static void names_with_quotes_and_control_characters(void **state)
{
    struct both both;
    run_names(&both);
    check_named(both.report, "quo\"ted\\back", "quo\"ted\\back", 1);
    check_named(both.report, "tab\tbell\a\x1f", NULL, 2);
    both_fini(&both);
}

static void names_that_are_not_utf8_are_made_so(void **state)
{
    struct both both;
    run_names(&both);
    check_named(both.report, "latin-\xef\xbf\xbd-end", NULL, 1);
    both_fini(&both);
}

static void rust_and_cpp_names_are_demangled(void **state)
{
    struct both both;
    run_names(&both);
    check_named(both.report, "World::update(float)", "_ZN5World6updateEf", 1);
    check_named(both.report, "core::fmt::Write::write_fmt",
                "_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE", 1);
    check_named(both.report, "mycrate::foo", "_RNvCs6kBvkZrnvVq_7mycrate3foo", 1);
    both_fini(&both);
}

static void clones_keep_their_names(void **state)
{
    struct both both;
    run_names(&both);
    check_named(both.report, "split.part.0", NULL, 1);
    check_named(both.report, "fixed.constprop.0", NULL, 1);
    both_fini(&both);
}

static void a_name_of_ten_thousand_characters_is_whole(void **state)
{
    struct both both;
    run_names(&both);
    const json_t *function;
    size_t i, longest = 0;
    json_array_foreach(json_object_get(both.report, "functions"), i, function)
    {
        size_t bytes = strlen(string_at(function, "raw_name"));
        if (bytes > longest) longest = bytes;
    }
    assert_int_equal(longest, strlen("_Z10000v") + 10000);
    both_fini(&both);
}

static void names_beyond_reason_stay_raw(void **state)
{
    struct both both;
    both_run_bare(&both, &(struct run_spec){.target = "long-name"});
    both.report = report_load(&both.stint, "profiling_results.json", CHECK_ALL);
    assert_int_equal(report_calls(both.report, "Vector::operator+(Vector const&) const"), 3);
    const json_t *function;
    size_t i, raw = 0;
    json_array_foreach(json_object_get(both.report, "functions"), i, function)
    {
        raw += !strncmp(string_at(function, "name"), "_Z5takesI", 9);
    }
    assert_int_equal(raw, 1);
    both_fini(&both);
}

/* A function of a stripped program: module+0xoffset, where the symbol of the whole program is. */
static void stripped_programs_have_offsets(void **state)
{
    struct both both;
    both_run_bare(&both, &(struct run_spec){.target = "counts@stripped"});
    both.report = report_load(&both.stint, "profiling_results.json", CHECK_ALL);
    const json_t *function;
    size_t i;
    long long calls = 0;
    json_array_foreach(json_object_get(both.report, "functions"), i, function)
    {
        char expected[300];
        snprintf(expected, sizeof expected, "counts@stripped+%s", string_at(function, "offset"));
        assert_string_equal(string_at(function, "name"), expected);
        calls += integer_at(function, "Count");
    }
    assert_int_equal(i, 5);
    long long told = 0;
    for (const char *at = both.stint.out; (at = strstr(at, "calls ")); at++)
        told += atoll(strchr(at + 6, ' '));
    assert_int_equal(calls, told);
    both_fini(&both);
}

static void a_debug_file_beside_the_program_is_read(void **state) { same_and_true("debuglink"); }

static void the_build_id_is_told(void **state)
{
    struct both both;
    both_run(&both, &(struct run_spec){.target = "counts@build-id"});
    assert_int_equal(strlen(string_at(report_function(both.report, "leaf"), "build_id")), 40);
    both_fini(&both);
}

static void link_build_id(const char *path, bool there)
{
    char command[9000];
    snprintf(command, sizeof command,
             "d=%s.debug-root; cd \"$d\" && for f in .build-id/*/*; do "
             "mkdir -p /usr/lib/debug/${f%%/*} && %s; done",
             path, there ? "ln -sf \"$d/$f\" /usr/lib/debug/$f" : "rm -f /usr/lib/debug/$f");
    assert_int_equal(system(command), 0);
}

static void a_debug_file_is_found_by_build_id(void **state)
{
    if (access("/usr/lib/debug", W_OK) && access("/usr/lib", W_OK))
        skip_because("may not write below /usr/lib");
    char path[4096];
    snprintf(path, sizeof path, "%s", run_target_path("build-id-file"));
    struct run run;
    link_build_id(path, true);
    run_target(&run, &(struct run_spec){.target = "build-id-file"}, true);
    link_build_id(path, false);
    json_t *report = report_load(&run, "profiling_results.json", CHECK_ALL);
    check_truth(report, run.out);
    json_decref(report);
    run_fini(&run);
}

static void non_pie_and_static_functions_are_named(void **state) { same_and_true("counts@no-pie"); }

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_with_quotes_and_control_characters),
        cmocka_unit_test(names_that_are_not_utf8_are_made_so),
        cmocka_unit_test(rust_and_cpp_names_are_demangled),
        cmocka_unit_test(clones_keep_their_names),
        cmocka_unit_test(a_name_of_ten_thousand_characters_is_whole),
        cmocka_unit_test(names_beyond_reason_stay_raw),
        cmocka_unit_test(stripped_programs_have_offsets),
        cmocka_unit_test(a_debug_file_beside_the_program_is_read),
        cmocka_unit_test(the_build_id_is_told),
        cmocka_unit_test(a_debug_file_is_found_by_build_id),
        cmocka_unit_test(non_pie_and_static_functions_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

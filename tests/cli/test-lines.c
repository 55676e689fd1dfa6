/* SPDX-License-Identifier: MIT
 *
 * `stint report --lines`: where functions are in their sources, as the target itself says it, from
 * the module, from debug files beside it, by build-id, and from a server only where that is asked
 * for. */
#include "cli.h"

#include <sys/stat.h>

/* A copy of the target without its debug information, which is in app.debug; a run of it. */
#define STRIPPED "cp \"$C/lines\" app && objcopy --only-keep-debug app app.debug && strip app && "

struct truth {
    int first, other, crash;
};

static void expect_lines(const struct run *run)
{
    struct truth truth = {0};
    char expected[64];
    assert_int_equal(sscanf(run->out, "%d %d %d", &truth.first, &truth.other, &truth.crash), 3);
    snprintf(expected, sizeof expected, "lines.c:%d\n", truth.first);
    cli_expect(strstr(run->out, "  first_line"), expected);
    snprintf(expected, sizeof expected, "lines.c:%d\n", truth.other);
    cli_expect(strstr(run->out, "  other_line"), expected);
}

static void functions_have_the_lines_that_they_say(void **state)
{
    struct run run;
    cli(&run, "\"$STINT\" run -q -o o.json \"$C/lines\" && \"$STINT\" report --lines o.json");
    assert_int_equal(cli_status(&run), 0);
    assert_string_equal(run.err, "");
    expect_lines(&run);
    run_fini(&run);
}

/* As clang leaves its programs. */
static void no_index_of_units_is_needed(void **state)
{
    struct run run;
    cli(&run, "objcopy --remove-section=.debug_aranges \"$C/lines\" app && "
              "\"$STINT\" run -q -o o.json ./app && \"$STINT\" report --lines o.json");
    assert_int_equal(cli_status(&run), 0);
    assert_string_equal(run.err, "");
    expect_lines(&run);
    run_fini(&run);
}

static void without_being_asked_for_there_are_none(void **state)
{
    struct run run;
    cli(&run, "\"$STINT\" run -q -o o.json \"$C/lines\" >/dev/null; \"$STINT\" report o.json");
    assert_false(cli_has(run.out, "lines.c"));
    run_fini(&run);
}

static void a_backtrace_has_lines_too(void **state)
{
    struct run run;
    struct truth truth = {0};
    char expected[64];
    cli(&run, "\"$STINT\" run -q -o o.json \"$C/lines\" crash; \"$STINT\" report --lines o.json");
    assert_int_equal(sscanf(run.out, "%d %d %d", &truth.first, &truth.other, &truth.crash), 3);
    const char *frame = strstr(run.out, "   by crash_line  lines+0x");
    assert_non_null(frame);
    snprintf(expected, sizeof expected, "lines.c:%d\n", truth.crash);
    const char *end = strchr(frame, '\n');
    assert_non_null(end);
    assert_memory_equal(end + 1 - strlen(expected), expected, strlen(expected));
    run_fini(&run);
}

static void a_debug_file_is_found_by_its_link(void **state)
{
    struct run run;
    cli(&run, STRIPPED "objcopy --add-gnu-debuglink=app.debug app && mkdir .debug && "
                       "mv app.debug .debug/ && \"$STINT\" run -q -o o.json ./app && "
                       "\"$STINT\" report --lines o.json");
    assert_int_equal(cli_status(&run), 0);
    expect_lines(&run);
    run_fini(&run);
}

static void what_has_no_debug_information_is_said(void **state)
{
    struct run run;
    cli(&run, STRIPPED "rm app.debug && \"$STINT\" run -q -o o.json ./app && \"$STINT\" report "
                       "--lines o.json");
    assert_int_equal(cli_status(&run), 0);
    CLI_LINE(run.err, "/app has no debug information: build it with -g");
    cli_expect(run.out, "  -\n");
    run_fini(&run);
}

static void another_build_gives_no_lines(void **state)
{
    struct run run;
    cli(&run, "cp \"$C/lines\" app && \"$STINT\" run -q -o o.json ./app && "
              "cp \"$C/runs-command\" app && \"$STINT\" report --lines o.json");
    assert_int_equal(cli_status(&run), 0);
    CLI_LINE(run.err, "/app is another build than the one that ran");
    assert_false(cli_has(run.out, ".c:"));
    run_fini(&run);
}

/* A server of files, which libdebuginfod asks by the same protocol. */
static void servers_are_asked_only_where_that_is_wished(void **state)
{
    static const char lines[] =
        STRIPPED "id=$(readelf -n app | sed -n 's/.*Build ID: //p') && "
                 "mkdir -p srv/buildid/$id && mv app.debug srv/buildid/$id/debuginfo && "
                 "export DEBUGINFOD_URLS=file://$PWD/srv DEBUGINFOD_CACHE_PATH=$PWD/cache && "
                 "\"$STINT\" run -q -o o.json ./app && ";
    struct run run;
    char line[1024];
    struct stat status;
    if (stat("/usr/lib/x86_64-linux-gnu/libdebuginfod.so.1", &status) != 0) skip();
    snprintf(line, sizeof line, "%s\"$STINT\" report --lines o.json; ls cache", lines);
    cli(&run, line);
    assert_false(cli_has(run.out, "lines.c"));
    cli_expect(run.err, "/app has no debug information");
    cli_expect(run.err, "cache");
    run_fini(&run);
    snprintf(line, sizeof line, "%s\"$STINT\" report --debuginfod o.json", lines);
    cli(&run, line);
    assert_int_equal(cli_status(&run), 0);
    struct truth truth = {0};
    char expected[64];
    assert_int_equal(sscanf(run.out, "%d %d", &truth.first, &truth.other), 2);
    snprintf(expected, sizeof expected, "lines.c:%d\n", truth.first);
    cli_expect(run.out, expected);
    snprintf(expected, sizeof expected, "lines.c:%d\n", truth.other);
    cli_expect(run.out, expected);
    run_fini(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_have_the_lines_that_they_say),
        cmocka_unit_test(no_index_of_units_is_needed),
        cmocka_unit_test(without_being_asked_for_there_are_none),
        cmocka_unit_test(a_backtrace_has_lines_too),
        cmocka_unit_test(a_debug_file_is_found_by_its_link),
        cmocka_unit_test(what_has_no_debug_information_is_said),
        cmocka_unit_test(another_build_gives_no_lines),
        cmocka_unit_test(servers_are_asked_only_where_that_is_wished),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

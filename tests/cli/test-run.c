/* SPDX-License-Identifier: MIT
 *
 * `stint run`: the command behaves as without it, and nothing that it recorded is lost. */
#include "cli.h"

#include "settings/settings.h"

#include <ctype.h>

static void the_status_is_the_commands_own(void **state)
{
    struct run run;
    cli(&run, "\"$STINT\" run \"$T/endings\" exit; echo $?; \"$STINT\" run -- \"$T/endings\" _exit;"
              "echo $?; \"$STINT\" \"$T/endings\" return; echo $?");
    cli_expect(run.out, "\n3\n");
    cli_expect(run.out, "\n4\n");
    cli_expect(run.out, "\n2\n");
    run_fini(&run);
}

static void it_dies_by_the_commands_own_signal(void **state)
{
    static const int signals[] = {SIGTERM, SIGINT, SIGQUIT, SIGSEGV, SIGKILL, SIGUSR1};
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
        struct run run;
        char line[100];
        snprintf(line, sizeof line, "exec \"$STINT\" run \"$T/endings\" raise-%d", signals[i]);
        cli(&run, line);
        assert_true(WIFSIGNALED(run.status));
        assert_int_equal(WTERMSIG(run.status), signals[i]);
        json_t *report = report_load(&run, "profiling_results.json", CHECK_ALL);
        check_truth(report, run.out);
        json_decref(report);
        run_fini(&run);
    }
}

static void a_command_that_is_not_there_gives_127(void **state)
{
    struct run run;
    cli(&run, "\"$STINT\" run no-such-command-here; echo $?");
    assert_string_equal(run.out, "127\n");
    CLI_LINE(run.err, "stint: no-such-command-here: command not found");
    run_fini(&run);
    cli(&run, "\"$STINT\" reprot x.json; echo $?");
    assert_string_equal(run.out, "127\n");
    CLI_LINE(run.err, "stint: reprot: no verb of stint, and command not found\n");
    run_fini(&run);
}

static void a_file_that_cannot_be_executed_gives_126(void **state)
{
    struct run run;
    cli(&run, "echo hello >data; \"$STINT\" run ./data; echo $?; \"$STINT\" /; echo $?");
    assert_string_equal(run.out, "126\n126\n");
    cli_expect(run.err, "stint: ./data: Permission denied\n");
    run_fini(&run);
}

static void the_table_is_on_standard_error_and_the_output_is_the_commands(void **state)
{
    struct run run;
    cli(&run, "\"$STINT\" run -o mine.json \"$T/counts\" >under; \"$T/counts\" >plain;"
              "cmp under plain && ls");
    assert_string_equal(run.out, "mine.json\nplain\nunder\n");
    cli_expect(run.err, "counts, pid ");
    cli_expect(run.err, "Total");
    cli_expect(run.err, "  main ");
    cli_expect(run.err, "stint: report: mine.json\n");
    run_fini(&run);
}

static void quiet_leaves_the_table_out(void **state)
{
    struct run run;
    cli(&run, "\"$STINT\" run -q \"$T/counts\" >/dev/null");
    assert_string_equal(run.err, "");
    char *names = run_list(&run, "out");
    assert_string_equal(names, "profiling_results.json");
    free(names);
    run_fini(&run);
}

static void placeholders_lead_to_the_report_too(void **state)
{
    struct run run;
    cli(&run, "mkdir 'a[b'; \"$STINT\" run -o 'a[b/%n-%p-%%.json' \"$T/counts\" >/dev/null; ls a*");
    cli_expect(run.out, "counts-");
    cli_expect(run.out, "-%.json");
    cli_expect(run.err, "stint: report: a[b/counts-");
    run_fini(&run);
}

static void a_rank_among_several_is_in_the_name(void **state)
{
    struct run run;
    cli(&run, "export OMPI_COMM_WORLD_RANK=2; for n in 4 1; do OMPI_COMM_WORLD_SIZE=$n "
              "\"$STINT\" run -o r.json \"$T/counts\" >/dev/null; done; ls *.json");
    assert_string_equal(run.out, "r.2.json\nr.json\n");
    cli_expect(run.err, "stint: report: r.2.json\n");
    cli_expect(run.err, "stint: report: r.json\n");
    run_fini(&run);
}

static void a_report_that_another_run_replaced_is_told(void **state)
{
    struct run run;
    cli(&run, "cat >both <<'S'\n#!/bin/sh\nunset LD_PRELOAD STINT_ROOT\n"
              "\"$STINT\" run -q -o r.json \"$T/counts\" >/dev/null\nS\nchmod +x both; "
              "\"$STINT\" run -q -o r.json ./both");
    CLI_LINE(run.err, "no report of this run: another one wrote r.json meanwhile");
    run_fini(&run);
}

static void a_killed_command_leaves_a_report_with_every_call(void **state)
{
    struct run run;
    cli(&run, "\"$STINT\" run \"$T/deaths\"; true");
    json_t *report = report_load(&run, "profiling_results.json", CHECK_ALL);
    assert_string_equal(report_ending(report, "kind"), "killed");
    assert_string_equal(report_ending(report, "signal"), "SIGKILL");
    assert_int_equal(report_calls(report, "step"), 1234);
    check_truth(report, run.out);
    char *names = run_list(&run, "store");
    assert_string_equal(names, "");
    free(names);
    json_decref(report);
    run_fini(&run);
}

static void a_raw_exit_is_reported_with_its_status(void **state)
{
    struct run run;
    cli(&run, "\"$STINT\" run \"$T/endings\" raw");
    assert_int_equal(cli_status(&run), 9);
    json_t *report = report_load(&run, "profiling_results.json", CHECK_ALL);
    assert_string_equal(report_ending(report, "kind"), "killed");
    assert_int_equal(
        integer_at(json_object_get(json_object_get(report, "process"), "ending"), "status"), 9);
    json_decref(report);
    run_fini(&run);
}

static void killed_descendants_have_reports_too(void **state)
{
    struct run run;
    cli(&run, "\"$STINT\" run sh -c '\"$T/deaths\"; \"$T/deaths\"; exit 6'");
    assert_int_equal(cli_status(&run), 6);
    assert_int_equal(report_others(&run), 2);
    for (size_t i = 0; i < 2; i++) {
        json_t *report = report_load_other(&run, i, CHECK_ALL);
        assert_int_equal(report_calls(report, "step"), 1234);
        assert_string_equal(report_ending(report, "signal"), ""); /* nobody saw it */
        json_decref(report);
    }
    run_fini(&run);
}

static void reports_of_descendants_are_named(void **state)
{
    struct run run;
    cli(&run, "\"$STINT\" run \"$T/commands\"");
    assert_int_equal(cli_lines(run.err, "stint: report: "), 1);
    assert_int_equal(cli_lines(run.err, "stint: also "), 3);
    cli_expect(run.err, " (commands child, pid ");
    run_fini(&run);
}

/* Twelve small ones, then two larger ones, of which one is shown whole. */
static void the_ten_largest_of_many_reports_are_named(void **state)
{
    struct run run;
    cli(&run,
        "\"$STINT\" run sh -c 'for i in 1 2 3 4 5 6 7 8 9 10 11 12; do \"$T/commands\" child; "
        "done; for i in 1 2; do \"$T/recursion@O0\" 1 \"a\\\"\\\\b é\"; done' >/dev/null");
    assert_int_equal(cli_lines(run.err, "stint: also "), 10);
    const char *first = strstr(run.err, "stint: also ");
    const char *larger = strstr(run.err, " (recursion@O0 1 a\"\\b é, pid ");
    assert_non_null(larger);
    assert_true(first < larger && !memchr(first, '\n', (size_t)(larger - first)));
    cli_expect(run.err, "stint: and 3 more reports; stint merge makes one of many\n");
    run_fini(&run);
}

static void a_store_of_another_run_is_left_alone(void **state)
{
    struct run run;
    cli(&run,
        "LD_PRELOAD=\"$LIB\" \"$T/deaths\" >/dev/null; \"$STINT\" run \"$T/counts\" >/dev/null;"
        "ls ../store | wc -l");
    assert_int_equal(atoi(run.out), 1);
    run_fini(&run);
}

static void that_nothing_was_recorded_is_told_with_the_reason(void **state)
{
    static const char *const cases[][2] = {
        {"\"$STINT\" run \"$T/nothing\"",
         "build it, or its libraries, with -finstrument-functions"},
        {"\"$STINT\" run \"$T/counts@static\"", "linked statically"},
        {"printf '#!/bin/sh\\n:\\n' >script; chmod +x script; \"$STINT\" ./script", "is a script"},
        {"\"$STINT\" run --disable \"$T/counts\"", "STINT_DISABLE is set"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct run run;
        cli(&run, cases[i][0]);
        CLI_LINE(run.err, "stint: nothing was recorded: ", cases[i][1]);
        run_fini(&run);
    }
}

/* The command's environment is asked what the option became. */
static void every_setting_is_an_option(void **state)
{
    size_t count;
    const struct settings_row *rows = settings_rows(&count);
    for (size_t i = 0; i < count; i++) {
        struct run run;
        char name[64] = "", line[400], expected[200];
        for (size_t j = 0; rows[i].name[6 + j]; j++)
            name[j] = rows[i].name[6 + j] == '_' ? '-' : (char)tolower(rows[i].name[6 + j]);
        snprintf(line, sizeof line, "\"$STINT\" run --%s='%s' env | grep '^%s='", name,
                 rows[i].default_value, rows[i].name);
        snprintf(expected, sizeof expected, "%s=%s\n", rows[i].name, rows[i].default_value);
        cli(&run, line);
        assert_string_equal(run.out, expected);
        run_fini(&run);
    }
}

static void a_value_may_stand_apart_and_a_switch_alone(void **state)
{
    struct run run;
    cli(&run, "\"$STINT\" run --max-nodes 77 --thread-trees env | grep -E '_NODES|_TREES' | sort");
    assert_string_equal(run.out, "STINT_MAX_NODES=77\nSTINT_THREAD_TREES=1\n");
    run_fini(&run);
}

static void mistakes_are_told_in_one_line_before_anything_runs(void **state)
{
    static const char *const cases[][2] = {
        {"run --max-nodes=many touch ran", "(16 … 16777216): --max-nodes=many;"},
        {"run --max-nodes 5 touch ran", "(16 … 16777216): --max-nodes 5;"},
        {"run --report-timeout=25h touch ran", "(10ms … 24h): --report-timeout=25h;"},
        {"run --sample-bytes=9G touch ran", "(0 … 8G): --sample-bytes=9G;"},
        {"run --clock=sun touch ran", "(auto|tsc|monotonic): --clock=sun;"},
        {"run --follow=2 touch ran", "(0 or 1): --follow=2;"},
        {"run --no-such-option touch ran", "--no-such-option"},
        {"run -z touch ran", "-z"},
        {"run", "a command is missing"},
        {"run -o", "-o"},
        {"run --quiet=1 touch ran", "quiet"},
        {"", "stint --help"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct run run;
        char line[200];
        snprintf(line, sizeof line, "\"$STINT\" %s; echo $?; ls", cases[i][0]);
        cli(&run, line);
        assert_string_equal(run.out, "2\n");
        CLI_LINE(run.err, "stint: ", cases[i][1]);
        run_fini(&run);
    }
}

static void options_after_the_command_are_the_commands(void **state)
{
    struct run run;
    cli(&run, "\"$STINT\" run echo -o --help; \"$STINT\" echo -q; \"$STINT\" run -- echo --");
    assert_string_equal(run.out, "-o --help\n-q\n--\n");
    run_fini(&run);
}

static void a_verb_wins_over_a_command_of_its_name(void **state)
{
    struct run run;
    cli(&run, "printf '#!/bin/sh\\necho mine\\n' >settings; chmod +x settings; PATH=.:$PATH;"
              "\"$STINT\" settings | head -n 1; \"$STINT\" run settings");
    cli_expect(run.out, "Meaning\nmine\n");
    run_fini(&run);
}

static void what_was_preloaded_stays_behind_stint(void **state)
{
    struct run run;
    cli(&run, "export LD_PRELOAD=\"$T/plugin-one.so\"; \"$STINT\" run sh -c 'echo $LD_PRELOAD'");
    const char *ours = strstr(run.out, "libstint.so:"), *theirs = strstr(run.out, "plugin-one.so");
    assert_non_null(ours);
    assert_true(theirs > ours);
    run_fini(&run);
}

static void a_sanitizers_runtime_goes_first_and_it_is_said(void **state)
{
    struct run run;
    cli(&run, "\"$STINT\" run \"$C/counts-asan\"");
    assert_int_equal(cli_status(&run), 0);
    cli_expect(run.err, " goes before libstint.so, as the sanitizer demands\n");
    json_t *report = report_load(&run, "profiling_results.json", CHECK_ALL);
    check_truth(report, run.out);
    json_decref(report);
    run_fini(&run);
}

static void a_terminals_interrupt_is_left_to_the_command(void **state)
{
    struct run run;
    cli(&run, "\"$STINT\" run sh -c 'trap \"exit 9\" INT; kill -INT $PPID; kill -QUIT $PPID;"
              "kill -INT $$'");
    assert_int_equal(cli_status(&run), 9);
    run_fini(&run);
}

/* The shell opens the pipe once cat has; in the background it ignores INT and QUIT for stint. */
static void signals_sent_to_it_go_to_the_command(void **state)
{
    struct run run;
    cli(&run, "mkfifo pipe; for s in TERM HUP USR1 USR2; do "
              "\"$STINT\" run -q sh -c 'echo $$ >pid; exec cat pipe' & p=$!; exec 9>pipe; kill -$s "
              "$p; wait $p;"
              "kill -l $?;"
              "kill -0 $(cat pid) 2>/dev/null && echo alive; exec 9>&-; done");
    assert_string_equal(run.out, "TERM\nHUP\nUSR1\nUSR2\n");
    run_fini(&run);
}

/* Bit 1 is SIGINT's, bit 2 SIGQUIT's, bit 16 SIGCHLD's. */
static void the_command_inherits_what_stint_inherited(void **state)
{
    struct run run;
    cli(&run, "\"$STINT\" run grep SigIgn /proc/self/status; trap '' INT;"
              "\"$STINT\" run grep SigIgn /proc/self/status");
    assert_string_equal(run.out, "SigIgn:\t0000000000000000\nSigIgn:\t0000000000000002\n");
    run_fini(&run);
}

static void where_no_report_can_be_written_nothing_is_started(void **state)
{
    static const char *const cases[][2] = {
        {"run -o no/such/r.json", "no/such/r.json: no such directory"},
        {"run -o .", " .: is a directory"},
        {"run -o file/r.json", "file/r.json: Not a directory"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct run run;
        char line[200];
        snprintf(line, sizeof line, ": >file; \"$STINT\" %s touch ran; echo $?; ls", cases[i][0]);
        cli(&run, line);
        assert_string_equal(run.out, "2\nfile\n");
        CLI_LINE(run.err, "stint: run: no report can be written to ", cases[i][1], " -o FILE");
        run_fini(&run);
    }
}

static void a_report_that_fails_later_is_told_with_what_makes_it(void **state)
{
    struct run run;
    cli(&run, "mkdir d; \"$STINT\" run -o d/r.json sh -c 'exec 2>/dev/null; rmdir d; "
              "\"$T/deaths\"; :' >/dev/null;"
              "\"$STINT\" recover -o made.json ../store/* 2>/dev/null; ls");
    assert_string_equal(run.out, "made.json\n");
    CLI_LINE(run.err, "stint: no report of deaths: ", "No such file or directory",
             "; make it with: stint recover -o FILE ", "/store/stint.");
    run_fini(&run);
}

static void a_report_into_a_device_has_no_table(void **state)
{
    struct run run;
    cli(&run, "\"$STINT\" run -o /dev/null \"$T/counts\" >/dev/null; test -c /dev/null");
    assert_int_equal(cli_status(&run), 0);
    assert_string_equal(run.err, "");
    run_fini(&run);
}

static void help_and_version_go_to_standard_output(void **state)
{
    struct run run;
    cli(&run, "\"$STINT\" --help && \"$STINT\" --version && \"$STINT\" run --help");
    assert_int_equal(cli_status(&run), 0);
    cli_expect(run.out, "  stint recover ");
    cli_expect(run.out, "\nstint 0.");
    cli_expect(run.out, "--max-nodes=N");
    assert_string_equal(run.err, "");
    run_fini(&run);
}

/* The command ends only after the line was seen; off a terminal there is none. */
static void a_silent_commands_progress_is_shown_on_a_terminal(void **state)
{
    struct run run;
    cli(&run, "export TERM=xterm; mkfifo go; "
              "(script -qec \"'$STINT' run -p -q '$C/runs-command' 'cat go'\" /dev/null </dev/null "
              ">seen) & until grep -q 'stint: .* s, 1 call, 1 thread' seen; do sleep 0.05; done; "
              "echo went on >go; wait; cat seen");
    assert_int_equal(cli_status(&run), 0);
    cli_expect(run.out, "\r\033[Kstint: ");
    cli_expect(run.out, "went on");
    run_fini(&run);
    cli(&run, "\"$STINT\" run -p -q \"$C/runs-command\" 'echo done'");
    assert_string_equal(run.out, "done\n");
    assert_string_equal(run.err, "");
    run_fini(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_status_is_the_commands_own),
        cmocka_unit_test(it_dies_by_the_commands_own_signal),
        cmocka_unit_test(a_command_that_is_not_there_gives_127),
        cmocka_unit_test(a_file_that_cannot_be_executed_gives_126),
        cmocka_unit_test(the_table_is_on_standard_error_and_the_output_is_the_commands),
        cmocka_unit_test(quiet_leaves_the_table_out),
        cmocka_unit_test(placeholders_lead_to_the_report_too),
        cmocka_unit_test(a_rank_among_several_is_in_the_name),
        cmocka_unit_test(a_report_that_another_run_replaced_is_told),
        cmocka_unit_test(a_killed_command_leaves_a_report_with_every_call),
        cmocka_unit_test(a_raw_exit_is_reported_with_its_status),
        cmocka_unit_test(killed_descendants_have_reports_too),
        cmocka_unit_test(reports_of_descendants_are_named),
        cmocka_unit_test(the_ten_largest_of_many_reports_are_named),
        cmocka_unit_test(a_store_of_another_run_is_left_alone),
        cmocka_unit_test(that_nothing_was_recorded_is_told_with_the_reason),
        cmocka_unit_test(every_setting_is_an_option),
        cmocka_unit_test(a_value_may_stand_apart_and_a_switch_alone),
        cmocka_unit_test(mistakes_are_told_in_one_line_before_anything_runs),
        cmocka_unit_test(options_after_the_command_are_the_commands),
        cmocka_unit_test(a_verb_wins_over_a_command_of_its_name),
        cmocka_unit_test(what_was_preloaded_stays_behind_stint),
        cmocka_unit_test(a_sanitizers_runtime_goes_first_and_it_is_said),
        cmocka_unit_test(a_terminals_interrupt_is_left_to_the_command),
        cmocka_unit_test(signals_sent_to_it_go_to_the_command),
        cmocka_unit_test(the_command_inherits_what_stint_inherited),
        cmocka_unit_test(where_no_report_can_be_written_nothing_is_started),
        cmocka_unit_test(a_report_that_fails_later_is_told_with_what_makes_it),
        cmocka_unit_test(a_report_into_a_device_has_no_table),
        cmocka_unit_test(help_and_version_go_to_standard_output),
        cmocka_unit_test(a_silent_commands_progress_is_shown_on_a_terminal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT
 *
 * Crashes that something disturbs: further signals, another crash, a report that hangs; and what a
 * debugger, a core and a parent see of one. */
#include "cases.h"

#include <fcntl.h>
#include <sys/stat.h>

/* A report that can't be written: behaviour is kept, one line is said, recovering gives it all. */
static json_t *check_kept(struct both *both, const struct run_spec *given)
{
    struct run_spec spec = *given;
    spec.says = true;
    both_run_bare(both, &spec);
    const char *line = strstr(both->stint.err, "stint: ");
    if (!line || strstr(line + 1, "\nstint: ")) fail_msg("not one line: %s", both->stint.err);
    if (!strstr(line, "stint recover -o FILE ")) fail_msg("no remedy: %s", line);
    json_t *report = report_recover(&both->stint, CHECK_ALL);
    check_truth(report, both->stint.out);
    return report;
}

static void a_report_that_hangs_is_left_and_the_store_kept(void **state)
{
    static const char *const ways[][3] = {{"segv", "signal", "SIGSEGV"},
                                          {"abort", "signal", "SIGABRT"},
                                          {"term", "signal", "SIGTERM"},
                                          {"return", "exit", ""}};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        struct both both;
        both.report = check_kept(&both, &(struct run_spec){
                                            .target = "hanging-report",
                                            .args = {ways[i][0]},
                                            .env = {"STINT_OUT=fifo", "STINT_REPORT_TIMEOUT=200ms"},
                                        });
        assert_string_equal(report_ending(both.report, "kind"), ways[i][1]);
        assert_string_equal(report_ending(both.report, "signal"), ways[i][2]);
        assert_non_null(strstr(both.stint.err, "STINT_REPORT_TIMEOUT"));
        both_fini(&both);
    }
}

static void calls_after_the_report_are_counted_as_lost(void **state)
{
    struct run run;
    struct run_spec spec = {
        .target = "hanging-report", .args = {"late"}, .env = {"STINT_OUT=fifo"}};
    run_target(&run, &spec, true);
    assert_int_equal(WEXITSTATUS(run.status), 7);
    json_t *report = report_recover(&run, CHECK_ALL);
    assert_int_equal(report_lost(report, "calls_after_report"), 10);
    json_decref(report);
    run_fini(&run);
}

static void check_sabotaged(const char *file)
{
    struct run_spec spec = {.target = "sabotage", .args = {file}, .says = true};
    struct both both;
    both_run_bare(&both, &spec);
    assert_int_equal(WTERMSIG(both.plain.status), SIGSEGV);
    both.report = report_recover(&both.stint, CHECK_ALL);
    check_truth(both.report, both.stint.out);
    both_fini(&both);
}

static void a_crash_in_the_crash_handler_keeps_the_store(void **state)
{
    check_sabotaged("libstint-report.so");
    check_sabotaged("libstint.so");
    check_sabotaged(".store");
    check_sabotaged("libjansson");
}

static void a_fault_in_a_snapshot_costs_that_snapshot_alone(void **state)
{
    struct run_spec spec = {.target = "faulting-snapshot"};
    struct both both;
    both_run_bare(&both, &spec);
    assert_int_equal(WEXITSTATUS(both.plain.status), 3);
    both_check_left(&both, "profiling_results.json saved.json");
    both.report = report_load(&both.stint, "profiling_results.json", CHECK_ALL);
    check_truth(both.report, both.stint.out);
    json_t *saved = report_load(&both.stint, "saved.json", CHECK_ALL);
    assert_string_equal(report_ending(saved, "kind"), "snapshot");
    assert_int_equal(integer_at(report_function(saved, "step"), "Count"), 1000);
    json_decref(saved);
    both_fini(&both);
}

/* The first document in the text is a file of its own. */
static void keep_first(const struct run *run)
{
    json_error_t error;
    char *text = run_read(run_path(run, "out/drained.json"));
    assert_non_null(text);
    json_t *first = json_loads(text, JSON_DISABLE_EOF_CHECK, &error);
    if (!first) fail_msg("%s in: %.300s", error.text, text);
    FILE *file = fopen(run_path(run, "out/first.json"), "w");
    assert_non_null(file);
    fwrite(text, 1, (size_t)error.position, file);
    fclose(file);
    json_decref(first);
    free(text);
}

static void check_disturbed(struct both *both, const char *way, const char *end)
{
    *both = (struct both){0};
    struct run_spec spec = {
        .target = "disturbed-report", .args = {way, end}, .env = {"STINT_OUT=fifo"}};
    run_target(&both->plain, &spec, false);
    run_target(&both->stint, &spec, true);
    assert_string_equal(both->plain.out, both->stint.out);

    assert_string_equal(both->stint.err, "");
    keep_first(&both->stint);
    both->report = report_load(&both->stint, "first.json", CHECK_ALL);
    check_truth(both->report, both->stint.out);
    char *stores = run_list(&both->stint, "store");
    assert_string_equal(stores, "");
    free(stores);
}

static void signals_during_the_report_of_a_crash_wait_behind_it(void **state)
{
    struct both both;
    check_disturbed(&both, "signals", "fpe");
    assert_int_equal(both.plain.status, both.stint.status);
    assert_int_equal(WTERMSIG(both.stint.status), SIGFPE);
    assert_string_equal(report_ending(both.report, "signal"), "SIGFPE");
    both_fini(&both);
}

static void a_crash_elsewhere_during_the_report_of_a_crash_waits_behind_it(void **state)
{
    struct both both;
    check_disturbed(&both, "thread", "fpe");
    assert_int_equal(both.plain.status, both.stint.status);
    assert_int_equal(WTERMSIG(both.stint.status), SIGFPE);
    both_fini(&both);
}

/* They came while the program lived: after the report its end and theirs race, as without it. */
static void signals_during_the_report_of_an_exit_leave_it_whole(void **state)
{
    struct both both;
    check_disturbed(&both, "signals", "exit");
    assert_true(WIFSIGNALED(both.stint.status) || WEXITSTATUS(both.stint.status) == 9);
    assert_string_equal(report_ending(both.report, "kind"), "exit");
    both_fini(&both);
}

static void a_crash_elsewhere_during_the_report_of_an_exit_leaves_it_whole(void **state)
{
    struct both both;
    check_disturbed(&both, "thread", "exit");
    if (WIFSIGNALED(both.stint.status))
        assert_int_equal(WTERMSIG(both.stint.status), SIGSEGV);
    else
        assert_int_equal(WEXITSTATUS(both.stint.status), 9);
    assert_string_equal(report_ending(both.report, "kind"), "exit");
    both_fini(&both);
}

/* Code, address and instruction of the last signal, as a tracer has them. */
static void a_debugger_sees_the_original_signal(void **state)
{
    static const char *const ways[] = {"segv",      "fpe",      "bus",     "trap",     "breakpoint",
                                       "signal-15", "signal-2", "raise-6", "raise-11", "pipe"};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        struct both both;
        char target[4096];
        snprintf(target, sizeof target, "%s", run_target_path("endings"));
        both_run_bare(&both, &(struct run_spec){.target = "traced", .args = {target, ways[i]}});
        assert_int_equal(both.plain.status, 0);
        assert_non_null(strstr(both.plain.out, "\nsignal "));
        assert_int_equal(report_others(&both.stint), 1);
        both_fini(&both);
    }
}

/* cores */

static void allow_core(void)
{
    struct rlimit core;
    getrlimit(RLIMIT_CORE, &core);
    core.rlim_cur = core.rlim_max;
    setrlimit(RLIMIT_CORE, &core);
}

static const char *core_of(const struct run *run)
{
    char *names = run_list(run, "work");
    char below[300] = "work/none";
    if (!strncmp(names, "core", 4)) snprintf(below, sizeof below, "work/%.200s", names);
    free(names);
    return run_path(run, below);
}

/* What gdb says of the core: the signal, its address, and the functions, innermost first. */
static char *ask_gdb(const struct run *run, const char *target)
{
    char command[9000];
    snprintf(command, sizeof command,
             "gdb -nx -batch -ex 'print $_siginfo.si_signo' -ex 'print $_siginfo.si_code' "
             "-ex 'print $_siginfo._sifields._sigfault.si_addr' -ex 'bt' '%s' '%s' 2>/dev/null "
             "| grep -E '^(Program terminated|#|\\$)' | sed 's/0x[0-9a-f]*//g' >'%s/gdb'",
             run_target_path(target), core_of(run), run->dir);
    assert_int_equal(system(command), 0);
    return run_read(run_path(run, "gdb"));
}

static bool has_tool(const char *name)
{
    char command[200];
    snprintf(command, sizeof command, "command -v %s >/dev/null 2>&1", name);
    return system(command) == 0;
}

static void check_core(const char *way, const char *signal)
{
    struct both both = {0};
    struct run_spec spec = {.target = "endings", .args = {way}, .prepare = allow_core};
    run_target(&both.plain, &spec, false);
    run_target(&both.stint, &spec, true);
    assert_int_equal(both.plain.status, both.stint.status);
    if (!WCOREDUMP(both.plain.status)) {
        both_fini(&both);
        skip_because("the kernel writes no core here");
    }
    char *plain = ask_gdb(&both.plain, "endings"), *stint = ask_gdb(&both.stint, "endings");
    assert_non_null(strstr(plain, signal));
    assert_non_null(strstr(plain, "inner ("));
    assert_string_equal(plain, stint);
    free(plain), free(stint);
    both_fini(&both);
}

static void a_core_shows_the_original_fault(void **state)
{
    char *pattern = run_read("/proc/sys/kernel/core_pattern");
    bool is_plain = pattern && !strchr(pattern, '|') && !strchr(pattern, '/');
    free(pattern);
    if (!is_plain) skip_because("core_pattern leads elsewhere");
    if (!has_tool("gdb")) skip_because("no gdb");
    check_core("segv", "SIGSEGV");
    check_core("fpe", "SIGFPE");
    check_core("abort", "SIGABRT");
    check_core("signal-3", "SIGQUIT");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_report_that_hangs_is_left_and_the_store_kept),
        cmocka_unit_test(calls_after_the_report_are_counted_as_lost),
        cmocka_unit_test(a_crash_in_the_crash_handler_keeps_the_store),
        cmocka_unit_test(a_fault_in_a_snapshot_costs_that_snapshot_alone),
        cmocka_unit_test(signals_during_the_report_of_a_crash_wait_behind_it),
        cmocka_unit_test(a_crash_elsewhere_during_the_report_of_a_crash_waits_behind_it),
        cmocka_unit_test(signals_during_the_report_of_an_exit_leave_it_whole),
        cmocka_unit_test(a_crash_elsewhere_during_the_report_of_an_exit_leaves_it_whole),
        cmocka_unit_test(a_debugger_sees_the_original_signal),
        cmocka_unit_test(a_core_shows_the_original_fault),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

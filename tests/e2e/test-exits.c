/* SPDX-License-Identifier: MIT
 *
 * Endings: the wait status is what it would have been, and the report says how it was. */
#include "cases.h"

struct ending {
    const char *way, *kind, *signal;
    int status;
};

static void check_ending(const struct ending *ending)
{
    struct both both;
    both_run(&both, &(struct run_spec){.target = "endings", .args = {ending->way}});
    const json_t *process = json_object_get(both.report, "process");
    assert_string_equal(report_ending(both.report, "kind"), ending->kind);
    if (ending->signal) {
        assert_true(WIFSIGNALED(both.stint.status));
        assert_string_equal(report_ending(both.report, "signal"), ending->signal);
        if (!report_backtrace_has(both.report, "inner") ||
            !report_backtrace_has(both.report, "main"))
            fail_msg("%s: inner or main is not in the backtrace", ending->way);
    } else {
        assert_int_equal(WEXITSTATUS(both.stint.status), ending->status);
        assert_int_equal(integer_at(json_object_get(process, "ending"), "status"), ending->status);
    }
    both_fini(&both);
}

static void check_endings(const struct ending *endings, size_t count)
{
    for (size_t i = 0; i < count; i++) check_ending(&endings[i]);
}
#define CHECK_ENDINGS(...)                                                                         \
    check_endings((const struct ending[]){__VA_ARGS__},                                            \
                  sizeof((const struct ending[]){__VA_ARGS__}) / sizeof(struct ending))

static void exits_of_every_kind_keep_their_status(void **state)
{
    CHECK_ENDINGS({"return", "exit", NULL, 2}, {"exit", "exit", NULL, 3},
                  {"_exit", "exit", NULL, 4}, {"_Exit", "exit", NULL, 5},
                  {"quick_exit", "exit", NULL, 6});
}

static void faults_are_reported_with_their_backtrace(void **state)
{
    CHECK_ENDINGS({"segv", "signal", "SIGSEGV", 0}, {"fpe", "signal", "SIGFPE", 0},
                  {"trap", "signal", "SIGILL", 0}, {"bus", "signal", "SIGBUS", 0},
                  {"breakpoint", "signal", "SIGTRAP", 0});
}

static void aborts_are_reported(void **state)
{
    CHECK_ENDINGS({"abort", "signal", "SIGABRT", 0}, {"double-free", "signal", "SIGABRT", 0});
}

static void signals_that_end_are_reported(void **state)
{
    CHECK_ENDINGS({"signal-15", "signal", "SIGTERM", 0}, {"signal-2", "signal", "SIGINT", 0},
                  {"signal-1", "signal", "SIGHUP", 0}, {"signal-3", "signal", "SIGQUIT", 0},
                  {"raise-11", "signal", "SIGSEGV", 0}, {"raise-6", "signal", "SIGABRT", 0});
}

static void the_rarer_signals_that_end_are_reported(void **state)
{
    CHECK_ENDINGS({"signal-4", "signal", "SIGILL", 0}, {"signal-5", "signal", "SIGTRAP", 0},
                  {"signal-7", "signal", "SIGBUS", 0}, {"signal-8", "signal", "SIGFPE", 0},
                  {"signal-10", "signal", "SIGUSR1", 0}, {"signal-12", "signal", "SIGUSR2", 0},
                  {"signal-13", "signal", "SIGPIPE", 0}, {"signal-14", "signal", "SIGALRM", 0},
                  {"signal-24", "signal", "SIGXCPU", 0}, {"signal-25", "signal", "SIGXFSZ", 0},
                  {"signal-26", "signal", "SIGVTALRM", 0}, {"signal-27", "signal", "SIGPROF", 0},
                  {"signal-31", "signal", "SIGSYS", 0});
}

static void a_broken_pipe_ends_as_without_stint(void **state)
{
    CHECK_ENDINGS({"pipe", "signal", "SIGPIPE", 0});
}

static void the_fault_is_described(void **state)
{
    struct both both;
    both_run(&both, &(struct run_spec){.target = "endings", .args = {"segv"}});
    assert_string_equal(report_ending(both.report, "code"), "SEGV_MAPERR");
    assert_string_equal(report_ending(both.report, "address"), "0x0");
    const json_t *ending = json_object_get(json_object_get(both.report, "process"), "ending");
    const json_t *thread = json_array_get(json_object_get(both.report, "threads"), 0);
    assert_int_equal(integer_at(ending, "thread"), integer_at(thread, "id"));
    both_fini(&both);
}

/* The report's file is limited, too: the recording is kept, the program ends as it would. */
static void a_file_size_limit_ends_as_without_stint(void **state)
{
    struct both both;
    both_run_bare(&both, &(struct run_spec){.target = "endings", .args = {"xfsz"}, .says = true});
    assert_int_equal(WTERMSIG(both.plain.status), SIGXFSZ);
    char *out = run_list(&both.stint, "out");
    assert_string_equal(out, "");
    free(out);
    both_fini(&both);
}

static void exits_from_elsewhere(const char *way, int status)
{
    struct both both;
    struct run_spec spec = {.target = "exit-elsewhere", .args = {way}};
    both_run(&both, &spec);
    assert_int_equal(WEXITSTATUS(both.stint.status), status);
    const json_t *ending = json_object_get(json_object_get(both.report, "process"), "ending");
    assert_int_equal(integer_at(ending, "status"), status);
    both_fini(&both);
}

static void exit_from_a_thread(void **state) { exits_from_elsewhere("thread", 11); }

static void exit_from_an_atexit_handler(void **state) { exits_from_elsewhere("atexit", 12); }

static void exit_from_a_signal_handler_while_main_is_in_malloc(void **state)
{
    for (int i = 0; i < 5; i++) exits_from_elsewhere("malloc", 13);
}

static void exit_from_two_threads_at_once_gives_one_report(void **state)
{
    for (int i = 0; i < 5; i++) {
        struct both both;
        both_run_bare(&both, &(struct run_spec){.target = "exit-elsewhere", .args = {"twice"}});
        both_check_left(&both, "profiling_results.json");
        both.report = report_load(&both.stint, "profiling_results.json", CHECK_RACING);
        both_fini(&both);
    }
}

static void main_may_leave_first(void **state) { same_and_true("main-leaves-first"); }

static void overflows(const char *where)
{
    struct both both;
    both_run_bare(&both, &(struct run_spec){.target = "overflow", .args = {where}});
    assert_int_equal(WTERMSIG(both.plain.status), SIGSEGV);
    both_check_left(&both, "profiling_results.json");
    both.report = report_load(&both.stint, "profiling_results.json", CHECK_ALL);
    assert_string_equal(report_ending(both.report, "signal"), "SIGSEGV");
    assert_true(report_backtrace_has(both.report, "endless"));
    assert_true(report_open(both.report, "endless") > 1000);
    both_fini(&both);
}

static void a_stack_overflow_in_main_is_reported(void **state) { overflows(NULL); }

static void a_stack_overflow_in_a_thread_is_reported(void **state) { overflows("thread"); }

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exits_of_every_kind_keep_their_status),
        cmocka_unit_test(faults_are_reported_with_their_backtrace),
        cmocka_unit_test(aborts_are_reported),
        cmocka_unit_test(signals_that_end_are_reported),
        cmocka_unit_test(the_rarer_signals_that_end_are_reported),
        cmocka_unit_test(a_broken_pipe_ends_as_without_stint),
        cmocka_unit_test(the_fault_is_described),
        cmocka_unit_test(a_file_size_limit_ends_as_without_stint),
        cmocka_unit_test(exit_from_a_thread),
        cmocka_unit_test(exit_from_an_atexit_handler),
        cmocka_unit_test(exit_from_a_signal_handler_while_main_is_in_malloc),
        cmocka_unit_test(exit_from_two_threads_at_once_gives_one_report),
        cmocka_unit_test(main_may_leave_first),
        cmocka_unit_test(a_stack_overflow_in_main_is_reported),
        cmocka_unit_test(a_stack_overflow_in_a_thread_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

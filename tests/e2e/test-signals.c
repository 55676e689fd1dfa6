/* SPDX-License-Identifier: MIT
 *
 * Signals that don't end: instrumented handlers, the program's own view, system calls, other
 * stacks. */
#include "cases.h"

/* Each side's Count plus its share of what was lost is the truth. */
static void check_with_lost(const char *target, const char *arg, double bound)
{
    struct both both;
    struct run_spec spec = {.target = target, .args = {arg}, .truth_varies = true};
    both_run_bare(&both, &spec);
    both_check_left(&both, "profiling_results.json");
    both.report = report_load(&both.stint, "profiling_results.json", CHECK_ALL);
    check_truth_with_lost(both.report, both.stint.out, "calls_while_busy", bound);
    assert_int_equal(report_lost(both.report, "unmatched_exits"), 0);
    both_fini(&both);
}

static void handlers_at_ten_kilohertz_and_the_code_below_are_counted(void **state)
{
    check_with_lost("timer-handler", "5000", 0.001);
}

static void handlers_at_every_instruction_of_the_hooks_are_counted(void **state)
{
    /* Half of the instructions or so are those of slow paths, under which a handler's calls count
     * as lost: more, the more durations are new. What must hold is that none is missing. */
    check_with_lost("single-steps", NULL, 0.9);
}

static void own_handlers(const char *way, const char *number)
{
    struct both both;
    both_run(&both, &(struct run_spec){.target = "own-handlers", .args = {way, number}});
    assert_non_null(strstr(both.stint.out, "own handler"));
    both_fini(&both);
}

static void the_programs_handlers_are_in_charge(void **state)
{
    static const char *const numbers[] = {"1",  "2",  "3",  "6",  "10", "11",
                                          "12", "13", "14", "15", "17"};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        own_handlers("leaves", numbers[i]);
        if (strcmp(numbers[i], "6")) own_handlers("returns", numbers[i]);
    }
}

static void reset_to_default_and_raised_again_gives_a_report(void **state)
{
    static const char *const numbers[] = {"6", "11", "15"};
    static const char *const names[] = {"SIGABRT", "SIGSEGV", "SIGTERM"};
    for (size_t i = 0; i < 3; i++) {
        struct both both;
        both_run(&both,
                 &(struct run_spec){.target = "own-handlers", .args = {"reraises", numbers[i]}});
        assert_int_equal(WTERMSIG(both.stint.status), atoi(numbers[i]));
        assert_string_equal(report_ending(both.report, "signal"), names[i]);
        both_fini(&both);
    }
}

static void ignore_term(void) { signal(SIGTERM, SIG_IGN); }

static void an_inherited_ignore_stays(void **state)
{
    struct both both;
    struct run_spec spec = {.target = "endings", .args = {"signal-15"}, .prepare = ignore_term};
    both_run(&both, &spec);
    assert_int_equal(WEXITSTATUS(both.stint.status), 2);
    both_fini(&both);
}

static void block_all(void)
{
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL);
}

static void a_blocked_signal_stays_blocked(void **state)
{
    struct both both;
    struct run_spec spec = {.target = "endings", .args = {"signal-15"}, .prepare = block_all};
    both_run(&both, &spec);
    assert_int_equal(WEXITSTATUS(both.stint.status), 2);
    both_fini(&both);
}

static void a_fault_with_all_signals_blocked_is_reported_or_ends_alike(void **state)
{
    struct both both;
    struct run_spec spec = {.target = "endings", .args = {"segv"}, .prepare = block_all};
    both_run_bare(&both, &spec);
    assert_int_equal(WTERMSIG(both.stint.status), SIGSEGV);
    both_fini(&both);
}

static void system_calls_are_interrupted_no_more_than_without(void **state)
{
    same_and_true("interrupted-calls");
}

static void sigwait_gets_what_was_sent(void **state) { same_and_true("waits-for-signal"); }

static void the_programs_own_alternate_stack_is_its_own(void **state)
{
    struct both both;
    both_run(&both, &(struct run_spec){.target = "own-altstack", .args = {"handled"}});
    assert_int_equal(WEXITSTATUS(both.stint.status), 23);
    both_fini(&both);
    both_run(&both, &(struct run_spec){.target = "own-altstack", .args = {"crash"}});
    assert_int_equal(WTERMSIG(both.stint.status), SIGSEGV);
    assert_true(report_backtrace_has(both.report, "main"));
    both_fini(&both);
}

static void an_alternate_stack_of_the_least_size_has_room_for_us(void **state)
{
    static const char *const when[] = {"first", "later"};
    for (size_t i = 0; i < 2; i++) {
        struct both both;
        both_run(&both, &(struct run_spec){.target = "tiny-altstack", .args = {when[i]}});
        assert_int_equal(both.plain.status, 0);
        both_fini(&both);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(handlers_at_ten_kilohertz_and_the_code_below_are_counted),
        cmocka_unit_test(handlers_at_every_instruction_of_the_hooks_are_counted),
        cmocka_unit_test(the_programs_handlers_are_in_charge),
        cmocka_unit_test(reset_to_default_and_raised_again_gives_a_report),
        cmocka_unit_test(an_inherited_ignore_stays),
        cmocka_unit_test(a_blocked_signal_stays_blocked),
        cmocka_unit_test(a_fault_with_all_signals_blocked_is_reported_or_ends_alike),
        cmocka_unit_test(system_calls_are_interrupted_no_more_than_without),
        cmocka_unit_test(sigwait_gets_what_was_sent),
        cmocka_unit_test(the_programs_own_alternate_stack_is_its_own),
        cmocka_unit_test(an_alternate_stack_of_the_least_size_has_room_for_us),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

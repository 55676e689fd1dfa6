/* SPDX-License-Identifier: MIT
 *
 * Fatal signals: the wait status is the signal's, and the report or the store is there. */
#include "life/crash.h"

#include "fake-companion.h"

#include "signals/sigview.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static int raised;

static void no_core(void)
{
    const struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    fake_record();
}

static void raise_it(void)
{
    no_core();
    raise(raised);
}

static int signal_of(int status) { return WIFSIGNALED(status) ? WTERMSIG(status) : -1; }

static void every_fatal_signal_is_reported_and_kills(void **state)
{
    for (raised = 1; raised < 32; raised++) {
        char expected[64];
        if (!sigview_is_fatal(raised)) continue;
        assert_int_equal(fake_set_up(state), 0);
        assert_int_equal(signal_of(fake_child(raise_it)), raised);
        /* Written once without and once with the backtrace's three frames. */
        snprintf(expected, sizeof expected, "2 0 %d 3 2", raised);
        assert_string_equal(fake_report(".json"), expected);
        assert_int_equal(fake_files(""), 1);
        assert_int_equal(fake_tear_down(state), 0);
    }
}

static volatile char *volatile nowhere;

__attribute__((no_sanitize("address", "undefined"))) static void fault(void)
{
    no_core();
    *nowhere = 1;
}

static void a_fault_is_reported(void **state)
{
    assert_int_equal(signal_of(fake_child(fault)), SIGSEGV);
    assert_string_equal(fake_report(".json"), "2 0 11 3 2");
}

static volatile int for_ever = 1;

__attribute__((no_sanitize("address"))) static int overflow(volatile char *outer)
{
    volatile char space[1024];
    space[0] = outer[0];
    return (for_ever ? overflow(space) : 0) + space[1];
}

static void overflow_main(void)
{
    volatile char first[2] = "";
    no_core();
    (void)overflow(first);
}

static void *overflow_there(void *unused)
{
    volatile char first[2] = "";
    fake_record();
    (void)overflow(first);
    return NULL;
}

static void overflow_thread(void)
{
    pthread_t thread;
    no_core();
    pthread_create(&thread, NULL, overflow_there, NULL);
    pthread_join(thread, NULL);
}

static void an_overflowing_stack_is_reported(void **state)
{
    assert_int_equal(signal_of(fake_child(overflow_main)), SIGSEGV);
    assert_string_equal(fake_report(".json"), "2 0 11 3 2");
}

static void an_overflowing_stack_of_a_thread_is_reported(void **state)
{
    assert_int_equal(signal_of(fake_child(overflow_thread)), SIGSEGV);
    assert_string_equal(fake_report(".json"), "2 0 11 3 2");
}

static void a_walk_that_hangs_costs_the_backtrace(void **state)
{
    fake_walk = FAKE_WALK_HANGS;
    raised = SIGABRT;
    assert_int_equal(signal_of(fake_child(raise_it)), SIGABRT);
    assert_string_equal(fake_report(".json"), "2 0 6 0 1");
    assert_int_equal(fake_files(".store"), 0);
}

static void a_walk_that_faults_costs_the_backtrace(void **state)
{
    fake_walk = FAKE_WALK_FAULTS;
    assert_int_equal(signal_of(fake_child(fault)), SIGSEGV);
    assert_string_equal(fake_report(".json"), "2 0 11 0 1");
    assert_int_equal(fake_files(".store"), 0);
}

static void a_report_that_hangs_keeps_signal_and_store(void **state)
{
    fake_write = FAKE_HANGS;
    raised = SIGTERM;
    assert_int_equal(signal_of(fake_child(raise_it)), SIGTERM);
    assert_int_equal(fake_files(".store"), 1);
}

static void a_report_that_faults_keeps_signal_and_store(void **state)
{
    fake_write = FAKE_FAULTS;
    raised = SIGTERM;
    assert_int_equal(signal_of(fake_child(raise_it)), SIGTERM);
    assert_int_equal(fake_files(".store"), 1);
}

static void a_second_signal_meanwhile_changes_nothing(void **state)
{
    fake_write = FAKE_RAISES; /* SIGINT, which is lower and would be delivered first */
    raised = SIGTERM;
    assert_int_equal(signal_of(fake_child(raise_it)), SIGTERM);
    assert_string_equal(fake_report(".json"), "2 0 15 3 2");
}

static void *raise_there(void *unused)
{
    raise(SIGUSR1);
    return NULL;
}

static void raise_in_many(void)
{
    pthread_t threads[8];
    no_core();
    for (int i = 0; i < 8; i++) pthread_create(&threads[i], NULL, raise_there, NULL);
    for (int i = 0; i < 8; i++) pthread_join(threads[i], NULL);
}

static void threads_that_crash_at_once_make_one_report(void **state)
{
    assert_int_equal(signal_of(fake_child(raise_in_many)), SIGUSR1);
    assert_string_equal(fake_report(".json"), "2 0 10 3 2");
}

static void fork_and_raise(void)
{
    int status;
    no_core();
    pid_t child = fork();
    if (child == 0) {
        raise(SIGTERM);
        _exit(1);
    }
    waitpid(child, &status, 0);
    _exit(signal_of(status) == SIGTERM ? 0 : 1);
}

static void a_forked_child_that_recorded_nothing_just_dies(void **state)
{
    assert_int_equal(fake_child(fork_and_raise), 0);
    assert_int_equal(fake_files(".json"), 0);
}

int main(void)
{
#define CASE(test) cmocka_unit_test_setup_teardown(test, fake_set_up, fake_tear_down)
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_fatal_signal_is_reported_and_kills),
        CASE(a_fault_is_reported),
        CASE(an_overflowing_stack_is_reported),
        CASE(an_overflowing_stack_of_a_thread_is_reported),
        CASE(a_walk_that_hangs_costs_the_backtrace),
        CASE(a_walk_that_faults_costs_the_backtrace),
        CASE(a_report_that_hangs_keeps_signal_and_store),
        CASE(a_report_that_faults_keeps_signal_and_store),
        CASE(a_second_signal_meanwhile_changes_nothing),
        CASE(threads_that_crash_at_once_make_one_report),
        CASE(a_forked_child_that_recorded_nothing_just_dies),
    };
    return cmocka_run_group_tests_name("life/crash", tests, NULL, NULL);
}

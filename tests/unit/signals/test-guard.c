/* SPDX-License-Identifier: MIT
 *
 * Jobs that end, hang and fault; and what the target finds afterwards. */
#include "signals/guard.h"

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define SOON_NS 10000000
#define LATER_NS UINT64_C(60000000000)

static sigset_t before;

static int begin(void **state)
{
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &before);
    return guard_install() ? 0 : -1;
}

static int end(void **state)
{
    sigprocmask(SIG_SETMASK, &before, NULL);
    return 0;
}

static long gives(void *number) { return *(long *)number; }

static volatile int for_ever = 1;

static long hangs(void *unused)
{
    while (for_ever) continue;
    return 0;
}

__attribute__((no_sanitize("address", "undefined"))) static long faults(void *nothing)
{
    *(volatile char *)nothing = 1;
    return 0;
}

static long overflows(void *depth)
{
    volatile char space[4096];
    space[0] = 1;
    return (for_ever ? overflows((void *)space) : 0) + space[0];
}

static void a_jobs_result_is_handed_on(void **state)
{
    long number = 12;
    guard_begin(true);
    assert_int_equal(guard_run(gives, &number, LATER_NS), 12);
    guard_end();
}

static void a_job_that_hangs_is_left(void **state)
{
    long number = 3;
    guard_begin(false);
    assert_int_equal(guard_run(hangs, NULL, SOON_NS), -ETIMEDOUT);
    assert_int_equal(guard_run(gives, &number, LATER_NS), 3);
    guard_end();
}

static void a_job_that_faults_is_left(void **state)
{
    guard_begin(true);
    for (int i = 0; i < 3; i++) assert_int_equal(guard_run(faults, NULL, LATER_NS), -EFAULT);
    guard_end();
}

static void a_job_that_overflows_its_stack_is_left(void **state)
{
    guard_begin(true);
    assert_int_equal(guard_run(overflows, NULL, LATER_NS), -EFAULT);
    guard_end();
}

static void own(int signal) {}

static void dispositions_mask_and_signal_stack_are_as_before(void **state)
{
    static char space[64 * 1024];
    stack_t mine = {.ss_sp = space, .ss_size = sizeof space}, none = {.ss_flags = SS_DISABLE}, now;
    struct sigaction given = {.sa_handler = own}, old;
    sigset_t mask;
    sigaltstack(&mine, NULL);
    sigaction(SIGBUS, &given, NULL);
    guard_begin(true);
    assert_int_equal(guard_run(faults, NULL, LATER_NS), -EFAULT);
    guard_end();
    sigaltstack(&none, &now);
    assert_ptr_equal(now.ss_sp, space);
    given.sa_handler = SIG_DFL;
    sigaction(SIGBUS, &given, &old);
    assert_ptr_equal(old.sa_handler, own);
    for (int signal = SIGRTMIN; signal <= SIGRTMAX; signal++) {
        sigaction(signal, NULL, &old);
        assert_ptr_equal(old.sa_handler, SIG_DFL);
    }
    sigprocmask(SIG_BLOCK, NULL, &mask);
    assert_int_equal(sigismember(&mask, SIGTERM), 1);
}

/* A thread of the target with a handler of its own faults while a job runs. */
static sigjmp_buf recovered;
static volatile sig_atomic_t is_in_job, has_recovered;

static void recover(int signal) { siglongjmp(recovered, 1); }

static void *faulting_thread(void *unused)
{
    while (!is_in_job) __asm__ volatile("");
    if (!sigsetjmp(recovered, 1)) faults(NULL);
    has_recovered = 1;
    return NULL;
}

static long lets_it_fault(void *unused)
{
    is_in_job = 1;
    for (volatile long i = 0; i < 3000000; i++) continue; /* likely enough for it to fault now */
    return 0;
}

static void a_threads_own_handler_gets_its_fault_afterwards(void **state)
{
    pthread_t thread;
    struct sigaction given = {.sa_handler = recover};
    sigaction(SIGSEGV, &given, NULL);
    sigprocmask(SIG_SETMASK, &before, NULL);
    pthread_create(&thread, NULL, faulting_thread, NULL);
    (void)begin(NULL);
    guard_begin(true);
    assert_int_equal(guard_run(lets_it_fault, NULL, LATER_NS), 0);
    guard_end();
    pthread_join(thread, NULL);
    assert_int_equal(has_recovered, 1);
    given.sa_handler = SIG_DFL;
    sigaction(SIGSEGV, &given, NULL);
}

/* A child forked by another thread while this one reports: not through fork_child. */
static void in_child(int (*check)(void))
{
    struct sigaction given = {.sa_handler = recover};
    int status = -1;
    sigaction(SIGSEGV, &given, NULL);
    guard_begin(true);
    pid_t child = fork();
    if (child == 0) _exit(check());
    waitpid(child, &status, 0);
    guard_end();
    given.sa_handler = SIG_DFL;
    sigaction(SIGSEGV, &given, NULL);
    assert_int_equal(status, 0);
}

static int its_faults_reach_its_handler(void)
{
    volatile int times = 0;
    sigprocmask(SIG_SETMASK, &before, NULL);
    if (!sigsetjmp(recovered, 1)) faults(NULL);
    if (++times == 1) raise(SIGSEGV);
    return times == 2 ? 0 : 1;
}

static void a_childs_fault_waits_for_nobody(void **state)
{
    in_child(its_faults_reach_its_handler);
}

static int its_sent_fault_reaches_its_handler(void)
{
    sigprocmask(SIG_SETMASK, &before, NULL);
    if (!sigsetjmp(recovered, 1))
        raise(SIGSEGV);
    else
        return 0;
    return 1;
}

static void a_fault_sent_to_a_child_waits_for_nobody(void **state)
{
    in_child(its_sent_fault_reaches_its_handler);
}

static int it_has_what_the_target_set(void)
{
    struct sigaction now;
    guard_child();
    sigaction(SIGSEGV, NULL, &now);
    if (now.sa_handler != recover) return 1;
    sigaction(SIGBUS, NULL, &now);
    if (now.sa_handler != own) return 2;
    for (int signal = SIGRTMIN; signal <= SIGRTMAX; signal++) {
        sigaction(signal, NULL, &now);
        if (now.sa_handler != SIG_DFL) return 3;
    }
    return 0;
}

static void a_child_is_given_back_every_disposition(void **state)
{
    struct sigaction given = {.sa_handler = own}, old;
    sigaction(SIGBUS, &given, &old);
    in_child(it_has_what_the_target_set);
    sigaction(SIGBUS, &old, NULL);
}

/* While the target goes on: what stands for a signal's default asks the guard. */
static volatile sig_atomic_t arrived;

static void stands_for_default(int signal, siginfo_t *info, void *context)
{
    if (guard_takes(signal, info, context)) return;
    arrived++;
    if (guard_is_fault(signal, info)) _exit(7);
}

/* In a child: the dispositions are not given back. */
static int status_of(int (*check)(void))
{
    int status = -1;
    pid_t child = fork();
    if (child == 0) {
        for (int i = 1; i < SIGRTMIN; i++) signal(i, SIG_DFL); /* cmocka's */
        sigview_install(stands_for_default);
        guard_begin(false);
        _exit(check());
    }
    waitpid(child, &status, 0);
    return status;
}

static int a_fault_leaves_it(void)
{
    long number = 5;
    for (int i = 0; i < 3; i++)
        if (guard_run(faults, NULL, LATER_NS) != -EFAULT) return 1;
    if (guard_run(overflows, NULL, LATER_NS) != -EFAULT) return 2;
    if (guard_run(gives, &number, LATER_NS) != 5 || arrived) return 3;
    guard_end();
    sigprocmask(SIG_SETMASK, &before, NULL);
    faults(NULL); /* the target's own, from here on */
    return 4;
}

static void a_fault_leaves_the_job_though_no_disposition_is_taken(void **state)
{
    int status = status_of(a_fault_leaves_it);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 7);
}

static long is_sent_one(void *unused)
{
    raise(SIGSEGV);
    raise(SIGBUS);
    return arrived;
}

static int a_sent_one_waits(void)
{
    if (guard_run(is_sent_one, NULL, LATER_NS) != 0) return 1;
    guard_end();
    if (arrived) return 2;
    sigprocmask(SIG_SETMASK, &before, NULL);
    return arrived == 2 ? 0 : 3;
}

static void a_fault_signal_that_is_sent_waits_for_the_end(void **state)
{
    assert_int_equal(status_of(a_sent_one_waits), 0);
}

static int with_a_handler_of_its_own(void)
{
    struct sigaction given = {.sa_handler = own};
    sigaction(SIGSEGV, &given, NULL);
    guard_end();
    guard_begin(false);
    return guard_run(faults, NULL, LATER_NS) == 0 ? 8 : 9;
}

static void the_targets_own_handler_does_not_run_in_a_job(void **state)
{
    int status = status_of(with_a_handler_of_its_own);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGSEGV);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_jobs_result_is_handed_on, begin, end),
        cmocka_unit_test_setup_teardown(a_job_that_hangs_is_left, begin, end),
        cmocka_unit_test_setup_teardown(a_job_that_faults_is_left, begin, end),
        cmocka_unit_test_setup_teardown(a_job_that_overflows_its_stack_is_left, begin, end),
        cmocka_unit_test_setup_teardown(dispositions_mask_and_signal_stack_are_as_before, begin,
                                        end),
        cmocka_unit_test_setup_teardown(a_threads_own_handler_gets_its_fault_afterwards, begin,
                                        end),
        cmocka_unit_test_setup_teardown(a_childs_fault_waits_for_nobody, begin, end),
        cmocka_unit_test_setup_teardown(a_fault_sent_to_a_child_waits_for_nobody, begin, end),
        cmocka_unit_test_setup_teardown(a_child_is_given_back_every_disposition, begin, end),
        cmocka_unit_test_setup_teardown(a_fault_leaves_the_job_though_no_disposition_is_taken,
                                        begin, end),
        cmocka_unit_test_setup_teardown(a_fault_signal_that_is_sent_waits_for_the_end, begin, end),
        cmocka_unit_test_setup_teardown(the_targets_own_handler_does_not_run_in_a_job, begin, end),
    };
    return cmocka_run_group_tests_name("signals/guard", tests, NULL, NULL);
}

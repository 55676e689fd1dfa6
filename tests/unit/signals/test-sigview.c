/* SPDX-License-Identifier: MIT
 *
 * What a program sees of its dispositions beside what the kernel holds: every case in a process of
 * its own, since handlers once installed stay. */
#include "signals/sigview.h"

#include "signals/altstack.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { CRASHED = 77 };

static void crash(int signal, siginfo_t *info, void *context) { _exit(CRASHED); }

/* The exit status of run() in a child with our handlers installed; −signal where one killed it. */
static int in_child(int (*run)(void))
{
    pid_t child = fork();
    if (child == 0) {
        const stack_t none = {.ss_flags = SS_DISABLE};
        sigaltstack(&none, NULL); /* sanitizers bring one */
        sigview_install(crash);
        _exit(run());
    }
    int status;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

#define CHECK(condition)                                                                           \
    if (!(condition)) return __LINE__ % 250 + 1

static void own(int signal) {}
static void other(int signal) {}
static void own_info(int signal, siginfo_t *info, void *context) {}

static void (*in_kernel(int signal))(int, siginfo_t *, void *)
{
    struct sigview_kernel_action now;
    return sigview_kernel(signal, NULL, &now) ? NULL : now.handler;
}

static int sees_default(void)
{
    struct sigaction now;
    memset(&now, 0xff, sizeof now);
    CHECK(sigview_action(SIGTERM, NULL, &now) == 0);
    CHECK(now.sa_handler == SIG_DFL && now.sa_flags == 0 && sigismember(&now.sa_mask, SIGINT) == 0);
    CHECK(in_kernel(SIGTERM) == crash);
    CHECK(sigview_bsd_signal(SIGTERM, SIG_DFL) == SIG_DFL);
    CHECK(in_kernel(SIGTERM) == crash);
    return 0;
}

static int sets_and_resets(void)
{
    CHECK(sigview_bsd_signal(SIGTERM, own) == SIG_DFL);
    CHECK((uintptr_t)in_kernel(SIGTERM) == (uintptr_t)own);
    CHECK(sigview_bsd_signal(SIGTERM, other) == own);
    CHECK(sigview_bsd_signal(SIGTERM, SIG_IGN) == other);
    CHECK((uintptr_t)in_kernel(SIGTERM) == (uintptr_t)SIG_IGN);
    CHECK(sigview_bsd_signal(SIGTERM, SIG_DFL) == SIG_IGN);
    CHECK(in_kernel(SIGTERM) == crash);
    return 0;
}

static int default_keeps_flags(void)
{
    struct sigaction given = {.sa_handler = SIG_DFL, .sa_flags = SA_NODEFER}, now;
    sigaddset(&given.sa_mask, SIGUSR2);
    CHECK(sigview_action(SIGTERM, &given, NULL) == 0);
    CHECK(sigview_action(SIGTERM, NULL, &now) == 0);
    CHECK((now.sa_flags & SA_NODEFER) && !(now.sa_flags & SA_ONSTACK));
    CHECK(sigismember(&now.sa_mask, SIGUSR2) && !sigismember(&now.sa_mask, SIGUSR1));
    return 0;
}

static int others_stay_alone(void)
{
    CHECK(!in_kernel(SIGCHLD) && !in_kernel(SIGWINCH) && !in_kernel(SIGTSTP) &&
          !in_kernel(SIGCONT));
    CHECK(sigview_bsd_signal(SIGCHLD, SIG_DFL) == SIG_DFL);
    CHECK(!in_kernel(SIGCHLD));
    return 0;
}

static int door_is_hidden(void)
{
    struct sigaction given = {.sa_handler = own, .sa_flags = SA_ONSTACK}, now;
    CHECK(sigview_action(SIGUSR1, &given, &now) == 0 && now.sa_handler == SIG_DFL);
    CHECK(sigview_action(SIGUSR1, NULL, &now) == 0 && now.sa_handler == own);
    CHECK((now.sa_flags & SA_ONSTACK) && !(now.sa_flags & SA_SIGINFO));
    given.sa_sigaction = own_info;
    given.sa_flags = SA_ONSTACK | SA_SIGINFO;
    CHECK(sigview_action(SIGUSR1, &given, &now) == 0 && now.sa_handler == own);
    CHECK(sigview_action(SIGUSR1, &now, &now) == 0 && now.sa_sigaction == own_info);
    CHECK(now.sa_flags & SA_SIGINFO);
    return 0;
}

static volatile sig_atomic_t calls;
static void count(int signal) { calls++; }

static int one_shot_is_followed_by_ours(void)
{
    CHECK(sigview_sysv_signal(SIGUSR1, count) == SIG_DFL);
    raise(SIGUSR1);
    CHECK(calls == 1 && in_kernel(SIGUSR1) == crash);
    raise(SIGUSR1);
    return 1;
}

static int reset_leaves_the_targets_flags(void)
{
    static const int signals[] = {SIGTERM, SIGCHLD};
    for (int i = 0; i < 2; i++) {
        struct sigaction given = {.sa_handler = count,
                                  .sa_flags = (int)(SA_RESETHAND | SA_ONSTACK)};
        struct sigaction now;
        CHECK(sigview_action(signals[i], &given, NULL) == 0);
        CHECK(raise(signals[i]) == 0);
        CHECK(sigview_action(signals[i], NULL, &now) == 0);
        CHECK(now.sa_handler == SIG_DFL && !(now.sa_flags & SA_SIGINFO));
        CHECK((now.sa_flags & (int)SA_RESETHAND) && (now.sa_flags & SA_ONSTACK));
    }
    return 0;
}

static void reset_and_raise(int signal)
{
    sigview_bsd_signal(signal, SIG_DFL);
    raise(signal);
}

static int reset_and_raise_comes_to_us(void)
{
    sigview_bsd_signal(SIGTERM, reset_and_raise);
    raise(SIGTERM);
    return 1;
}

static int sigset_holds(void)
{
    sigset_t mask;
    CHECK(sigview_sigset(SIGTERM, own) == SIG_DFL);
    CHECK(sigview_sigset(SIGTERM, SIG_HOLD) == own);
    sigprocmask(SIG_BLOCK, NULL, &mask);
    CHECK(sigismember(&mask, SIGTERM));
    CHECK(sigview_sigset(SIGTERM, SIG_DFL) == SIG_HOLD);
    sigprocmask(SIG_BLOCK, NULL, &mask);
    CHECK(!sigismember(&mask, SIGTERM) && in_kernel(SIGTERM) == crash);
    return 0;
}

static int interrupt_is_remembered(void)
{
    struct sigaction now;
    CHECK(sigview_interrupt(SIGUSR1, 1) == 0 && in_kernel(SIGUSR1) == crash);
    CHECK(sigview_bsd_signal(SIGUSR1, own) == SIG_DFL);
    CHECK(sigview_action(SIGUSR1, NULL, &now) == 0 && !(now.sa_flags & SA_RESTART));
    CHECK(sigview_interrupt(SIGUSR1, 0) == 0);
    CHECK(sigview_action(SIGUSR1, NULL, &now) == 0 && (now.sa_flags & SA_RESTART));
    return 0;
}

static int wrong_numbers_are_einval(void)
{
    struct sigaction now;
    errno = 0;
    CHECK(sigview_bsd_signal(0, own) == SIG_ERR && errno == EINVAL);
    errno = 0;
    CHECK(sigview_bsd_signal(65, own) == SIG_ERR && errno == EINVAL);
    errno = 0;
    CHECK(sigview_bsd_signal(SIGKILL, own) == SIG_ERR && errno == EINVAL);
    errno = 0;
    CHECK(sigview_bsd_signal(SIGTERM, SIG_ERR) == SIG_ERR && errno == EINVAL);
    errno = 0;
    CHECK(sigview_action(-1, NULL, &now) == -1 && errno == EINVAL);
    errno = 0;
    CHECK(sigview_interrupt(99, 1) == -1 && errno == EINVAL);
    return 0;
}

static int handlers_from_before_are_kept(void)
{
    struct sigaction given = {.sa_handler = own, .sa_flags = SA_ONSTACK}, now;
    sigview_action(SIGUSR1, &given, NULL);
    sigview_bsd_signal(SIGUSR2, SIG_IGN);
    sigview_install(crash);
    CHECK(sigview_action(SIGUSR1, NULL, &now) == 0 && now.sa_handler == own);
    CHECK(sigview_action(SIGUSR2, NULL, &now) == 0 && now.sa_handler == SIG_IGN);
    return 0;
}

static int own_altstack_alone_is_seen(void)
{
    static char space[64 * 1024];
    stack_t mine = {.ss_sp = space, .ss_size = sizeof space}, now;
    altstack_attach();
    CHECK(sigview_altstack(NULL, &now) == 0 && (now.ss_flags & SS_DISABLE) && !now.ss_sp);
    CHECK(sigview_altstack(&mine, &now) == 0 && (now.ss_flags & SS_DISABLE));
    CHECK(sigview_altstack(NULL, &now) == 0 && now.ss_sp == space && !now.ss_flags);
    mine.ss_flags = SS_DISABLE;
    CHECK(sigview_altstack(&mine, &now) == 0 && now.ss_sp == space);
    CHECK(sigview_altstack(NULL, &now) == 0 && (now.ss_flags & SS_DISABLE));
    sigaltstack(NULL, &now);
    CHECK(altstack_is_ours(&now));
    return 0;
}

static volatile uintptr_t ran_at;
static void note_place(int signal) { ran_at = (uintptr_t)__builtin_frame_address(0); }

static int handler_runs_where_it_would_have(void)
{
    struct sigaction given = {.sa_handler = note_place, .sa_flags = SA_ONSTACK};
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    stack_t now;
    altstack_attach();
    sigview_action(SIGUSR1, &given, NULL);
    for (int i = 0; i < 3; i++) {
        raise(SIGUSR1);
        CHECK(ran_at < here && here - ran_at < 100000);
        sigaltstack(NULL, &now);
        CHECK(altstack_is_ours(&now) && now.ss_size == ALTSTACK_BYTES);
    }
    return 0;
}

#define PASSES(name, run)                                                                          \
    static void name(void **state) { assert_int_equal(in_child(run), 0); }
#define COMES_TO_US(name, run)                                                                     \
    static void name(void **state) { assert_int_equal(in_child(run), CRASHED); }

PASSES(the_target_sees_the_default_where_we_stand, sees_default)
PASSES(its_own_handlers_stand_in_the_kernel, sets_and_resets)
PASSES(flags_given_with_the_default_are_shown_again, default_keeps_flags)
PASSES(signals_that_do_not_end_a_process_are_untouched, others_stay_alone)
PASSES(a_handler_behind_the_door_is_shown_as_given, door_is_hidden)
COMES_TO_US(a_handler_that_resets_itself_leaves_us_there, one_shot_is_followed_by_ours)
PASSES(a_handler_that_resets_itself_leaves_its_own_flags, reset_leaves_the_targets_flags)
COMES_TO_US(reset_to_default_and_raise_comes_to_us, reset_and_raise_comes_to_us)
PASSES(sigset_holds_and_releases, sigset_holds)
PASSES(siginterrupt_is_remembered_by_signal, interrupt_is_remembered)
PASSES(wrong_arguments_are_refused, wrong_numbers_are_einval)
PASSES(handlers_from_before_stay_in_charge, handlers_from_before_are_kept)
PASSES(the_target_sees_its_own_signal_stack_alone, own_altstack_alone_is_seen)
PASSES(a_handler_is_not_put_on_our_signal_stack, handler_runs_where_it_would_have)

static int asked, handled;
static bool is_stints_thread;

static bool ask(void)
{
    asked++;
    return is_stints_thread;
}

static void handle(int signal) { handled++; }

static int shares(void)
{
    struct sigaction now, one = {.sa_handler = handle, .sa_flags = (int)SA_RESETHAND};
    CHECK(sigview_bsd_signal(SIGUSR1, own) == SIG_DFL);
    sigview_share(SIGUSR2, ask); /* at the crash handler, as it stood */
    CHECK(raise(SIGUSR2) == 0 && asked == 1);
    CHECK(sigview_bsd_signal(SIGUSR2, handle) == SIG_DFL);
    CHECK(raise(SIGUSR2) == 0 && asked == 2 && handled == 1);
    CHECK(sigview_action(SIGUSR2, NULL, &now) == 0);
    CHECK(now.sa_handler == handle && (now.sa_flags & ~0x04000000) == (int)SA_RESTART);
    CHECK(sigismember(&now.sa_mask, SIGUSR2) == 1); /* as signal() has it */
    is_stints_thread = true;
    CHECK(raise(SIGUSR2) == 0 && asked == 3 && handled == 1);
    is_stints_thread = false;
    CHECK(sigview_action(SIGUSR2, &one, NULL) == 0);
    CHECK(raise(SIGUSR2) == 0 && asked == 4 && handled == 2);
    CHECK(sigview_action(SIGUSR2, NULL, &now) == 0 && now.sa_handler == SIG_DFL);
    CHECK(raise(SIGUSR2) == 0 && asked == 5 && handled == 2);
    CHECK(sigview_ignore(SIGUSR2) == 0);
    CHECK(sigview_action(SIGUSR2, NULL, &now) == 0 && now.sa_handler == SIG_IGN);
    CHECK(raise(SIGUSR2) == 0 && asked == 6 && handled == 2);
    CHECK(sigview_bsd_signal(SIGUSR2, SIG_DFL) == SIG_IGN);
    CHECK(raise(SIGUSR2) == 0 && asked == 7); /* nor does it end the process */
    CHECK(sigview_bsd_signal(SIGUSR1, SIG_DFL) == own && in_kernel(SIGUSR1) == crash);
    return 0;
}

static void a_shared_signal_comes_to_both(void **state) { assert_int_equal(in_child(shares), 0); }

/* A handler that was there first, with its flags. */
static int shares_later(void)
{
    struct sigaction now, with = {.sa_sigaction = own_info, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    sigaddset(&with.sa_mask, SIGHUP);
    CHECK(sigview_action(SIGUSR2, &with, NULL) == 0);
    sigview_share(SIGUSR2, ask);
    CHECK(sigview_action(SIGUSR2, NULL, &now) == 0);
    CHECK(now.sa_sigaction == own_info && sigismember(&now.sa_mask, SIGHUP) == 1);
    CHECK((now.sa_flags & ~0x04000000) == (SA_SIGINFO | SA_ONSTACK));
    CHECK(raise(SIGUSR2) == 0 && asked == 1);
    return 0;
}

static void a_handler_that_was_there_stays(void **state)
{
    assert_int_equal(in_child(shares_later), 0);
}

static int fetches(void)
{
    sigset_t all, space;
    sigfillset(&all);
    CHECK(sigview_fetchable(&all, &space) == &all);
    sigview_share(SIGUSR2, ask);
    const sigset_t *set = sigview_fetchable(&all, &space);
    for (int signal = 1; signal <= SIGRTMAX; signal++)
        CHECK(sigismember(set, signal) == (sigismember(&all, signal) && signal != SIGUSR2));
    CHECK(sigismember(&all, SIGUSR2) == 1);
    return 0;
}

static void a_shared_signal_is_not_fetched(void **state) { assert_int_equal(in_child(fetches), 0); }

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_target_sees_the_default_where_we_stand),
        cmocka_unit_test(its_own_handlers_stand_in_the_kernel),
        cmocka_unit_test(flags_given_with_the_default_are_shown_again),
        cmocka_unit_test(signals_that_do_not_end_a_process_are_untouched),
        cmocka_unit_test(a_handler_behind_the_door_is_shown_as_given),
        cmocka_unit_test(a_handler_that_resets_itself_leaves_us_there),
        cmocka_unit_test(a_handler_that_resets_itself_leaves_its_own_flags),
        cmocka_unit_test(reset_to_default_and_raise_comes_to_us),
        cmocka_unit_test(sigset_holds_and_releases),
        cmocka_unit_test(siginterrupt_is_remembered_by_signal),
        cmocka_unit_test(wrong_arguments_are_refused),
        cmocka_unit_test(handlers_from_before_stay_in_charge),
        cmocka_unit_test(the_target_sees_its_own_signal_stack_alone),
        cmocka_unit_test(a_handler_is_not_put_on_our_signal_stack),
        cmocka_unit_test(a_shared_signal_comes_to_both),
        cmocka_unit_test(a_handler_that_was_there_stays),
        cmocka_unit_test(a_shared_signal_is_not_fetched),
    };
    return cmocka_run_group_tests_name("signals/sigview", tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT
 *
 * The target's view of its signal dispositions. The kernel's own state is the truth: where it holds
 * our crash handler the target believes SIG_DFL, where it holds our door (see sigview.c) the
 * target's handler stands in a table. So a forked child, a child of vfork and libc's internal
 * callers agree with us without a lock. */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

/* What rt_sigaction takes on x86-64 and aarch64. */
struct sigview_kernel_action {
    void (*handler)(int, siginfo_t *, void *);
    unsigned long flags;
    void *restorer;
    uint64_t mask;
};

/* rt_sigaction itself. 0 or −errno. Context: any thread, signal-safe (so are all of this file). */
int sigview_kernel(int signal, const struct sigview_kernel_action *action,
                   struct sigview_kernel_action *old);

/* True for the signals of design.md §4: their default ends the process, and that is reported. */
bool sigview_is_fatal(int signal);

/* From now on `handler` stands under every fatal signal at SIG_DFL, now or later; again in a forked
 * child for those that the target left meanwhile. */
void sigview_install(void (*handler)(int, siginfo_t *, void *));

/* The action under which it is installed: on the alternate stack, all signals blocked. */
struct sigview_kernel_action sigview_crash_action(void);

/* From now on each delivery of the signal calls `also` first, whatever the target does with it; its
 * default action is dropped. Where `also` answers true, that was all; else the target's own
 * handler, if it has one, runs as it would have. A child of vfork that sets the signal gets just
 * that. The signal is one that signame_parse takes. Context: start-up, once a process; again in
 * a forked child. */
void sigview_share(int signal, bool (*also)(void));

/* The set to be waited for instead of `set`: without the shared signal, which would else reach
 * either the program or stint. */
const sigset_t *sigview_fetchable(const sigset_t *set, sigset_t *space);

/* As sigaction, with errno. The other names are made of it: */
int sigview_action(int signal, const struct sigaction *action, struct sigaction *old);
/* signal, bsd_signal, ssignal */
sighandler_t sigview_bsd_signal(int signal, sighandler_t handler);
sighandler_t sigview_sysv_signal(int signal, sighandler_t handler);
sighandler_t sigview_sigset(int signal, sighandler_t disposition);
int sigview_ignore(int signal);
int sigview_interrupt(int signal, int interrupts);

/* As sigaltstack, with errno: the target sees only the stack that it gave. */
int sigview_altstack(const stack_t *stack, stack_t *old);

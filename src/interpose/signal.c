/* SPDX-License-Identifier: MIT
 *
 * libc's names for signal dispositions. What the target sees through them is its own view:
 * signals/sigview.h. */
#include "base/compiler.h"
#include "life/thread.h"
#include "real/real.h"
#include "signals/sigview.h"

#include <signal.h>
#include <stdint.h>

EXPORT int sigaction(int signal, const struct sigaction *restrict action,
                     struct sigaction *restrict old)
{
    return sigview_action(signal, action, old);
}

EXPORT int __sigaction(int signal, const struct sigaction *action, struct sigaction *old);
int __sigaction(int signal, const struct sigaction *action, struct sigaction *old)
{
    return sigview_action(signal, action, old);
}

EXPORT sighandler_t signal(int signal, sighandler_t handler)
{
    return sigview_bsd_signal(signal, handler);
}

EXPORT sighandler_t bsd_signal(int signal, sighandler_t handler);
sighandler_t bsd_signal(int signal, sighandler_t handler)
{
    return sigview_bsd_signal(signal, handler);
}

EXPORT sighandler_t ssignal(int signal, sighandler_t handler)
{
    return sigview_bsd_signal(signal, handler);
}

EXPORT sighandler_t sysv_signal(int signal, sighandler_t handler)
{
    return sigview_sysv_signal(signal, handler);
}

EXPORT sighandler_t __sysv_signal(int signal, sighandler_t handler)
{
    return sigview_sysv_signal(signal, handler);
}

EXPORT sighandler_t sigset(int signal, sighandler_t disposition)
{
    return sigview_sigset(signal, disposition);
}

EXPORT int sigignore(int signal) { return sigview_ignore(signal); }

EXPORT int siginterrupt(int signal, int interrupts)
{
    return sigview_interrupt(signal, interrupts);
}

/* A signal that stint shares is fetched by stint alone: see sigview_fetchable. */
EXPORT int sigwait(const sigset_t *restrict set, int *restrict signal)
{
    sigset_t space;
    return real()->sigwait(sigview_fetchable(set, &space), signal);
}

EXPORT int sigwaitinfo(const sigset_t *restrict set, siginfo_t *restrict info)
{
    sigset_t space;
    return real()->sigwaitinfo(sigview_fetchable(set, &space), info);
}

EXPORT int sigtimedwait(const sigset_t *restrict set, siginfo_t *restrict info,
                        const struct timespec *restrict timeout)
{
    sigset_t space;
    return real()->sigtimedwait(sigview_fetchable(set, &space), info, timeout);
}

/* Where that stack lies helps the recorder, which keeps calls apart by stacks. */
EXPORT int sigaltstack(const stack_t *restrict stack, stack_t *restrict old)
{
    stack_t given = stack ? *stack : (stack_t){.ss_flags = SS_DISABLE};
    int result = sigview_altstack(stack, old);
    if (!result && !(given.ss_flags & SS_DISABLE))
        thread_note_stack((uintptr_t)given.ss_sp, (uintptr_t)given.ss_sp + given.ss_size);
    return result;
}

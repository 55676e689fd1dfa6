/* SPDX-License-Identifier: MIT
 *
 * A fatal signal's way: claim the ending, move to a stack of our own, write the report, walk the
 * stack, write again, then queue the very signal to this thread at SIG_DFL and return, so that the
 * kernel ends the process in the context where it happened. What may hang or fault runs guarded: a
 * timer's signal or the fault itself leaves it by onstack_leave. Runs in the handler of one thread;
 * others that crash meanwhile wait for the claim. Nothing here takes a lock of the target. */
#include "life/crash.h"

#include "base/onstack.h"
#include "base/sys.h"
#include "clock/clock.h"
#include "life/companion.h"
#include "life/finish.h"
#include "life/reporting.h"
#include "life/start.h"
#include "record/recorder.h"
#include "signals/altstack.h"
#include "signals/guard.h"
#include "signals/sigview.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <ucontext.h>

enum { FRAMES_MOST = 256 };
#define WALK_LIMIT_NS UINT64_C(5000000000) /* a walk takes milliseconds, unless it hangs */

/* Written by the owner of finish's claim, but for `backtrace`, which the installing thread makes.
 */
static struct {
    store_ref backtrace; /* uint64_t[FRAMES_MOST] */
    uint32_t is_installed;
    struct onstack handler;
    int signal;
    siginfo_t info;
    void *context;
} crash;

#define BIT(signal) (UINT64_C(1) << ((signal)-1))

static void crash_handler(int signal, siginfo_t *info, void *context);

void crash_install(void)
{
    if (!guard_install()) return;
    crash.backtrace = store_alloc(&process.store, FRAMES_MOST * sizeof(uint64_t), 8);
    __atomic_store_n(&crash.is_installed, 1, __ATOMIC_RELEASE);
    sigview_install(crash_handler);
}

void crash_thread_stack(void) { altstack_attach(); }

void crash_thread_stack_end(void) { altstack_retire(); }

/* To be delivered when the handler returns, by the default action, as it first came. */
static void deliver(int signal, const siginfo_t *info)
{
    const struct sigview_kernel_action standard = {.handler = NULL /* SIG_DFL */};
    long pid = sys_call0(SYS_getpid), tid = sys_call0(SYS_gettid);
    (void)sigview_kernel(signal, &standard, NULL);
    if (sys_call4(SYS_rt_tgsigqueueinfo, pid, tid, signal, info))
        (void)sys_call3(SYS_tgkill, pid, tid, signal); /* a filter may forbid the former */
}

static long walk(void *stored)
{
    return (long)companion_table()->walk(crash.context, stored, FRAMES_MOST);
}

static long call_walk(void *stored)
{
    struct onstack place;
    return onstack_call(&place, walk, stored, companion_stack_top());
}

static struct store_ending signal_ending(void)
{
    const struct store_recorder *thread = recorder_of_thread();
    uint32_t source = store_head(&process.store)->clock_source;
    return (struct store_ending){
        .kind = STORE_ENDING_SIGNAL,
        .signal = crash.signal,
        .code = crash.info.si_code,
        .address = guard_is_fault(crash.signal, &crash.info) ? (uintptr_t)crash.info.si_addr : 0,
        .recorder = thread ? thread->id + 1 : 0,
        .ticks = clock_now((enum clock_source)source),
    };
}

/* The report stands without it; that it may hang or fault is why it comes after. */
static void add_backtrace(void)
{
    struct store_ending *ending = &store_head(&process.store)->ending;
    uint64_t limit_ns = process.settings.report_timeout_ns;
    if (limit_ns > WALK_LIMIT_NS) limit_ns = WALK_LIMIT_NS;
    if (!crash.backtrace) return;
    long frames = guard_run(call_walk, store_at(&process.store, crash.backtrace), limit_ns);
    if (frames <= 0) return;
    ending->frames = (uint32_t)frames;
    __atomic_store_n(&ending->backtrace, crash.backtrace, __ATOMIC_RELEASE);
    (void)reporting_again(); /* a failure leaves the first report */
}

/* The init of a namespace: the kernel drops every signal that was sent to it at SIG_DFL. */
static bool will_survive(void)
{
    return sys_call0(SYS_getpid) == 1 && !guard_is_fault(crash.signal, &crash.info);
}

static void report_end(void)
{
    struct store_ending ending = signal_ending();
    finish_set_ending(&ending);
    if (!reporting_final()) add_backtrace();
}

static long report(void *unused)
{
    bool survives = will_survive();
    guard_begin(true);
    if (survives)
        (void)reporting_snapshot(NULL, 0);
    else
        report_end();
    guard_end();
    return survives;
}

/* Signals that came meanwhile wait behind the one that was first. */
static void deliver_alone(int signal, const siginfo_t *info, ucontext_t *context)
{
    uint64_t others = ~BIT(signal);
    memcpy(&context->uc_sigmask, &others, sizeof others);
    deliver(signal, info);
}

static void crash_handler(int signal, siginfo_t *info, void *context)
{
    int error = errno;
    if (guard_takes(signal, info, context)) {
        errno = error;
        return;
    }
    if (!crash.is_installed || !finish_is_ours() || !finish_claim()) {
        deliver(signal, info);
        return;
    }
    crash.signal = signal;
    crash.info = *info;
    crash.context = context;
    bool survives = onstack_call(&crash.handler, report, NULL, guard_handler_stack());
    /* Else the claim is kept, and the others wait: the process ends as this handler returns. */
    if (survives)
        finish_release(false);
    else
        deliver_alone(signal, info, context);
    errno = error;
}

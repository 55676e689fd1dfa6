/* SPDX-License-Identifier: MIT
 *
 * A fatal signal's way: claim the ending, move to a stack of our own, write the report, walk the
 * stack, write again, then queue the very signal to this thread at SIG_DFL and return, so that the
 * kernel ends the process in the context where it happened. What may hang or fault runs guarded: a
 * timer's signal or the fault itself leaves it by onstack_leave. Runs in the handler of one thread;
 * others that crash meanwhile wait for the claim. Nothing here takes a lock of the target. */
#include "life/crash.h"

#include "base/compiler.h"
#include "base/sys.h"
#include "clock/clock.h"
#include "life/altstack.h"
#include "life/companion.h"
#include "life/finish.h"
#include "life/onstack.h"
#include "life/sigview.h"
#include "life/start.h"
#include "record/recorder.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

enum {
    PAGE = 4096,
    HANDLER_BYTES = 64 * 1024, /* the report's course */
    JOB_BYTES = 64 * 1024,     /* what is guarded */
    NESTED_BYTES = 64 * 1024,  /* signals that come meanwhile */
    STACKS_BYTES = 3 * PAGE + HANDLER_BYTES + JOB_BYTES + NESTED_BYTES,
    FRAMES_MOST = 256,
};
#define WALK_LIMIT_NS UINT64_C(5000000000) /* a walk takes milliseconds, unless it hangs */

static const int fault_signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGSYS};
enum { FAULTS = COUNT_OF(fault_signals) };

/* Written by the thread that reports (`thread`), but for stacks and backtrace, which the installing
 * thread makes. */
static struct {
    uint8_t *stacks;     /* guard, nested, guard, job, guard, handler; NULL = not installed */
    store_ref backtrace; /* uint64_t[FRAMES_MOST] */
    uint32_t thread;     /* tid; 0 = nobody */
    uint32_t guarding;   /* a guarded job runs and may be left */
    struct onstack handler, job;
    int signal;
    siginfo_t info;
    void *context;
    int timer; /* −1 = none */
    struct sigview_kernel_action target_faults[FAULTS];
} crash;

#define BIT(signal) (UINT64_C(1) << ((signal)-1))

static const uint64_t fatal_mask = BIT(SIGABRT) | BIT(SIGBUS) | BIT(SIGFPE) | BIT(SIGHUP) |
                                   BIT(SIGILL) | BIT(SIGINT) | BIT(SIGPIPE) | BIT(SIGQUIT) |
                                   BIT(SIGSEGV) | BIT(SIGSYS) | BIT(SIGTERM) | BIT(SIGTRAP) |
                                   BIT(SIGXCPU) | BIT(SIGXFSZ) | BIT(SIGALRM) | BIT(SIGUSR1) |
                                   BIT(SIGUSR2) | BIT(SIGVTALRM) | BIT(SIGPROF);

bool crash_is_fatal(int signal) { return signal > 0 && signal < 65 && (fatal_mask & BIT(signal)); }

static uint8_t *map_stacks(void)
{
    static const size_t guards[] = {0, PAGE + NESTED_BYTES, 2 * PAGE + NESTED_BYTES + JOB_BYTES};
    long at = sys_call6(SYS_mmap, 0, STACKS_BYTES, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (at < 0 && at > -4096) return NULL;
    for (size_t i = 0; i < COUNT_OF(guards); i++)
        (void)sys_call3(SYS_mprotect, at + (long)guards[i], PAGE, PROT_NONE);
    return (uint8_t *)at;
}

static uint8_t *nested_stack(void) { return crash.stacks + PAGE; }
static uint8_t *job_top(void) { return crash.stacks + 2 * PAGE + NESTED_BYTES + JOB_BYTES; }
static uint8_t *handler_top(void) { return crash.stacks + STACKS_BYTES; }

void crash_install(void)
{
    if (!crash.stacks) crash.stacks = map_stacks();
    if (!crash.stacks) return;
    crash.backtrace = store_alloc(&process.store, FRAMES_MOST * sizeof(uint64_t), 8);
    sigview_install();
}

void crash_thread_stack(void) { altstack_attach(); }

void crash_thread_stack_end(void) { altstack_retire(); }

void crash_child(void) { crash.thread = 0; }

static void set_mask(uint64_t mask)
{
    (void)sys_call4(SYS_rt_sigprocmask, SIG_SETMASK, &mask, NULL, 8);
}

/* The kernel raised it for what the thread did; it was not sent. */
static bool is_fault(int signal, const siginfo_t *info)
{
    for (size_t i = 0; i < FAULTS; i++)
        if (fault_signals[i] == signal) return info->si_code > 0;
    return false;
}

/* To be delivered when the handler returns, by the default action, as it first came. */
static void deliver(int signal, const siginfo_t *info)
{
    const struct sigview_kernel_action standard = {.handler = NULL /* SIG_DFL */};
    long pid = sys_call0(SYS_getpid), tid = sys_call0(SYS_gettid);
    (void)sigview_kernel(signal, &standard, NULL);
    if (sys_call4(SYS_rt_tgsigqueueinfo, pid, tid, signal, info))
        (void)sys_call3(SYS_tgkill, pid, tid, signal); /* a filter may forbid the former */
}

static void make_timer(void)
{
    struct sigevent event = {
        .sigev_value = {.sival_ptr = &crash},
        .sigev_signo = crash.signal,
        .sigev_notify = SIGEV_THREAD_ID,
    };
    event._sigev_un._tid = (pid_t)crash.thread;
    if (sys_call3(SYS_timer_create, CLOCK_MONOTONIC, &event, &crash.timer)) crash.timer = -1;
}

static void set_timer(uint64_t ns)
{
    struct itimerspec once = {
        .it_value = {.tv_sec = (time_t)(ns / 1000000000u), .tv_nsec = (long)(ns % 1000000000u)}};
    if (crash.timer >= 0) (void)sys_call4(SYS_timer_settime, crash.timer, 0, &once, NULL);
}

/* Faults of the reporting thread come to us, whatever handler the target has: it is not to be
 * called for what is ours. */
static void take_faults(void)
{
    const struct sigview_kernel_action ours = sigview_crash_action();
    for (size_t i = 0; i < FAULTS; i++)
        (void)sigview_kernel(fault_signals[i], &ours, &crash.target_faults[i]);
}

static void give_faults_back(void)
{
    for (size_t i = 0; i < FAULTS; i++)
        (void)sigview_kernel(fault_signals[i], &crash.target_faults[i], NULL);
}

/* The kernel would lay a nested signal's frame over the one that we must return by. Returning
 * restores the thread's own alternate stack. */
static void take_nested_stack(void)
{
    stack_t nested = {.ss_sp = nested_stack(), .ss_size = NESTED_BYTES};
    (void)sys_call2(SYS_sigaltstack, &nested, NULL);
}

struct job {
    long (*run)(void *);
    void *argument;
};

static long run_job(void *argument)
{
    const struct job *job = argument;
    uint64_t open = BIT(crash.signal);
    for (size_t i = 0; i < FAULTS; i++) open |= BIT(fault_signals[i]);
    crash.guarding = 1;
    SIGNAL_FENCE();
    set_mask(~open);
    long result = job->run(job->argument);
    set_mask(~UINT64_C(0));
    crash.guarding = 0;
    return result;
}

/* Its result, −ETIMEDOUT after `ns`, or −EFAULT where it faulted. */
static long guarded(long (*run)(void *), void *argument, uint64_t ns)
{
    struct job job = {run, argument};
    set_timer(ns);
    long result = onstack_call(&crash.job, run_job, &job, job_top());
    set_timer(0);
    return result;
}

/* A signal in the thread that reports: its own fault, the timer, or another from outside, which
 * is dropped: the process is ending already. */
static void nested(int signal, const siginfo_t *info)
{
    int reason = 0;
    if (!crash.guarding) return;
    if (info->si_code == SI_TIMER && info->si_value.sival_ptr == &crash)
        reason = -ETIMEDOUT;
    else if (is_fault(signal, info))
        reason = -EFAULT;
    if (!reason) return;
    crash.guarding = 0;
    onstack_leave(&crash.job, reason); /* all signals are blocked, as before the job */
}

static long write_final(void *unused) { return finish_write_final(); }

static long write_again(void *unused) { return finish_write_again(); }

static long write_snapshot(void *unused) { return finish_write_snapshot(); }

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
        .address = is_fault(crash.signal, &crash.info) ? (uintptr_t)crash.info.si_addr : 0,
        .recorder = thread ? thread->id + 1 : 0,
        .ticks = clock_now((enum clock_source)source),
    };
}

/* The report stands without it; that it may hang or fault is why it comes after. */
static void add_backtrace(uint64_t limit_ns)
{
    struct store_ending *ending = &store_head(&process.store)->ending;
    uint64_t walk_ns = limit_ns < WALK_LIMIT_NS ? limit_ns : WALK_LIMIT_NS;
    if (!crash.backtrace || !companion_table()) return;
    long frames = guarded(call_walk, store_at(&process.store, crash.backtrace), walk_ns);
    if (frames <= 0) return;
    ending->frames = (uint32_t)frames;
    __atomic_store_n(&ending->backtrace, crash.backtrace, __ATOMIC_RELEASE);
    (void)guarded(write_again, NULL, limit_ns); /* a failure leaves the first report */
}

/* The init of a namespace: the kernel drops every signal that was sent to it at SIG_DFL. */
static bool will_survive(void)
{
    return sys_call0(SYS_getpid) == 1 && !is_fault(crash.signal, &crash.info);
}

static void report_end(uint64_t limit_ns)
{
    struct store_ending ending = signal_ending();
    finish_set_ending(&ending);
    long result = guarded(write_final, NULL, limit_ns);
    if (result == -ETIMEDOUT || result == -EFAULT) finish_say_failed(NULL, (int)result);
    if (!result) add_backtrace(limit_ns);
}

static long report(void *unused)
{
    uint64_t limit_ns = process.settings.report_timeout_ns;
    bool survives = will_survive();
    take_nested_stack();
    take_faults();
    make_timer();
    if (survives)
        (void)guarded(write_snapshot, NULL, limit_ns);
    else
        report_end(limit_ns);
    if (crash.timer >= 0) (void)sys_call1(SYS_timer_delete, crash.timer);
    give_faults_back();
    if (!survives) deliver(crash.signal, &crash.info);
    return survives;
}

void crash_handler(int signal, siginfo_t *info, void *context)
{
    uint32_t self = (uint32_t)sys_call0(SYS_gettid);
    int error = errno;
    if (__atomic_load_n(&crash.thread, __ATOMIC_RELAXED) == self) {
        nested(signal, info);
        return;
    }
    if (!crash.stacks || !finish_is_ours() || !finish_claim()) {
        deliver(signal, info);
        return;
    }
    crash.signal = signal;
    crash.info = *info;
    crash.context = context;
    __atomic_store_n(&crash.thread, self, __ATOMIC_RELAXED);
    bool survives = onstack_call(&crash.handler, report, NULL, handler_top());
    __atomic_store_n(&crash.thread, 0, __ATOMIC_RELAXED);
    /* Otherwise the claim is kept, and the others wait: the process ends as this handler returns.
     */
    if (survives) finish_release(false);
    errno = error;
}

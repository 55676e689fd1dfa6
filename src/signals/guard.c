/* SPDX-License-Identifier: MIT
 *
 * A timer whose signal reaches this thread alone, and handlers for faults, both of which leave the
 * job by onstack_leave. The signal is a real-time one that the target leaves at its default. Runs
 * in the thread that reports; the handler also in threads of the target that fault meanwhile. */
#include "signals/guard.h"

#include "base/compiler.h"
#include "base/onstack.h"
#include "base/sys.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <ucontext.h>

enum {
    PAGE = 4096,
    PART = 64 * 1024, /* each of three stacks: nested signals, job, crash handler */
    STACKS_BYTES = 3 * (PAGE + PART),
    FIRST_REAL_TIME = 35, /* 32 to 34 are libc's */
    LAST_REAL_TIME = 64,
};

static const int fault_signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGSYS};
enum { FAULTS = COUNT_OF(fault_signals) };

/* Written by the thread that reports, but for `stacks`, which the installing thread makes. */
static struct {
    uint8_t *stacks;     /* three times guard page and stack; NULL = not installed */
    uint32_t pid;        /* whose dispositions these are; stays after guard_end. 0 = never begun */
    uint32_t thread;     /* tid; 0 = nobody */
    uint32_t is_running; /* a job that may be left */
    uint32_t has_faults; /* fault signals are ours; release, after what they hide is kept */
    uint64_t open;       /* the fault signals that leave a job, as a mask */
    struct onstack job;
    stack_t altstack; /* of the thread, meanwhile replaced */
    int signal;       /* the timer's; 0 = none */
    int last_signal;  /* the same, kept after guard_end */
    int timer;
    struct sigview_kernel_action hidden[FAULTS];
} guard;

#define BIT(signal) (UINT64_C(1) << ((signal)-1))

bool guard_install(void)
{
    if (guard.stacks) return true;
    long at = sys_call6(SYS_mmap, 0, STACKS_BYTES, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (at < 0 && at > -4096) return false;
    for (int part = 0; part < 3; part++)
        (void)sys_call3(SYS_mprotect, at + part * (PAGE + PART), PAGE, PROT_NONE);
    guard.stacks = (uint8_t *)at;
    return true;
}

static uint8_t *stack_top(int part) { return guard.stacks + (part + 1) * (PAGE + PART); }

void *guard_handler_stack(void) { return guard.stacks ? stack_top(2) : NULL; }

static int fault_index(int signal)
{
    for (int i = 0; i < FAULTS; i++)
        if (fault_signals[i] == signal) return i;
    return -1;
}

bool guard_is_fault(int signal, const siginfo_t *info)
{
    return fault_index(signal) >= 0 && info->si_code > 0;
}

const struct sigview_kernel_action *guard_hidden(int signal)
{
    int i = fault_index(signal);
    return i >= 0 ? &guard.hidden[i] : NULL;
}

static void set_mask(uint64_t mask)
{
    (void)sys_call4(SYS_rt_sigprocmask, SIG_SETMASK, &mask, NULL, 8);
}

static struct sigview_kernel_action guard_action(void)
{
    struct sigview_kernel_action action = sigview_crash_action();
    action.handler = guard_handler;
    return action;
}

static void take_faults(void)
{
    const struct sigview_kernel_action ours = guard_action();
    for (int i = 0; i < FAULTS; i++) (void)sigview_kernel(fault_signals[i], NULL, &guard.hidden[i]);
    __atomic_store_n(&guard.has_faults, 1, __ATOMIC_RELEASE);
    for (int i = 0; i < FAULTS; i++) (void)sigview_kernel(fault_signals[i], &ours, NULL);
}

/* Not where the target has set another meanwhile. */
static void give_back(int signal)
{
    static const struct sigview_kernel_action standard; /* SIG_DFL */
    const struct sigview_kernel_action *hidden = guard_hidden(signal);
    struct sigview_kernel_action now;
    if (sigview_kernel(signal, NULL, &now) || now.handler != guard_handler) return;
    (void)sigview_kernel(signal, hidden ? hidden : &standard, NULL);
}

static void give_faults_back(void)
{
    for (int i = 0; i < FAULTS; i++) give_back(fault_signals[i]);
    __atomic_store_n(&guard.has_faults, 0, __ATOMIC_RELEASE);
}

/* The kernel copies dispositions before memory, so what stands here may say already that all was
 * given back: it is not asked. */
void guard_child(void)
{
    if (guard.pid) give_faults_back();
    if (guard.last_signal) give_back(guard.last_signal);
    guard.pid = 0;
    guard.thread = 0;
    guard.is_running = 0;
    guard.signal = 0; /* timers are not inherited */
    guard.last_signal = 0;
}

static int take_signal(void)
{
    const struct sigview_kernel_action ours = guard_action();
    struct sigview_kernel_action now;
    for (int signal = LAST_REAL_TIME; signal >= FIRST_REAL_TIME; signal--) {
        if (sigview_kernel(signal, NULL, &now) || now.handler) continue;
        guard.last_signal = signal; /* first, for a child forked between */
        return sigview_kernel(signal, &ours, NULL) ? 0 : signal;
    }
    return 0;
}

static void give_signal_back(void)
{
    uint64_t bit = BIT(guard.signal);
    const struct timespec now = {0};
    (void)sys_call1(SYS_timer_delete, guard.timer);
    (void)sys_call4(SYS_rt_sigtimedwait, &bit, NULL, &now, 8); /* it fired just before */
    give_back(guard.signal);
    guard.signal = 0;
}

static void make_timer(void)
{
    guard.signal = take_signal();
    if (!guard.signal) return;
    struct sigevent event = {
        .sigev_value = {.sival_ptr = &guard},
        .sigev_signo = guard.signal,
        .sigev_notify = SIGEV_THREAD_ID,
    };
    event._sigev_un._tid = (pid_t)guard.thread;
    guard.timer = -1;
    if (sys_call3(SYS_timer_create, CLOCK_MONOTONIC, &event, &guard.timer)) give_signal_back();
}

static void set_timer(uint64_t ns)
{
    struct itimerspec once = {
        .it_value = {.tv_sec = (time_t)(ns / 1000000000u), .tv_nsec = (long)(ns % 1000000000u)}};
    if (guard.signal) (void)sys_call4(SYS_timer_settime, guard.timer, 0, &once, NULL);
}

/* A handler of the target's own must not run in the midst of our work: its signal stays blocked,
 * and a fault then ends the process, as it would without us. */
static uint64_t defaulted_faults(void)
{
    uint64_t mask = 0;
    struct sigview_kernel_action now;
    for (int i = 0; i < FAULTS; i++) {
        bool is_default = !sigview_kernel(fault_signals[i], NULL, &now) && now.handler &&
                          now.handler == sigview_crash_action().handler;
        if (is_default) mask |= BIT(fault_signals[i]);
    }
    return mask;
}

static uint64_t all_faults(void)
{
    uint64_t mask = 0;
    for (int i = 0; i < FAULTS; i++) mask |= BIT(fault_signals[i]);
    return mask;
}

void guard_begin(bool with_faults)
{
    __atomic_store_n(&guard.thread, (uint32_t)sys_call0(SYS_gettid), __ATOMIC_RELAXED);
    if (!guard.stacks) return;
    guard.pid = (uint32_t)sys_call0(SYS_getpid);
    if (with_faults) take_faults();
    guard.open = with_faults ? all_faults() : defaulted_faults();
    make_timer();
}

void guard_end(void)
{
    if (guard.signal) give_signal_back();
    if (guard.has_faults) give_faults_back();
    __atomic_store_n(&guard.thread, 0, __ATOMIC_RELAXED);
}

struct job {
    long (*run)(void *);
    void *argument;
};

/* On the job's stack. The kernel would lay a nested signal's frame over one that is to be returned
 * by, so the alternate stack is another meanwhile; it cannot be changed from itself, hence here. */
static long run_job(void *argument)
{
    const struct job *job = argument;
    const stack_t nested = {.ss_sp = stack_top(0) - PART, .ss_size = PART};
    uint64_t open = guard.open | (guard.signal ? BIT(guard.signal) : 0);
    (void)sys_call2(SYS_sigaltstack, &nested, &guard.altstack);
    guard.is_running = 1;
    SIGNAL_FENCE();
    set_mask(~open);
    long result = job->run(job->argument);
    set_mask(~UINT64_C(0));
    guard.is_running = 0;
    return result;
}

long guard_run(long (*run)(void *), void *argument, uint64_t limit_ns)
{
    struct job job = {run, argument};
    if (!guard.stacks) return run(argument);
    set_timer(limit_ns);
    long result = onstack_call(&guard.job, run_job, &job, stack_top(1));
    set_timer(0);
    (void)sys_call2(SYS_sigaltstack, &guard.altstack, NULL);
    return result;
}

/* In the thread that reports: its own fault, the timer, or one from outside, which is dropped. */
static void leave_job(int signal, const siginfo_t *info)
{
    int reason = 0;
    if (!guard.is_running) return;
    if (info->si_code == SI_TIMER && info->si_value.sival_ptr == &guard)
        reason = -ETIMEDOUT;
    else if (guard_is_fault(signal, info))
        reason = -EFAULT;
    if (!reason) return;
    guard.is_running = 0;
    onstack_leave(&guard.job, reason); /* all signals are blocked, as before the job */
}

static void wait_for_end(void)
{
    const struct timespec step = {.tv_nsec = 1000000};
    while (__atomic_load_n(&guard.has_faults, __ATOMIC_ACQUIRE))
        (void)sys_call2(SYS_nanosleep, &step, NULL);
}

/* The target's action is in charge again: a fault happens anew when the handler is back. */
static void send_again(int signal, const siginfo_t *info, long tid)
{
    if (guard_is_fault(signal, info)) return;
    (void)sys_call4(SYS_rt_tgsigqueueinfo, sys_call0(SYS_getpid), tid, signal, info);
}

bool guard_takes(int signal, const siginfo_t *info, void *context)
{
    ucontext_t *interrupted = context;
    long tid = sys_call0(SYS_gettid);
    bool is_job = guard.is_running && !guard.has_faults && guard.pid &&
                  guard.pid == (uint32_t)sys_call0(SYS_getpid) &&
                  __atomic_load_n(&guard.thread, __ATOMIC_RELAXED) == (uint32_t)tid;
    if (!is_job) return false;
    leave_job(signal, info);
    uint64_t mask;
    memcpy(&mask, &interrupted->uc_sigmask, sizeof mask);
    mask |= BIT(signal);
    memcpy(&interrupted->uc_sigmask, &mask, sizeof mask);
    send_again(signal, info, tid);
    return true;
}

void guard_handler(int signal, siginfo_t *info, void *context)
{
    long tid = sys_call0(SYS_gettid);
    const struct sigview_kernel_action *hidden = guard_hidden(signal);
    if (guard.pid != (uint32_t)sys_call0(SYS_getpid)) {
        give_back(signal); /* a child, where nobody reports; by vfork, the memory isn't its own */
        send_again(signal, info, tid);
        return;
    }
    if (__atomic_load_n(&guard.thread, __ATOMIC_RELAXED) == (uint32_t)tid) {
        leave_job(signal, info);
        return;
    }
    if (!hidden) return; /* the timer's signal, sent by somebody: dropped */
    if (hidden->handler == sigview_crash_action().handler) {
        hidden->handler(signal, info, context);
        return;
    }
    wait_for_end();
    send_again(signal, info, tid);
}

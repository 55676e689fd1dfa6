/* SPDX-License-Identifier: MIT
 *
 * What the target asks for is translated on the way into the kernel and back. SIG_DFL of a fatal
 * signal becomes our crash handler. A handler that wants the alternate stack, or that resets
 * itself, goes through a door of ours: the thread may have no alternate stack but the one from us,
 * which is too small for strangers; and after a reset our handler has to stand there again. One
 * swap in the kernel decides between racing threads. Runs in any thread and in signal handlers. */
#include "signals/sigview.h"

#include "base/compiler.h"
#include "base/onstack.h"
#include "base/sys.h"
#include "control/control.h"
#include "real/real.h"
#include "signals/altstack.h"
#include "signals/guard.h"

#include <errno.h>
#include <string.h>

enum { SIGNALS = 65, KERNEL_MASK_BYTES = 8 };

typedef void (*three_arguments)(int, siginfo_t *, void *);

/* Behind the door: what the target gave. */
static struct {
    three_arguments handler;
    uint32_t flags;
} behind[SIGNALS];

/* Flags and mask with which the target set SIG_DFL, to be shown again. */
static struct {
    uint32_t flags;
    uint64_t mask;
} defaults[SIGNALS];

/* The kernel drops other flags since 5.11 and kept them before: they go by way of it. */
static const int known_flags = (int)(SA_NOCLDSTOP | SA_NOCLDWAIT | SA_SIGINFO | SA_ONSTACK |
                                     SA_RESTART | SA_NODEFER | SA_RESETHAND | 0x04000000 | 0x800);

/* Set once, before is_installed. */
static three_arguments crash_handler;
static uint32_t is_installed;

/* The signal that is ours as well as the target's. Under it stands always the door; what the target
 * gave, whole, stands behind. */
static struct {
    uint32_t signal; /* 0 = none; release, after `also` */
    bool (*also)(void);
} shared;

static bool is_shared(int signal)
{
    return signal > 0 && __atomic_load_n(&shared.signal, __ATOMIC_ACQUIRE) == (uint32_t)signal;
}

bool sigview_is_fatal(int signal)
{
    static const uint8_t fatal[SIGNALS] = {
        [SIGABRT] = 1, [SIGBUS] = 1,  [SIGFPE] = 1,    [SIGHUP] = 1,  [SIGILL] = 1,
        [SIGINT] = 1,  [SIGPIPE] = 1, [SIGQUIT] = 1,   [SIGSEGV] = 1, [SIGSYS] = 1,
        [SIGTERM] = 1, [SIGTRAP] = 1, [SIGXCPU] = 1,   [SIGXFSZ] = 1, [SIGALRM] = 1,
        [SIGUSR1] = 1, [SIGUSR2] = 1, [SIGVTALRM] = 1, [SIGPROF] = 1,
    };
    return signal > 0 && signal < SIGNALS && fatal[signal];
}

int sigview_kernel(int signal, const struct sigview_kernel_action *action,
                   struct sigview_kernel_action *old)
{
    return (int)sys_call4(SYS_rt_sigaction, signal, action, old, KERNEL_MASK_BYTES);
}

struct sigview_kernel_action sigview_crash_action(void)
{
    return (struct sigview_kernel_action){
        .handler = crash_handler,
        .flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART | ONSTACK_RESTORER_FLAG,
        .restorer = onstack_restorer(),
        .mask = ~UINT64_C(0),
    };
}

static bool is_settable(int signal)
{
    enum { LIBC_CANCEL = 32, LIBC_SETXID = 33 }; /* libc keeps them to itself */
    return signal > 0 && signal < SIGNALS && signal != SIGKILL && signal != SIGSTOP &&
           signal != LIBC_CANCEL && signal != LIBC_SETXID;
}

/* SIG_DFL, SIG_IGN and SIG_ERR are numbers, not functions. */
static bool is_default(three_arguments handler) { return (uintptr_t)handler == (uintptr_t)SIG_DFL; }

static bool is_handler(three_arguments handler)
{
    return !is_default(handler) && (uintptr_t)handler != (uintptr_t)SIG_IGN &&
           (uintptr_t)handler != (uintptr_t)SIG_ERR;
}

static bool needs_door(int signal, three_arguments handler, unsigned long flags)
{
    if (!is_handler(handler)) return false;
    return (flags & SA_ONSTACK) || ((flags & SA_RESETHAND) && sigview_is_fatal(signal));
}

static uint64_t bit_of(int signal) { return UINT64_C(1) << (signal - 1); }

struct call {
    int signal;
    siginfo_t *info;
    void *context;
    three_arguments handler;
    uint64_t mask;
    struct onstack place;
};

static void change_mask(uint64_t mask, uint64_t *old)
{
    (void)sys_call4(SYS_rt_sigprocmask, SIG_SETMASK, &mask, old, KERNEL_MASK_BYTES);
}

/* On the interrupted stack, with all signals blocked. */
static long call_handler(void *argument)
{
    const struct call *call = argument;
    altstack_lower(call->place.saved_sp);
    change_mask(call->mask, NULL);
    call->handler(call->signal, call->info, call->context);
    altstack_handler_returns();
    return 0;
}

static void adopt(int signal);

/* It is always the door that stands in the kernel, so what resets itself is reset here. */
static three_arguments reset_shared(int signal, three_arguments handler)
{
    if (!is_handler(handler) || !(behind[signal].flags & SA_RESETHAND)) return handler;
    three_arguments none = NULL; /* SIG_DFL */
    bool is_first = __atomic_compare_exchange_n(&behind[signal].handler, &handler, none, false,
                                                __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
    return is_first ? handler : none;
}

/* Installed in place of a target's handler. */
static void door(int signal, siginfo_t *info, void *context)
{
    struct call call = {
        .signal = signal, .info = info, .context = context, .handler = behind[signal].handler};
    if (is_shared(signal)) {
        if (shared.also()) return;
        call.handler = reset_shared(signal, call.handler);
        if (!is_handler(call.handler)) return;
    } else if (behind[signal].flags & SA_RESETHAND) {
        adopt(signal);
    }
    if (!altstack_holds(__builtin_frame_address(0))) {
        call.handler(signal, info, context);
        return;
    }
    /* Without us this thread would have no alternate stack: the handler runs where it would have.
     * Should it leave by longjmp, the stack stays lowered, and only overflows go unreported. */
    change_mask(~UINT64_C(0), &call.mask);
    (void)onstack_call(&call.place, call_handler, &call, onstack_interrupted(context));
}

static three_arguments put_behind(int signal, three_arguments handler, unsigned long flags)
{
    __atomic_store_n(&behind[signal].flags, (uint32_t)flags, __ATOMIC_RELAXED);
    return __atomic_exchange_n(&behind[signal].handler, handler, __ATOMIC_ACQ_REL);
}

/* A handler that reset itself leaves its flags; one of them may have been the door's need alone. */
static bool has_doors_flag(int signal, const struct sigview_kernel_action *action)
{
    return (action->flags & SA_RESETHAND) && (action->flags & SA_SIGINFO) &&
           behind[signal].handler && !(behind[signal].flags & SA_SIGINFO);
}

/* How the kernel shall call the door of a shared signal: as the target's handler wants to be
 * called; where it has none, interrupting nothing that can be restarted. */
static unsigned long shared_flags(three_arguments handler, unsigned long flags)
{
    unsigned long kept = SA_RESTART | SA_NODEFER | SA_NOCLDSTOP | SA_NOCLDWAIT;
    return (is_handler(handler) ? flags & kept : SA_RESTART) | SA_SIGINFO | SA_ONSTACK;
}

/* Of a shared signal, whatever stood there: the target's action, or what we put in its place. */
static bool put_door(int signal, struct sigview_kernel_action *action)
{
    unsigned long before = action->flags;
    bool was_there = action->handler == door;
    if (!was_there && action->handler == crash_handler)
        (void)put_behind(signal, NULL /* SIG_DFL */, defaults[signal].flags);
    else if (!was_there)
        (void)put_behind(signal, action->handler, action->flags);
    three_arguments handler = behind[signal].handler;
    action->flags = shared_flags(handler, behind[signal].flags) | ONSTACK_RESTORER_FLAG;
    action->restorer = onstack_restorer();
    action->handler = door;
    if (!is_handler(handler)) action->mask = 0;
    return !was_there || action->flags != before;
}

/* What stands in the kernel as the target left it, made as it should be. False = nothing to do. */
static bool improve(int signal, struct sigview_kernel_action *action)
{
    if (is_shared(signal)) return put_door(signal, action);
    if (action->handler == door || action->handler == crash_handler ||
        action->handler == guard_handler)
        return false;
    bool is_changed = is_default(action->handler) && has_doors_flag(signal, action);
    if (is_changed) action->flags &= ~(unsigned long)SA_SIGINFO;
    if (is_default(action->handler) && sigview_is_fatal(signal)) {
        defaults[signal].flags = (uint32_t)action->flags;
        defaults[signal].mask = action->mask;
        *action = sigview_crash_action();
        return true;
    }
    if (!needs_door(signal, action->handler, action->flags)) return is_changed;
    (void)put_behind(signal, action->handler, action->flags);
    action->handler = door;
    action->flags |= SA_SIGINFO;
    return true;
}

static void adopt(int signal)
{
    enum { TRIES = 8 };
    for (int try = 0; try < TRIES; try++) {
        struct sigview_kernel_action seen, better, replaced;
        if (sigview_kernel(signal, NULL, &seen)) return;
        better = seen;
        if (!improve(signal, &better)) return;
        if (sigview_kernel(signal, &better, &replaced) || replaced.handler == seen.handler) return;
        (void)sigview_kernel(signal, &replaced, NULL); /* another thread was between; look again */
    }
}

void sigview_install(three_arguments handler)
{
    crash_handler = handler;
    __atomic_store_n(&is_installed, 1, __ATOMIC_SEQ_CST);
    for (int signal = 1; signal < SIGNALS; signal++)
        if (is_settable(signal)) adopt(signal);
}

void sigview_share(int signal, bool (*also)(void))
{
    shared.also = also;
    __atomic_store_n(&shared.signal, (uint32_t)signal, __ATOMIC_RELEASE);
    adopt(signal);
}

const sigset_t *sigview_fetchable(const sigset_t *set, sigset_t *space)
{
    uint32_t signal = __atomic_load_n(&shared.signal, __ATOMIC_ACQUIRE);
    if (!signal) return set;
    *space = *set;
    uint64_t bits;
    memcpy(&bits, space, sizeof bits);
    bits &= ~bit_of((int)signal);
    memcpy(space, &bits, sizeof bits);
    return space;
}

/* The action to be given to the kernel for `action`: itself, or one of ours in *ours. */
static const struct sigaction *translate(int signal, const struct sigaction *action,
                                         struct sigaction *ours)
{
    if (is_shared(signal)) {
        *ours = *action;
        ours->sa_sigaction = door;
        ours->sa_flags = (int)shared_flags(action->sa_sigaction, (unsigned long)action->sa_flags);
        if (!is_handler(action->sa_sigaction)) memset(&ours->sa_mask, 0, sizeof ours->sa_mask);
        return ours;
    }
    if (action->sa_handler == SIG_DFL && sigview_is_fatal(signal)) {
        struct sigview_kernel_action crash = sigview_crash_action();
        defaults[signal].flags = (uint32_t)action->sa_flags | ONSTACK_RESTORER_FLAG;
        memcpy(&defaults[signal].mask, &action->sa_mask, KERNEL_MASK_BYTES);
        *ours = *action;
        ours->sa_sigaction = crash.handler;
        ours->sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART | (action->sa_flags & ~known_flags);
        memset(&ours->sa_mask, 0xff, sizeof ours->sa_mask);
        return ours;
    }
    if (!needs_door(signal, action->sa_sigaction, (unsigned long)action->sa_flags)) return action;
    *ours = *action;
    ours->sa_sigaction = door;
    ours->sa_flags |= SA_SIGINFO;
    return ours;
}

/* While a report is guarded, what the target set stands hidden. */
static void unhide(int signal, struct sigaction *old)
{
    static const struct sigview_kernel_action standard;
    const struct sigview_kernel_action *hidden = guard_hidden(signal);
    if (!hidden) hidden = &standard;
    old->sa_sigaction = hidden->handler;
    old->sa_flags = (int)hidden->flags;
    memset(&old->sa_mask, 0, sizeof old->sa_mask);
    memcpy(&old->sa_mask, &hidden->mask, KERNEL_MASK_BYTES);
}

static void show(int signal, struct sigaction *old, three_arguments handler, uint32_t flags)
{
    if (old->sa_sigaction == guard_handler) unhide(signal, old);
    if (old->sa_sigaction == crash_handler) {
        old->sa_handler = SIG_DFL;
        old->sa_flags =
            ((int)defaults[signal].flags & known_flags) | (old->sa_flags & ~known_flags);
        memset(&old->sa_mask, 0, sizeof old->sa_mask);
        memcpy(&old->sa_mask, &defaults[signal].mask, KERNEL_MASK_BYTES);
    } else if (old->sa_sigaction == door && is_shared(signal)) {
        old->sa_sigaction = handler;
        old->sa_flags = ((int)flags & known_flags) | (old->sa_flags & ~known_flags);
    } else if (old->sa_sigaction == door) {
        old->sa_sigaction = handler;
        if (!(flags & SA_SIGINFO)) old->sa_flags &= ~SA_SIGINFO;
    }
}

int sigview_action(int signal, const struct sigaction *action, struct sigaction *old)
{
    bool was_installed = __atomic_load_n(&is_installed, __ATOMIC_SEQ_CST) || is_shared(signal);
    if (!was_installed || !is_settable(signal)) {
        int plain = real()->sigaction(signal, action, old);
        /* Our handlers came meanwhile: they may have missed this. */
        bool is_ours = __atomic_load_n(&is_installed, __ATOMIC_SEQ_CST) || is_shared(signal);
        if (!plain && action && is_ours && is_settable(signal) && !control_is_vfork_child())
            adopt(signal);
        return plain;
    }
    struct sigaction ours, given = {0};
    const struct sigaction *wanted = action;
    if (action) given = *action; /* may be the same memory as *old */
    /* Its table is its parent's, its dispositions are its own. */
    if (action && !control_is_vfork_child()) wanted = translate(signal, &given, &ours);
    three_arguments handler = __atomic_load_n(&behind[signal].handler, __ATOMIC_ACQUIRE);
    uint32_t flags = __atomic_load_n(&behind[signal].flags, __ATOMIC_RELAXED);
    if (wanted == &ours && ours.sa_sigaction == door)
        handler = put_behind(signal, given.sa_sigaction, (unsigned long)given.sa_flags);
    int result = real()->sigaction(signal, wanted, old);
    if (!result && old) show(signal, old, handler, flags);
    return result;
}

/* Signals for which siginterrupt asked that signal() shall not restart calls. */
static uint64_t interrupting;

static sighandler_t set_handler(int signal, sighandler_t handler, int flags, uint64_t mask)
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = flags}, old;
    if (handler == SIG_ERR || signal < 1 || signal >= SIGNALS) {
        errno = EINVAL;
        return SIG_ERR;
    }
    memcpy(&action.sa_mask, &mask, KERNEL_MASK_BYTES);
    return sigview_action(signal, &action, &old) ? SIG_ERR : old.sa_handler;
}

sighandler_t sigview_bsd_signal(int signal, sighandler_t handler)
{
    if (signal < 1 || signal >= SIGNALS) return set_handler(signal, SIG_ERR, 0, 0);
    uint64_t bit = bit_of(signal);
    bool restarts = !(__atomic_load_n(&interrupting, __ATOMIC_RELAXED) & bit);
    return set_handler(signal, handler, restarts ? SA_RESTART : 0, bit);
}

sighandler_t sigview_sysv_signal(int signal, sighandler_t handler)
{
    enum { ONE_SHOT = (int)(SA_RESETHAND | SA_NODEFER) };
    return set_handler(signal, handler, ONE_SHOT | SA_INTERRUPT, 0);
}

/* Changes this thread's mask by one signal; returns whether it was blocked. */
static bool mask_one(int how, int signal)
{
    uint64_t bit = bit_of(signal), before = 0;
    (void)sys_call4(SYS_rt_sigprocmask, how, &bit, &before, KERNEL_MASK_BYTES);
    return before & bit;
}

sighandler_t sigview_sigset(int signal, sighandler_t disposition)
{
    struct sigaction now;
    sighandler_t old;
    if (!is_settable(signal)) return set_handler(signal, SIG_ERR, 0, 0);
    if (disposition == SIG_HOLD) {
        if (mask_one(SIG_BLOCK, signal)) return SIG_HOLD;
        return sigview_action(signal, NULL, &now) ? SIG_ERR : now.sa_handler;
    }
    old = set_handler(signal, disposition, 0, 0);
    if (old == SIG_ERR) return old;
    return mask_one(SIG_UNBLOCK, signal) ? SIG_HOLD : old;
}

int sigview_ignore(int signal)
{
    struct sigaction action = {.sa_handler = SIG_IGN};
    return sigview_action(signal, &action, NULL);
}

int sigview_interrupt(int signal, int interrupts)
{
    struct sigaction action;
    if (sigview_action(signal, NULL, &action)) return -1;
    if (interrupts) {
        __atomic_fetch_or(&interrupting, bit_of(signal), __ATOMIC_RELAXED);
        action.sa_flags &= ~SA_RESTART;
    } else {
        __atomic_fetch_and(&interrupting, ~bit_of(signal), __ATOMIC_RELAXED);
        action.sa_flags |= SA_RESTART;
    }
    return sigview_action(signal, &action, NULL);
}

int sigview_altstack(const stack_t *stack, stack_t *old)
{
    bool disables = stack && (stack->ss_flags & SS_DISABLE);
    stack_t before;
    if (real()->sigaltstack(stack, &before)) return -1;
    if (old) *old = altstack_is_ours(&before) ? (stack_t){.ss_flags = SS_DISABLE} : before;
    if (disables) altstack_rearm();
    return 0;
}

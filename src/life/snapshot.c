/* SPDX-License-Identifier: MIT
 *
 * The signal's handler counts a request and wakes the thread, which alone does the work: it has a
 * descriptor table of its own, so that its files take no numbers of the program's, blocks all
 * signals but libc's and the one that it is for, and is unknown to the recorder. The signal reaches
 * it even where every thread of the program blocks it. Made through libc, since set*id() must
 * reach it and the report's code needs a thread's own memory. */
#include "life/snapshot.h"

#include "base/compiler.h"
#include "base/file.h"
#include "base/sys.h"
#include "control/control.h"
#include "life/companion.h"
#include "life/finish.h"
#include "life/start.h"
#include "life/thread.h"
#include "life/warn.h"
#include "real/real.h"
#include "self/identity.h"
#include "signals/sigview.h"

#include <errno.h>
#include <limits.h>
#include <linux/close_range.h>
#include <linux/futex.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <time.h>

/* Between the end of one timed report and the next: the machine is the program's. */
#define LEAST_PAUSE_NS UINT64_C(1000000)

static struct {
    uint32_t pid;      /* of the process that has it, or tried; 0 = none yet */
    uint32_t has_one;  /* made, and not yet told to end */
    uint32_t requests; /* counted up; the futex */
    uint32_t is_over;  /* it shall end */
    uint32_t tid;
    pthread_t thread;
} helper;

static void wake(void)
{
    __atomic_fetch_add(&helper.requests, 1, __ATOMIC_RELEASE); /* pairs with the acquire in run */
    (void)sys_call4(SYS_futex, &helper.requests, FUTEX_WAKE_PRIVATE, INT_MAX, NULL);
}

/* In the signal's handler. A child that has no such thread (a raw clone's, a vfork's) asks nobody.
 */
static bool on_signal(void)
{
    if (helper.pid != identity_pid()) return false;
    wake();
    return helper.tid == identity_tid();
}

static uint64_t now_ns(void)
{
    struct timespec now = {0};
    (void)sys_call2(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Until a request beyond `seen`, a signal, or the time (0 = for ever). */
static void wait_beyond(uint32_t seen, uint64_t until_ns)
{
    const struct timespec until = {.tv_sec = (time_t)(until_ns / 1000000000u),
                                   .tv_nsec = (long)(until_ns % 1000000000u)};
    (void)sys_call6(SYS_futex, (long)&helper.requests, FUTEX_WAIT_BITSET_PRIVATE, seen,
                    until_ns ? (long)&until : 0, 0, (long)FUTEX_BITSET_MATCH_ANY);
}

static void become_unseen(void)
{
    enum { LIBC_CANCEL = 32, LIBC_SETXID = 33 };
    uint32_t signal = process.settings.snapshot_signal;
    uint64_t open = UINT64_C(1) << (LIBC_CANCEL - 1) | UINT64_C(1) << (LIBC_SETXID - 1);
    control = &control_refused;
    __atomic_store_n(&helper.tid, identity_tid(), __ATOMIC_RELAXED);
    (void)sys_call2(SYS_prctl, PR_SET_NAME, "stint");
    /* Refused before Linux 5.9, and by some filters: then its files take numbers for a moment. */
    (void)sys_call3(SYS_close_range, 0, ~0U, CLOSE_RANGE_UNSHARE);
    if (signal) open |= UINT64_C(1) << (signal - 1);
    open = ~open;
    (void)sys_call4(SYS_rt_sigprocmask, SIG_SETMASK, &open, NULL, sizeof open);
}

/* The first moment of the rhythm that is still to come. */
static uint64_t next_after(uint64_t due_ns, uint64_t every_ns)
{
    uint64_t now = now_ns() + LEAST_PAUSE_NS;
    if (due_ns < now) due_ns += (now - due_ns + every_ns - 1) / every_ns * every_ns;
    return due_ns;
}

static void *run(void *unused)
{
    uint64_t every_ns = process.settings.snapshot_every_ns;
    uint64_t due_ns = every_ns ? now_ns() + every_ns : 0;
    uint32_t served = 0;
    become_unseen();
    while (!__atomic_load_n(&helper.is_over, __ATOMIC_ACQUIRE)) {
        uint32_t seen = __atomic_load_n(&helper.requests, __ATOMIC_ACQUIRE);
        bool is_due = every_ns && now_ns() >= due_ns;
        if (seen == served && !is_due) {
            wait_beyond(seen, due_ns);
            continue;
        }
        served = seen;
        (void)finish_snapshot(NULL); /* what hinders it is told by the final report */
        if (is_due) due_ns = next_after(due_ns, every_ns);
    }
    return NULL;
}

/* True for one caller in this process. */
static bool is_first(void)
{
    uint32_t self = identity_pid(), before = __atomic_load_n(&helper.pid, __ATOMIC_RELAXED);
    return before != self && __atomic_compare_exchange_n(&helper.pid, &before, self, false,
                                                         __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

COLD static void start(void)
{
    struct file_guard guard;
    helper.has_one = helper.requests = helper.is_over = helper.tid = 0; /* a parent's */
    file_guard(&guard);
    int error = real()->pthread_create(&helper.thread, NULL, run, NULL);
    __atomic_store_n(&helper.has_one, !error, __ATOMIC_RELEASE);
    if (!error && process.settings.snapshot_signal)
        sigview_share((int)process.settings.snapshot_signal, on_signal);
    file_unguard(&guard);
    if (error) warn_once(WARN_NO_SNAPSHOTS, error == EAGAIN ? "no more threads" : "refused");
}

void snapshot_prepare(void)
{
    const struct settings *settings = &process.settings;
    if (LIKELY(!settings->snapshot_signal && !settings->snapshot_every_ns)) return;
    if (helper.pid == identity_pid() || process.is_off || start_is_vfork_child()) return;
    if (process.pid != identity_pid() && !settings->follow) return;
    int saved = errno;
    /* Without word of the main thread's end ours would keep the process alive. */
    if (thread_watch_main() && companion_table() && is_first()) start();
    errno = saved;
}

void snapshot_thread_ends(void)
{
    if (helper.pid != identity_pid() || identity_tid() != helper.pid) return;
    if (!__atomic_exchange_n(&helper.has_one, 0, __ATOMIC_ACQ_REL)) return;
    __atomic_store_n(&helper.is_over, 1, __ATOMIC_RELEASE);
    wake();
    (void)pthread_join(helper.thread, NULL);
}

/* SPDX-License-Identifier: MIT
 *
 * One claim decides who reports: the first ending takes it and keeps it to the end of the process;
 * an exec gives it back when it fails. Reports are written (reporting.c) with all signals of this
 * thread blocked. Runs in any thread, also in a signal handler and after everything else has ended.
 */
#include "life/finish.h"

#include "base/file.h"
#include "base/sys.h"
#include "control/control.h"
#include "life/companion.h"
#include "life/lapnames.h"
#include "life/modules.h"
#include "life/reporting.h"
#include "life/start.h"
#include "record/recorder.h"
#include "self/identity.h"
#include "signals/guard.h"
#include "store/rehome.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum finish_phase {
    FINISH_OPEN,
    FINISH_EXEC, /* reported, about to exec */
    FINISH_MADE,
};

/* Written by the claim's owner alone, but for `owner` itself. */
static struct {
    uint32_t owner; /* tid of who reports; 0 = nobody. acquire/release with itself */
    uint32_t phase; /* enum finish_phase */
    uint32_t quick_exit_status;
    char store[sizeof process.store.path]; /* removed for the exec's report; empty = none */
} ending;

/* Past what a report may take at most, a waiter no longer waits: its owner hangs for good. */
enum { WAIT_STEP_NS = 1000000, WAIT_BEYOND_NS = 2000000000 };

/* In this order: a forked child in which another thread just begins afresh takes the parent's store
 * away before the page says whose it is, and its own is there before the state says so again. */
bool finish_is_ours(void)
{
    const struct control_process *page = control_process();
    if (!page || __atomic_load_n(&page->pid, __ATOMIC_ACQUIRE) != identity_pid()) return false;
    if (!__atomic_load_n(&process.store.base, __ATOMIC_ACQUIRE)) return false;
    return __atomic_load_n(&process.state, __ATOMIC_ACQUIRE) >= PROCESS_RECORDING;
}

bool finish_claim(void)
{
    uint32_t self = identity_tid(), nobody = 0;
    uint64_t waited_ns = 0;
    while (!__atomic_compare_exchange_n(&ending.owner, &nobody, self, false, __ATOMIC_ACQUIRE,
                                        __ATOMIC_RELAXED)) {
        struct timespec step = {.tv_nsec = WAIT_STEP_NS};
        if (nobody == self) return ending.phase == FINISH_EXEC;
        if (waited_ns > 2 * process.settings.report_timeout_ns + WAIT_BEYOND_NS) return false;
        (void)sys_call2(SYS_nanosleep, &step, 0); /* cut short by a signal: asks again */
        waited_ns += WAIT_STEP_NS;
        nobody = 0;
    }
    if (ending.phase != FINISH_MADE) return true;
    __atomic_store_n(&ending.owner, 0, __ATOMIC_RELEASE);
    return false;
}

void finish_release(bool is_made)
{
    ending.phase = is_made ? FINISH_MADE : FINISH_OPEN;
    __atomic_store_n(&ending.owner, 0, __ATOMIC_RELEASE);
}

void finish_set_ending(const struct store_ending *end)
{
    struct store_ending *stored = &store_head(&process.store)->ending;
    uint32_t kind = end->kind;
    struct store_ending copy = *end;
    copy.kind = STORE_ENDING_NONE;
    __atomic_store_n(&stored->kind, STORE_ENDING_NONE, __ATOMIC_RELAXED);
    SIGNAL_FENCE();
    *stored = copy;
    __atomic_store_n(&stored->kind, kind, __ATOMIC_RELEASE); /* pairs with the reader's acquire */
}

static struct store_ending ending_now(enum store_ending_kind kind, int status)
{
    const struct store_recorder *thread = recorder_of_thread();
    return (struct store_ending){
        .kind = kind,
        .status = status,
        .recorder = thread ? thread->id + 1 : 0,
        .ticks = start_ticks_now(),
    };
}

void finish_process(enum store_ending_kind kind, int status)
{
    struct file_guard guard;
    int error = errno;
    if (!finish_is_ours()) return;
    file_guard(&guard);
    if (finish_claim()) {
        struct store_ending end = ending_now(kind, status);
        finish_set_ending(&end);
        guard_begin(true);
        (void)reporting_final(); /* has said why not */
        guard_end();
        finish_release(true);
    }
    file_unguard(&guard);
    errno = error;
}

int finish_snapshot(const char *path)
{
    struct file_guard guard;
    int result = -ESRCH, error = errno;
    /* First, while a fault is still the caller's own. */
    size_t bytes = path ? strnlen(path, sizeof process.out) : 0;
    if (!finish_is_ours()) return -ESRCH;
    /* A handler that interrupted this thread's report, or came between its exec and the end. */
    if (__atomic_load_n(&ending.owner, __ATOMIC_RELAXED) == identity_tid()) return -EBUSY;
    file_guard(&guard);
    if (finish_claim()) {
        guard_begin(false);
        result = reporting_snapshot(path, bytes);
        guard_end();
        finish_release(false);
    }
    file_unguard(&guard);
    errno = error;
    return result;
}

void finish_before_exec(void)
{
    struct file_guard guard;
    int error = errno;
    if (!finish_is_ours()) return;
    file_guard(&guard);
    if (finish_claim()) {
        struct store_ending end = ending_now(STORE_ENDING_EXEC, 0);
        finish_set_ending(&end);
        memcpy(ending.store, process.store.path, sizeof ending.store);
        reporting_before_exec();
        ending.phase = FINISH_EXEC; /* the claim is kept: the kernel ends the other threads */
    }
    file_unguard(&guard);
    errno = error;
}

/* No other thread records; one whose end nobody saw counts as if it did. */
static bool is_alone(void)
{
    const struct store_head *head = store_head(&process.store);
    const struct store_recorder *own = recorder_of_thread();
    store_ref at = __atomic_load_n(&head->recorders, __ATOMIC_ACQUIRE);
    while (at) {
        const struct store_recorder *thread = store_at(&process.store, at);
        at = __atomic_load_n(&thread->next, __ATOMIC_ACQUIRE);
        if (thread == own) continue;
        if (__atomic_load_n(&thread->state, __ATOMIC_ACQUIRE) == STORE_THREAD_RUNNING) return false;
    }
    return true;
}

void finish_exec_failed(void)
{
    static const struct store_ending none;
    if (!finish_is_ours()) return;
    if (__atomic_load_n(&ending.owner, __ATOMIC_RELAXED) != identity_tid()) return;
    if (ending.phase != FINISH_EXEC) return;
    finish_set_ending(&none);
    store_rehome(&process.store, ending.store, is_alone());
    reporting_take_back();
    finish_release(false);
}

void finish_note_quick_exit(int status)
{
    __atomic_store_n(&ending.quick_exit_status, (uint32_t)status, __ATOMIC_RELAXED);
}

static bool is_to_be_made(void)
{
    return finish_is_ours() && __atomic_load_n(&ending.phase, __ATOMIC_RELAXED) != FINISH_MADE;
}

/* A normal end may still ask the loader: what came late is in the report, and its writer is there.
 */
static void finish_normally(int status)
{
    int error = errno;
    if (finish_is_ours()) {
        companion_open();
        modules_catch_up();
        lapnames_look();
        lapnames_tell_missing();
        finish_process(STORE_ENDING_EXIT, status);
    }
    errno = error;
}

/* While this runs, another thread may call exit, and libc takes it past handlers that have begun,
 * straight to the end. So there is always one more for it to meet, which waits for the report. */
static void at_exit(int status, void *unused)
{
    if (is_to_be_made()) (void)on_exit(at_exit, NULL);
    finish_normally(status & 0xff);
}

static void at_quick_exit_end(void)
{
    if (is_to_be_made()) (void)at_quick_exit(at_quick_exit_end);
    finish_normally((int)__atomic_load_n(&ending.quick_exit_status, __ATOMIC_RELAXED) & 0xff);
}

void finish_register(void)
{
    /* More than one, for threads that call exit at the same moment: each begins by adding another.
     * Refused only without memory: then the process ends without a report, and its store is kept.
     */
    enum { AT_ONCE = 4 };
    for (int i = 0; i < AT_ONCE; i++) {
        (void)on_exit(at_exit, NULL);
        (void)at_quick_exit(at_quick_exit_end);
    }
}

void finish_child(void)
{
    memset(&ending, 0, sizeof ending);
    reporting_child();
}

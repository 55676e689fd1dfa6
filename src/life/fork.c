/* SPDX-License-Identifier: MIT
 *
 * The parent's open calls are copied before the fork, while its own store tells them, and reach the
 * child in the memory that it inherits. Nothing is made for a child that records nothing. Runs in
 * the thread that forks, and in a child's slow path. */
#include "life/fork.h"

#include "base/sys.h"
#include "life/finish.h"
#include "life/modules.h"
#include "life/start.h"
#include "record/control.h"
#include "signals/guard.h"

#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

/* During the fork: handlers of pthread_atfork may be a child's first event. */
static __thread struct fork_notes *forking;

/* In the child, after it: for its first thread, the one with the process's id. */
static struct {
    struct fork_notes notes;
    uint32_t pid;     /* of the child that they are for; 0 = none */
    uint64_t starter; /* pid << 32 | tid of who starts the child afresh; 0 = nobody */
} child;

static uint32_t own_pid(void) { return (uint32_t)sys_call0(SYS_getpid); }
static uint32_t own_tid(void) { return (uint32_t)sys_call0(SYS_gettid); }

static void map_calls(struct fork_notes *notes)
{
    uint64_t bytes = notes->count * sizeof notes->calls[0];
    long at = sys_call6(SYS_mmap, 0, (long)bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    notes->calls = notes->few;
    if (at < 0 && at > -4096) {
        notes->count = FORK_FEW_CALLS; /* the outermost, then */
        return;
    }
    notes->calls = (struct recorder_open_call *)at;
    notes->mapped_bytes = bytes;
    uint32_t now = recorder_open_calls(notes->calls, notes->count);
    if (now < notes->count) notes->count = now;
}

static void unmap_calls(struct fork_notes *notes)
{
    if (notes->mapped_bytes) (void)sys_call2(SYS_munmap, notes->calls, notes->mapped_bytes);
    notes->mapped_bytes = 0;
    notes->count = 0;
}

void fork_prepare(struct fork_notes *notes)
{
    notes->calls = notes->few;
    notes->mapped_bytes = 0;
    notes->count = 0;
    if (finish_is_ours()) notes->count = recorder_open_calls(notes->few, FORK_FEW_CALLS);
    if (notes->count > FORK_FEW_CALLS) map_calls(notes);
    forking = notes;
}

void fork_parent(struct fork_notes *notes)
{
    forking = NULL;
    unmap_calls(notes);
}

void fork_child(struct fork_notes *notes)
{
    bool is_taken = !notes->count;
    forking = NULL;
    if (!control_is_wiped_on_fork() && process.pid != own_pid()) control_wipe();
    control_forget_wiped();
    if (is_taken) return;
    child.notes = *notes;
    if (notes->calls == notes->few) child.notes.calls = child.notes.few;
    child.pid = own_pid();
}

void fork_inherit(void)
{
    struct fork_notes *notes = forking ? forking : &child.notes;
    if (!forking && (child.pid != own_pid() || child.pid != own_tid())) return;
    /* In a parent that forks, or attaches in a handler of pthread_atfork, they are not for itself.
     */
    if (forking && own_tid() != own_pid()) return;
    if (notes->count && process.pid == own_pid()) recorder_inherit(notes->calls, notes->count);
    unmap_calls(notes);
}

bool fork_is_fresh_child(void)
{
    const struct control_process *page = control_process();
    return page && !__atomic_load_n(&page->pid, __ATOMIC_ACQUIRE) && process.pid;
}

/* Another thread of the child is at it. False where that is the caller, interrupted. */
static bool wait_for_starter(uint64_t self)
{
    const struct timespec step = {.tv_nsec = 100000};
    enum { STEPS = 10000 }; /* a second */
    for (int i = 0; i < STEPS; i++) {
        uint64_t starter = __atomic_load_n(&child.starter, __ATOMIC_ACQUIRE);
        if (starter == self) return false;
        if (!starter) return process.pid == own_pid();
        (void)sys_call2(SYS_nanosleep, &step, NULL);
    }
    return false;
}

/* True for one thread of this process; what a parent left there is no hindrance. */
static bool claim_start(uint64_t self)
{
    uint64_t starter = __atomic_load_n(&child.starter, __ATOMIC_ACQUIRE);
    while (starter >> 32 != self >> 32 && fork_is_fresh_child())
        if (__atomic_compare_exchange_n(&child.starter, &starter, self, false, __ATOMIC_ACQ_REL,
                                        __ATOMIC_ACQUIRE))
            return true;
    return false;
}

static void start_afresh(void)
{
    if (process.store.base) store_abandon(&process.store);
    modules_forget_store();
    finish_child();
    guard_child();
    start_child();
}

bool fork_child_start(void)
{
    uint64_t self = (uint64_t)own_pid() << 32 | own_tid();
    if (claim_start(self)) {
        start_afresh();
        __atomic_store_n(&child.starter, 0, __ATOMIC_RELEASE);
    } else if (fork_is_fresh_child() && !wait_for_starter(self)) {
        return false;
    }
    return !process.is_off && start_recording();
}

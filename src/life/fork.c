/* SPDX-License-Identifier: MIT
 *
 * The parent's open calls are copied before the fork, while its own store tells them, and reach the
 * child in the memory that it inherits. A child of a fork that nobody saw (a raw clone) reads them
 * from the parent's store, which is still mapped; the parent has gone on meanwhile, so what both
 * still have open is found. Nothing is made for a child that records nothing. Runs in the thread
 * that forks, and in a child's slow path. */
#include "life/fork.h"

#include "base/sys.h"
#include "control/control.h"
#include "life/finish.h"
#include "life/modules.h"
#include "life/start.h"
#include "record/category.h"
#include "self/identity.h"
#include "signals/guard.h"
#include "store/view.h"

#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

/* During the fork: handlers of pthread_atfork may be a child's first event. */
static __thread struct fork_notes *forking;

/* Where this thread is recorded, in units of the store; its control block is wiped in a child. */
static __thread store_ref recorded_as;

/* In the child, after it: for its first thread, the one with the process's id. */
static struct {
    struct fork_notes notes;
    uint32_t pid;     /* of the child that they are for; 0 = none */
    uintptr_t sp;     /* where its first event came */
    uint64_t starter; /* pid << 32 | tid of who starts the child afresh; 0 = nobody */
} child;

/* The calling thread's open calls in the parent's store, seen from a child: those that lie above
 * the stack's present end. As recorder_open_calls. */
static uint32_t parents_open_calls(struct recorder_open_call *calls, uint32_t capacity)
{
    struct view view;
    uint64_t used = store_head(&process.store)->used_bytes, steps = 0;
    uintptr_t sp = child.sp;
    uint32_t count = 0;
    if (view_init(&view, process.store.base, used, NULL)) return 0;
    const struct store_recorder *thread = view_at(&view, recorded_as, sizeof *thread);
    const struct store_stack *stack = NULL;
    while (thread && (stack = view_next_stack(&view, thread, stack, &steps))) {
        uint32_t open = 0;
        if (!stack->in_use || sp < stack->low || sp >= stack->high) continue;
        const struct store_frame *frames = view_frames(&view, stack, &open);
        for (uint32_t i = 1; i <= open; i++) {
            const struct store_node *node = view_at(&view, frames[i].node, sizeof *node);
            if (!node || frames[i].sp < sp) continue;
            uint64_t address = node->address;
            if (frames[i].start_ticks & STORE_FRAME_MUTED) address = frames[i].start_ticks;
            if (count < capacity)
                calls[count] =
                    (struct recorder_open_call){category_portable(address), frames[i].sp};
            count++;
        }
    }
    return count;
}

typedef uint32_t open_calls_reader(struct recorder_open_call *calls, uint32_t capacity);

static void map_calls(struct fork_notes *notes, open_calls_reader *read)
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
    uint32_t now = read(notes->calls, notes->count);
    if (now < notes->count) notes->count = now;
}

static void take_notes(struct fork_notes *notes, open_calls_reader *read)
{
    notes->calls = notes->few;
    notes->mapped_bytes = 0;
    notes->count = read(notes->few, FORK_FEW_CALLS);
    if (notes->count > FORK_FEW_CALLS) map_calls(notes, read);
}

static void unmap_calls(struct fork_notes *notes)
{
    if (notes->mapped_bytes) (void)sys_call2(SYS_munmap, notes->calls, notes->mapped_bytes);
    notes->mapped_bytes = 0;
    notes->count = 0;
}

static uint32_t no_calls(struct recorder_open_call *calls, uint32_t capacity) { return 0; }

void fork_prepare(struct fork_notes *notes)
{
    take_notes(notes, finish_is_ours() ? recorder_open_calls : no_calls);
    /* A child that recorded nothing forks: what it was given goes on. */
    notes->hands_on = child.notes.count && child.pid == identity_tid();
    forking = notes;
}

void fork_parent(struct fork_notes *notes)
{
    forking = NULL;
    unmap_calls(notes);
}

void fork_child(struct fork_notes *notes)
{
    forking = NULL;
    if (!control_is_wiped_on_fork() && process.pid != identity_pid()) control_wipe();
    control_forget_wiped();
    guard_child(); /* another thread may have been reporting */
    if (notes->hands_on) child.pid = identity_pid();
    if (!notes->count) return; /* none, or taken by a handler of pthread_atfork */
    child.notes = *notes;
    if (notes->calls == notes->few) child.notes.calls = child.notes.few;
    child.pid = identity_pid();
}

void fork_inherit(void)
{
    struct fork_notes *notes = forking && !forking->hands_on ? forking : &child.notes;
    const struct store_recorder *thread = recorder_of_thread();
    uint64_t offset = thread ? (uint64_t)((const uint8_t *)thread - process.store.base) : 0;
    recorded_as = (store_ref)(offset / STORE_UNIT);
    /* They are for a child's first thread; a parent may attach in a handler of pthread_atfork. */
    if (identity_tid() != identity_pid() || process.pid != identity_pid()) return;
    if (!forking && child.pid != identity_pid()) return;
    if (notes->count) recorder_inherit(notes->calls, notes->count);
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
        if (!starter) return process.pid == identity_pid();
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
    bool is_noted = forking || child.pid == identity_pid();
    if (!is_noted && process.store.base && recorded_as && identity_tid() == identity_pid()) {
        take_notes(&child.notes, parents_open_calls);
        child.pid = identity_pid();
    }
    if (process.store.base) store_abandon(&process.store);
    finish_child();
    guard_child();
    start_child();
}

bool fork_child_start(uintptr_t sp)
{
    uint64_t self = (uint64_t)identity_pid() << 32 | identity_tid();
    if (claim_start(self)) {
        child.sp = sp;
        start_afresh();
        __atomic_store_n(&child.starter, 0, __ATOMIC_RELEASE);
    } else if (fork_is_fresh_child() && !wait_for_starter(self)) {
        return false;
    }
    return !process.is_off && start_recording();
}

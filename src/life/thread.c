/* SPDX-License-Identifier: MIT
 *
 * A thread's first event and its end. Attaching runs with signals blocked, so that no handler's own
 * first event meets a half-attached thread.
 *
 * Stack bounds. The hooks take the fast path only inside them; outside, the recorder looks again
 * and may widen. So where the truth is not to be had cheaply, bounds may be too narrow (a slow
 * call) but not so wide that another stack lies inside (a mix-up). */
#include "life/thread.h"

#include "base/compiler.h"
#include "base/file.h"
#include "base/maps.h"
#include "base/onstack.h"
#include "base/sys.h"
#include "control/control.h"
#include "life/crash.h"
#include "life/fork.h"
#include "life/snapshot.h"
#include "life/start.h"
#include "record/recorder.h"
#include "self/identity.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>

/* The first keys lie in the thread descriptor itself (glibc: PTHREAD_KEY_2NDLEVEL_SIZE); for later
 * ones pthread_setspecific calls calloc, which a hook must not. */
enum { KEYS_WITHOUT_ALLOCATION = 32 };

/* Unlimited stacks are taken as this much: mappings begin far below then (legacy layout). */
#define UNLIMITED_STACK (UINT64_C(1) << 30)

enum { ATTACH_GUARD_BYTES = 4096, ATTACH_BYTES = 64 * 1024 };

static pthread_key_t end_key;
static bool has_end_key;

/* What this thread was told at its birth; zeros in others. */
static __thread struct thread_birth born;
static __thread uintptr_t born_sp;
static __thread uint64_t born_ticks;
static __thread uintptr_t attaching_low; /* while it attaches: the stack for that */
/* What the program calls it. */
static __thread char given_name[RECORDER_NAME_BYTES + 1];

/* The loader's: where main's frames begin. */
extern void *__libc_stack_end;

/* Runs again and again until libc gives up, so that other keys' destructors, and the calls they
 * make, come before the end. */
static void end_of_thread(void *round)
{
    uintptr_t next = (uintptr_t)round + 1;
    if (next <= PTHREAD_DESTRUCTOR_ITERATIONS && !pthread_setspecific(end_key, (void *)next))
        return;
    thread_ends();
    snapshot_thread_ends();
}

COLD void thread_init(void)
{
    if (has_end_key || pthread_key_create(&end_key, end_of_thread)) return;
    has_end_key = end_key < KEYS_WITHOUT_ALLOCATION;
    if (!has_end_key) (void)pthread_key_delete(end_key);
}

bool thread_end_is_told(void) { return has_end_key; }

bool thread_watch_main(void)
{
    static uint32_t watched; /* pid */
    uint32_t pid = identity_pid();
    if (has_end_key && pid == identity_tid() && !pthread_setspecific(end_key, (void *)1))
        __atomic_store_n(&watched, pid, __ATOMIC_RELAXED);
    return __atomic_load_n(&watched, __ATOMIC_RELAXED) == pid;
}

static bool is_recording(void)
{
    return __atomic_load_n(&process.state, __ATOMIC_ACQUIRE) == PROCESS_RECORDING;
}

uint32_t thread_recorder_number(void)
{
    const struct store_recorder *recorder = recorder_of_thread();
    return recorder ? recorder->id + 1 : 0;
}

void thread_born(const struct thread_birth *birth, uintptr_t sp)
{
    born = *birth;
    born_sp = sp;
    if (is_recording()) born_ticks = start_ticks_now();
    /* A signal handler may have had the first event before us. */
    struct store_recorder *recorder = recorder_of_thread();
    if (!recorder) return;
    recorder->start_routine = birth->start_routine;
    recorder->parent = birth->parent;
}

static void name_of_thread(char name[16])
{
    if (sys_call2(SYS_prctl, PR_GET_NAME, name)) name[0] = '\0';
    name[15] = '\0';
}

/* Into libc's own data of the thread, which the thread pointer leads to and which lies between our
 * outermost frame and the stack's end. */
static uintptr_t near_end_of_stack(void)
{
    uintptr_t pointer = (uintptr_t)__builtin_thread_pointer();
    return pointer > born_sp && pointer - born_sp < born.stack_bytes ? pointer : born_sp;
}

/* A stack that libc chose ends in its own data, which the size asked for includes; so this low end
 * is too low by what of them is above the thread pointer (on x86-64 some 2 KiB, elsewhere the
 * thread's own variables too), and reaches into the guard, where there is one, not into frames of
 * whatever stack lies below. A recycled larger stack: too narrow. */
static bool bounds_of_birth(struct recorder_thread *thread)
{
    enum { SLACK = 4096 }; /* for what start_thread itself calls: destructors */
    if (!born_sp) return false;
    if (born.stack_low) {
        thread->stack_low = born.stack_low;
        thread->stack_high = born.stack_low + born.stack_bytes;
        return true;
    }
    if (!born.stack_bytes || born.stack_bytes >= born_sp) return false;
    thread->stack_high = born_sp + SLACK;
    thread->stack_low = near_end_of_stack() - born.stack_bytes;
    return true;
}

static bool bounds_of_main(struct recorder_thread *thread, uintptr_t sp)
{
    struct rlimit limit = {UNLIMITED_STACK, 0};
    (void)sys_call4(SYS_prlimit64, 0, RLIMIT_STACK, NULL, &limit);
    uint64_t bytes = limit.rlim_cur < UNLIMITED_STACK ? limit.rlim_cur : UNLIMITED_STACK;
    uintptr_t high = (uintptr_t)__libc_stack_end;
    if (sp > high || bytes > high || sp < high - bytes) return false;
    thread->stack_high = high;
    thread->stack_low = high - bytes;
    return true;
}

static void bounds_of_mapping(struct recorder_thread *thread, uintptr_t sp)
{
    struct maps_range range;
    thread->stack_high = UINTPTR_MAX;
    if (!maps_find(sp, &range)) return;
    thread->stack_low = range.low;
    thread->stack_high = range.high;
}

COLD static void describe(struct recorder_thread *thread, uintptr_t sp)
{
    *thread = (struct recorder_thread){.tid = identity_tid(), .start_routine = born.start_routine};
    bool is_of_this_store = born_ticks >= store_head(&process.store)->first_ticks;
    thread->parent = is_of_this_store ? born.parent : 0;
    thread->started_ticks = is_of_this_store ? born_ticks : start_ticks_now();
    name_of_thread(thread->name);
    if (bounds_of_birth(thread)) return;
    if (bounds_of_main(thread, sp)) return;
    bounds_of_mapping(thread, sp);
}

/* False in a child of vfork, and where a forked child is not to be recorded. */
static bool is_our_process(uintptr_t sp)
{
    const struct control_process *page = control_process();
    if (!page) return false;
    uint32_t pid = __atomic_load_n(&page->pid, __ATOMIC_ACQUIRE);
    if (pid == 0) return fork_child_start(sp);
    return pid == identity_pid();
}

static void count_late_call(void)
{
    if (__atomic_load_n(&process.state, __ATOMIC_ACQUIRE) == PROCESS_FINISHED)
        recorder_count_lost(LOST_CALLS_AFTER_REPORT, 1);
}

COLD static bool attach(uintptr_t sp)
{
    if (!start_process() || process.is_off) return false;
    if (!is_our_process(sp)) return false;
    if (!start_recording()) {
        count_late_call();
        return false;
    }
    struct recorder_thread thread;
    describe(&thread, sp);
    if (recorder_attach(&thread)) return false;
    fork_inherit();
    if (given_name[0]) (void)recorder_give_name(given_name);
    crash_thread_stack();
    if (has_end_key) (void)pthread_setspecific(end_key, (void *)1);
    return true;
}

static long attach_job(void *sp) { return attach((uintptr_t)sp); }

/* On a stack of its own: a first event may come on an alternate stack or a thread's stack that is
 * as small as the kernel and libc allow. */
COLD static bool attach_elsewhere(uintptr_t sp)
{
    struct onstack place;
    long at = sys_call6(SYS_mmap, 0, ATTACH_BYTES, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (at < 0 && at > -4096) return attach(sp);
    (void)sys_call3(SYS_mprotect, at, ATTACH_GUARD_BYTES, PROT_NONE);
    attaching_low = (uintptr_t)at;
    bool is_attached = onstack_call(&place, attach_job, (void *)sp, (void *)(at + ATTACH_BYTES));
    attaching_low = 0;
    (void)sys_call2(SYS_munmap, at, ATTACH_BYTES);
    return is_attached;
}

bool thread_attach(void)
{
    uintptr_t sp = (uintptr_t)__builtin_frame_address(0);
    if (process.is_off) return false;
    if (attaching_low && sp - attaching_low < ATTACH_BYTES) {
        recorder_count_lost(LOST_CALLS_WHILE_BUSY, 1); /* a handler of SIGTRAP interrupted it */
        return false;
    }
    int saved = errno;
    struct file_guard guard;
    file_guard(&guard);
    bool is_attached = attach_elsewhere(sp);
    file_unguard(&guard);
    errno = saved;
    return is_attached;
}

void thread_set_name(const char *name)
{
    if (start_is_vfork_child()) return;
    size_t bytes = name ? strnlen(name, RECORDER_NAME_BYTES) : 0;
    for (size_t i = 0; i < bytes; i++) given_name[i] = name[i];
    given_name[bytes] = '\0';
    (void)recorder_give_name(given_name);
}

void thread_note_stack(uintptr_t low, uintptr_t high)
{
    if (!start_is_vfork_child()) recorder_note_stack(low, high);
}

void thread_ends(void)
{
    if (!recorder_of_thread() || start_is_vfork_child()) return;
    struct timespec cpu = {0};
    char name[16];
    (void)sys_call2(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, &cpu);
    name_of_thread(name);
    recorder_retire((uint64_t)cpu.tv_sec * 1000000000u + (uint64_t)cpu.tv_nsec, name);
    crash_thread_stack_end();
}

/* SPDX-License-Identifier: MIT
 *
 * The pages that control blocks live on, and the busy flag. Runs in any thread and in signal
 * handlers; takes no lock. */
#include "control/control.h"

#include "base/sys.h"

#include <sys/mman.h>
#include <sys/resource.h>

#ifndef MADV_WIPEONFORK
#define MADV_WIPEONFORK 18
#endif

/* Where the address space is limited it is the target's: 256 KiB, not 16 MiB, are taken. */
enum { PAGE = 4096, MOST_BLOCKS = 65536, MOST_BLOCKS_LIMITED = 1024, LEAST_BLOCKS = 64 };

struct control control_none;
struct control control_refused;
__thread struct control *control = &control_none;

/* Mapped once, and inherited by children at the same address, where it reads as zeros. */
static uint8_t *pages;
static uint32_t block_count;
static bool is_wiped;

static uint64_t bytes_for(uint32_t blocks)
{
    return PAGE + (uint64_t)blocks * sizeof(struct control);
}

static uint8_t *map_pages(uint32_t *blocks)
{
    struct rlimit limit = {0};
    bool is_free = sys_call4(SYS_prlimit64, 0, RLIMIT_AS, NULL, &limit) == 0 &&
                   limit.rlim_cur == RLIM_INFINITY;
    for (uint32_t n = is_free ? MOST_BLOCKS : MOST_BLOCKS_LIMITED; n >= LEAST_BLOCKS; n /= 4) {
        long at = sys_call6(SYS_mmap, 0, (long)bytes_for(n), PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (at < 0 && at > -4096) continue;
        *blocks = n;
        return (uint8_t *)at;
    }
    return NULL;
}

struct control_process *control_process(void)
{
    /* Pairs with the release below: block_count and is_wiped are set before pages. */
    uint8_t *at = __atomic_load_n(&pages, __ATOMIC_ACQUIRE);
    if (at) return (struct control_process *)at;
    uint32_t blocks = 0;
    at = map_pages(&blocks);
    if (!at) return NULL;
    bool wiped = sys_call3(SYS_madvise, at, bytes_for(blocks), MADV_WIPEONFORK) == 0;
    uint8_t *none = NULL;
    /* Racing makers map the same sizes, or the loser's smaller count only lowers the bound. */
    uint32_t unset = 0;
    (void)__atomic_compare_exchange_n(&block_count, &unset, blocks, false, __ATOMIC_ACQ_REL,
                                      __ATOMIC_ACQUIRE);
    __atomic_store_n(&is_wiped, wiped, __ATOMIC_RELAXED);
    if (!__atomic_compare_exchange_n(&pages, &none, at, false, __ATOMIC_ACQ_REL,
                                     __ATOMIC_ACQUIRE)) {
        (void)sys_call2(SYS_munmap, at, bytes_for(blocks));
        return (struct control_process *)none;
    }
    return (struct control_process *)at;
}

struct control *control_block(uint32_t i)
{
    return (struct control *)(void *)(pages + PAGE + (uint64_t)i * sizeof(struct control));
}

struct control *control_take(void)
{
    struct control_process *process = control_process();
    if (!process) return NULL;
    uint32_t i = __atomic_load_n(&process->blocks_used, __ATOMIC_ACQUIRE);
    do { /* never beyond the end, not for a moment: others look through all that are used */
        if (i >= block_count) return NULL;
    } while (!__atomic_compare_exchange_n(&process->blocks_used, &i, i + 1, false, __ATOMIC_ACQ_REL,
                                          __ATOMIC_ACQUIRE));
    struct control *block = control_block(i);
    __atomic_store_n(&block->in_use, 1, __ATOMIC_RELEASE);
    return block;
}

bool control_is_vfork_child(void)
{
    const struct control_process *page = control_process();
    return page && page->pid && page->pid != (uint32_t)sys_call0(SYS_getpid);
}

bool control_is_wiped_on_fork(void) { return is_wiped; }

void control_wipe(void)
{
    struct control_process *process = (struct control_process *)pages;
    if (!process) return;
    uint32_t used = process->blocks_used;
    for (uint32_t i = 0; i < used; i++) *control_block(i) = (struct control){0};
    *process = (struct control_process){0};
}

/* Ordinary memory: a forked child has what its parent had. */
static uint32_t pauses;
static __thread uint32_t thread_pauses;

bool control_is_paused(void)
{
    return __atomic_load_n(&pauses, __ATOMIC_RELAXED) ||
           __atomic_load_n(&thread_pauses, __ATOMIC_RELAXED);
}

/* Enters, and what is said of categories, go slow until the owner's slow path finds that nothing is
 * paused (control_end). */
static void mute(struct control *block)
{
    __atomic_store_n(&block->frames_bytes, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&block->category_count, 0, __ATOMIC_RELAXED);
}

static void count_down(uint32_t *count)
{
    uint32_t seen = __atomic_load_n(count, __ATOMIC_RELAXED);
    while (seen && !__atomic_compare_exchange_n(count, &seen, seen - 1, false, __ATOMIC_RELAXED,
                                                __ATOMIC_RELAXED)) {
    }
}

void control_pause(void)
{
    struct control_process *process = control_process();
    if (!process || control_is_vfork_child()) return;
    (void)__atomic_fetch_add(&pauses, 1, __ATOMIC_RELAXED);
    /* Pairs with the fence in control_end: either it sees the pause, or its limits come first. */
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    uint32_t used = __atomic_load_n(&process->blocks_used, __ATOMIC_ACQUIRE);
    for (uint32_t i = 0; i < used; i++) mute(control_block(i));
}

void control_resume(void)
{
    if (!control_is_vfork_child()) count_down(&pauses);
}

void control_pause_thread(void)
{
    if (control_is_vfork_child()) return;
    (void)__atomic_fetch_add(&thread_pauses, 1, __ATOMIC_RELAXED);
    SIGNAL_FENCE();
    if (control->in_use) mute(control);
}

void control_resume_thread(void)
{
    if (!control_is_vfork_child()) count_down(&thread_pauses);
}

bool control_begin(struct control *block, uintptr_t sp)
{
    if (block->busy_sp) return false;
    block->busy_sp = sp;
    SIGNAL_FENCE(); /* a handler from here on finds the flag, or still takes the fast path */
    control_go_slow(block);
    SIGNAL_FENCE();
    return true;
}

/* The part of the current stack that the hooks may take for it: without the fiber that lies in it,
 * on our side of that. */
static void set_limits(struct control *block, uintptr_t sp)
{
    const struct store_stack *stack = block->stack, *fiber = block->fiber;
    uintptr_t low = stack->low, high = stack->high;
    if (fiber && fiber != stack && fiber->low < high && fiber->high > low) {
        if (sp >= fiber->high) low = fiber->high;
        if (sp < fiber->low) high = fiber->low;
    }
    block->stack_low = low;
    block->stack_bytes = high - low;
}

void control_end(struct control *block)
{
    uintptr_t sp = block->busy_sp;
    SIGNAL_FENCE();
    block->busy_sp = 0;
    block->busy_depth = 0;
    SIGNAL_FENCE(); /* a handler from here on goes slow and finds everything in place */
    __atomic_store_n(&block->category_count, block->category_capacity, __ATOMIC_RELAXED);
    if (!block->always_slow && !block->too_deep) {
        struct store_stack *stack = block->stack;
        block->frames =
            (struct store_frame *)(void *)(block->base + (uint64_t)stack->frames * STORE_UNIT);
        set_limits(block, sp);
        __atomic_store_n(&block->frames_bytes, (stack->capacity - 1) * sizeof(struct store_frame),
                         __ATOMIC_RELAXED);
    }
    __atomic_thread_fence(__ATOMIC_SEQ_CST); /* pairs with the one in control_pause */
    if (UNLIKELY(control_is_paused())) mute(block);
}

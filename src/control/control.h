/* SPDX-License-Identifier: MIT
 *
 * The control block: what the hooks load first. One for each recorder, on private pages that read
 * as zeros in a forked child (MADV_WIPEONFORK), so that a child of any kind of fork fails the
 * bounds check of its first hook and starts afresh. */
#pragma once

#include "base/compiler.h"
#include "store/layout.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A block of zeros, as a thread that never attached and a fresh child have it, is valid and sends
 * every enter (no frames_bytes) and every exit (no stack_bytes) to the slow path. */
struct control {
    /* hot: enter and exit read these on every call */
    struct store_frame *top;    /* the innermost open call, or the floor */
    struct store_frame *frames; /* the current stack's */
    uintptr_t frames_bytes;     /* enter with the top beyond goes slow; 0 while busy */
    uint8_t *base;              /* of the store */
    uintptr_t stack_low;        /* of the machine stack that top's frames belong to */
    uintptr_t stack_bytes;      /* 0 while busy: exits go slow */
    store_ref *slots;           /* the tree's table; a power of two */
    uint64_t slots_mask;        /* their number − 1 */
    /* cold: the slow paths' */
    struct store_recorder *recorder;
    struct store_stack *stack; /* the one in use */
    uintptr_t busy_sp;         /* stack address of the slow path that is busy; 0 = none */
    uint64_t busy_depth;       /* calls entered while busy and not yet left */
    uint64_t too_deep;         /* calls entered past a limit and not yet left */
    uintptr_t too_deep_sp;     /* where the first of them began */
    store_ref *function_slots; /* address → function; a power of two */
    uint32_t slots_used, slots_capacity;
    uint32_t function_slots_used, function_slots_capacity;
    uint32_t inherited;   /* frames at the bottom of the first stack that were open before a fork */
    uint32_t always_slow; /* another clock, function samples: both hooks take the slow path */
    store_ref nodes_tail, functions_tail; /* newest segments */
    store_ref extent, extent_end;         /* the recorder's own space: next free unit and its end */
    uint32_t extent_bytes;                /* size of the newest extent */
    uint32_t stack_count;
    uint32_t tid;    /* the thread that records here, or did last */
    uint32_t in_use; /* 0 = free; 1 = has a recorder */
    uint64_t stack_age;
    store_ref *stack_hints;          /* page → stack, a guess; NULL until there are two stacks */
    struct store_stack *fiber;       /* that the program says it runs on; NULL = none */
    struct category_own *categories; /* by a category's number (record/category.h) */
    uint32_t category_count;         /* of them; a greater number goes slow: all do while it is 0 */
    uint32_t category_capacity;      /* category_count where nothing is paused */
    struct lap_desk *laps;           /* NULL until there is a lap */
    uint32_t function_count;
    uint32_t too_deep_alike; /* one of them is of the function of the call above them */
    /* record/tree.c: nodes from the root down to one that led to a folded call. */
    store_ref path; /* store_ref[path_capacity] */
    uint32_t path_length, path_capacity;
    uint32_t path_epoch;   /* functions' counts of another one are void */
    uint32_t path_changes; /* it is being changed: void where that was left */
    uint32_t reserved[1];
};
_Static_assert(sizeof(struct control) == 256 && offsetof(struct control, recorder) == 64,
               "the hot part is one cache line; blocks share neither lines nor prefetched pairs");

/* Never NULL: points to control_none until the thread attaches. */
extern __thread struct control *control;
extern struct control control_none;    /* all zeros, never written */
extern struct control control_refused; /* the same: this thread got no recorder, and asks no more */

/* What belongs to the process and must vanish in a forked child as the blocks do: lies on the same
 * kind of page. pid 0 = this process has not started recording (or is a fresh child). */
struct control_process {
    uint32_t pid;
    uint32_t blocks_used; /* blocks [0 … blocks_used) have been taken at least once */
    uint64_t ring_bytes;  /* of all rings of raw samples */
    uint32_t retired;     /* recorders whose thread has ended and that nobody took over, about */
    uint32_t fold_lock;   /* tid of the thread that folds into "[other threads]" */
    uint32_t others;      /* 1 + number of the block of "[other threads]"; 0 = none yet */
};

/* The process page; made at the first call. NULL when there is no memory.
 * Context: any thread, signal-safe. */
struct control_process *control_process(void);

/* Block number i < control_process()->blocks_used. Context: any thread, signal-safe. */
struct control *control_block(uint32_t i);

/* A fresh, zeroed block with in_use set, or NULL when all are taken (65 536, fewer where the
 * address space is limited). Context: any thread, signal-safe. */
struct control *control_take(void);

/* True where the kernel gave wipe-on-fork pages; else the fork wrappers call control_wipe in the
 * child. Context: any thread, signal-safe. */
bool control_is_wiped_on_fork(void);
void control_wipe(void);

/* True in a child of vfork: the page is its parent's. Context: any thread, signal-safe. */
bool control_is_vfork_child(void);

/* A child forked from this thread finds its block wiped, and another thread may be given that block
 * first: to be called in the child, and before a thread is made. Context: owner thread,
 * signal-safe. */
static inline void control_forget_wiped(void)
{
    if (!control->in_use) control = &control_none;
}

/* Both hooks of this thread take the slow path. Atomic because a pause by another thread stores
 * there too. Context: owner thread, signal-safe. */
static inline void control_go_slow(struct control *block)
{
    __atomic_store_n(&block->frames_bytes, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&block->stack_bytes, 0, __ATOMIC_RELAXED);
}

/* Busy: while a slow path changes the recorder, the calls of a signal handler that interrupts it
 * are counted as lost, in balance. control_begin returns false when it is busy already. sp: the
 * stack address of the hook that went slow. Context: owner thread, signal-safe. */
bool control_begin(struct control *block, uintptr_t sp);
void control_end(struct control *block);

/* Pausing: calls that are entered are kept in balance but not recorded, and go slow; what is open
 * goes on. Of all threads or of the calling one, until as many resumes as pauses were made. A
 * forked child is paused as its parent was. Context: any thread, signal-safe. */
void control_pause(void);
void control_resume(void);
void control_pause_thread(void);
void control_resume_thread(void);
bool control_is_paused(void);

/* SPDX-License-Identifier: MIT
 *
 * The control block: what the hooks load first. One for each attached thread, on private pages that
 * read as zeros in a forked child (MADV_WIPEONFORK), so that a child of any kind of fork fails the
 * bounds check of its first hook and starts afresh. */
#pragma once

#include "base/compiler.h"
#include "store/layout.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A block of zeros, as a thread that never attached and a fresh child have it, is valid and sends
 * every enter (top >= limit) and every exit (top <= floor) to the slow path. */
struct control {
    /* hot: enter and exit read these on every call */
    struct store_frame *top;   /* the innermost open call, or the floor */
    struct store_frame *limit; /* enter at or past it goes slow; NULL while busy */
    struct store_frame *floor; /* exit at or below it goes slow; UINTPTR_MAX while busy */
    uint8_t *base;             /* of the store */
    uintptr_t stack_low;       /* of the machine stack that top's frames belong to */
    store_ref *slots;          /* the tree's table; a power of two */
    uint64_t slots_shift;      /* 64 − log2(slots) */
    uint64_t pad;
    /* cold: the slow paths' */
    struct store_frame *ready_limit, *ready_floor; /* what limit and floor are when not busy */
    struct store_recorder *recorder;
    struct store_stack *stack; /* the one in use */
    uintptr_t busy_sp;         /* stack address of the slow path that is busy; 0 = none */
    uint64_t busy_depth;       /* calls entered while busy and not yet left */
    uint64_t too_deep;         /* calls entered past the depth limit and not yet left */
    uint32_t slots_used, slots_capacity;
    uint32_t always_slow; /* another clock than the counter: both hooks always take the slow path */
    uint32_t paused;
    store_ref extent, extent_end; /* the recorder's own space: next free unit and its end */
    uint32_t extent_units;        /* size of the newest extent */
    uint32_t in_use;              /* this block belongs to a thread */
    uint32_t tid;
    uint32_t reserved[11];
};
_Static_assert(sizeof(struct control) == 256 && offsetof(struct control, ready_limit) == 64,
               "the hot part is one cache line; blocks don't share lines or prefetched pairs");

/* Never NULL: points to a block of zeros until the thread attaches. */
extern __thread struct control *control;

/* What belongs to the process and must vanish in a forked child as the blocks do: lies on the same
 * kind of page. pid 0 = this process has not started recording (or is a fresh child). */
struct control_process {
    uint32_t pid;
    uint32_t blocks_used; /* high-water mark of the block array */
};

/* The process page; made at the first call. NULL when there is no memory. Context: signal-safe. */
struct control_process *control_process(void);

/* A free block, zeroed, or NULL when all 65 536 are taken. control_give_back frees it.
 * Context: any thread, signal-safe. */
struct control *control_take(void);
void control_give_back(struct control *block);

/* The block with which this thread's hooks go slow for ever without recording: recording is off in
 * this process. Context: any thread. */
extern struct control control_none;
/* True where the kernel gave wipe-on-fork pages; else the fork wrappers call control_wipe in the child. */
bool control_is_wiped_on_fork(void);
void control_wipe(void);

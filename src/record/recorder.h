/* SPDX-License-Identifier: MIT
 *
 * A thread's recorder: made, handed on, retired. The recorder lives in the store and outlives its
 * thread; the control block points into it while the thread lives. */
#pragma once

#include "control/control.h"
#include "store/store.h"

#include <stdbool.h>
#include <stdint.h>

struct recorder_options {
    struct store *store;
    uint32_t max_nodes, max_depth, max_threads;
    uint32_t function_samples; /* ring size of each function; 0 = none, and then exits are fast */
    uint32_t max_samples;      /* ring size of each category */
    uint64_t sample_bytes;     /* bound on the sum of all rings */
    uint32_t clock_source;     /* enum clock_source */
    uint32_t worst_laps;       /* kept of a kind and recorder */
    uint64_t lap_budget_ns;
};

/* What is known of a thread when it attaches. */
struct recorder_thread {
    uint32_t tid;
    uint32_t parent; /* recorder id + 1, or 0 */
    uint64_t start_routine;
    uint64_t started_ticks;
    uintptr_t stack_low, stack_high; /* bounds of its machine stack; 0 and UINTPTR_MAX if unknown */
    char name[16];
};

/* Fixes the options for this process; called when its store has been created (again in a forked
 * child). Context: start-up, once. */
void recorder_configure(const struct recorder_options *options);
const struct recorder_options *recorder_settings(void);

/* Gives the calling thread a recorder and points `control` to its block: a new one, or, where
 * max(max_threads, most alive at once) exist, a retired one of the same start routine (generations
 * + 1), else one whose data was first folded into "[other threads]". 0, or −ENOMEM (then the thread
 * records nothing and its calls count as LOST_CALLS_NO_MEMORY).
 * Context: owner thread, signal-safe; slow path. */
int recorder_attach(const struct recorder_thread *thread);

/* A new recorder with its block, which belongs to no thread yet. NULL without memory.
 * Context: slow path; recorder.c and fold.c. */
struct control *recorder_make(const struct recorder_thread *thread);

/* The calling thread is about to end: its end time, CPU time and newest name are noted and the
 * state becomes EXITED. Its hooks go on recording until it is really gone (later destructors). No
 * effect on a thread that never attached. Context: owner thread, signal-safe. */
void recorder_retire(uint64_t cpu_ns, const char name[16]);

/* The calling thread's name in the report, instead of the kernel's; cut to RECORDER_NAME_BYTES − 1;
 * "" = the kernel's again. False where the thread has no recorder, or is busy. Context: owner
 * thread. */
enum { RECORDER_NAME_BYTES = 64 };
bool recorder_give_name(const char *name);

/* The calling thread runs on the stack [low, high), also where that is part of another; low ==
 * high: on its own again. Nothing happens to a thread without a recorder. Context: owner thread. */
void recorder_set_fiber(uintptr_t low, uintptr_t high);

/* The store's record of the calling thread, or NULL. Context: owner thread, signal-safe. */
struct store_recorder *recorder_of_thread(void);

/* Addresses (category_portable's) of the calling thread's open functions on its current stack,
 * outermost first, with their stack addresses; returns how many there are (may be more than
 * capacity: the outermost are given); those that are muted with STORE_FRAME_MUTED. For the fork
 * wrappers, which hand them to recorder_inherit in the child. Context: owner thread, signal-safe.
 */
struct recorder_open_call {
    uint64_t address, sp;
};
uint32_t recorder_open_calls(struct recorder_open_call *calls, uint32_t capacity);

/* Puts calls that were entered before a fork on the fresh recorder's stack: they are Open, not
 * counted, and their exits are silent. Context: owner thread, right after recorder_attach. */
void recorder_inherit(const struct recorder_open_call *calls, uint32_t count);

/* A module has been unloaded: every recorded function in [low, high) of every recorder is marked
 * STORE_MARK_UNLOADED, so that a later function at the same address is another one.
 * Context: any thread, not in a signal handler. */
void recorder_forget_code(uint64_t low, uint64_t high);

/* The calls of the function at this address are laps from now on (func_watch was told): every node
 * of it in every recorder is marked STORE_MARK_LAP. Context: as recorder_forget_code. */
void recorder_mark_laps(uint64_t address);

/* Counts something under a kind, in the calling thread's recorder or, without one, in the head.
 * Context: any thread, signal-safe. */
void recorder_count_lost(enum lost_kind kind, uint64_t n);

/* Where a machine stack lies that stint was told of (makecontext, sigaltstack): used when a call's
 * address is outside the current stack. Context: owner thread. */
void recorder_note_stack(uintptr_t low, uintptr_t high);

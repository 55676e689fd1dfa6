/* SPDX-License-Identifier: MIT
 *
 * Threads as the process sees them: attached at their first event, named, retired. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Called by the slow paths when the calling thread's control block is not in use: starts the
 * process's recording if this is its first event (or the first in a forked child), then attaches
 * this thread with what its creator noted. Returns true when the thread can record now; false when
 * recording is off in this process (disabled, AT_SECURE, no memory, a vfork child, after the final
 * report). errno is kept. Context: owner thread, slow path; may run in a signal handler. */
bool thread_attach(void);

/* What the pthread_create wrapper hands to the trampoline of the new thread. */
struct thread_birth {
    void *(*routine)(void *); /* what the trampoline calls … */
    void *argument;           /* … with this */
    uint64_t start_routine;   /* address of what the program asked for */
    uint32_t parent;          /* recorder id + 1; 0 = the creator has none */
    /* Of the stack. low 0 = chosen by libc; then bytes is the size asked for. */
    uint64_t stack_low, stack_bytes;
};

/* Recorder id + 1 of the calling thread, 0 = none. Context: owner thread. */
uint32_t thread_recorder_number(void);

/* Notes the birth for the calling, new thread, whose outermost frame is at `sp`; takes no store and
 * no allocation. Context: owner thread. */
void thread_born(const struct thread_birth *birth, uintptr_t sp);

/* Notes where another machine stack lies (makecontext, sigaltstack). Context: owner thread. */
void thread_note_stack(uintptr_t low, uintptr_t high);

/* The calling thread's name in the report, also before its first event; NULL or "": as the kernel
 * has it. Context: owner thread, not in a signal handler. */
void thread_set_name(const char *name);

/* The calling thread ends: retires its recorder. Safe to call twice. Context: owner thread. */
void thread_ends(void);

/* True when libc tells us of every thread's end (a key's destructor), so that nobody else need call
 * thread_ends. Context: any thread. */
bool thread_end_is_told(void);

/* Sees to it that the main thread's end is told. True where it will be: to be called by the main
 * thread, or later by any. Context: as pthread_setspecific. */
bool thread_watch_main(void);

/* Takes the key for that. Once, early, while keys that need no allocation are free.
 * Context: start-up. */
void thread_init(void);

/* SPDX-License-Identifier: MIT
 *
 * Threads as the process sees them: attached at their first event, named, retired. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Called by the slow paths when the calling thread's control block is not in use: starts the process's
 * recording if this is its first event (or the first in a forked child), then attaches this thread
 * with what its creator noted. Returns true when the thread can record now; false when recording is off
 * in this process (disabled, AT_SECURE, no memory, a vfork child, after the final report).
 * errno is kept. Context: owner thread, slow path; may run in a signal handler. */
bool thread_attach(void);

/* What the pthread_create wrapper hands to the trampoline of the new thread. */
struct thread_birth {
    void *(*routine)(void *);
    void *argument;
    uint64_t start_routine; /* address of what the program asked for */
    uint32_t parent;        /* recorder id + 1 */
};

/* Notes the birth for the calling, new thread; takes no store and no allocation.
 * Context: owner thread. */
void thread_born(const struct thread_birth *birth);

/* The calling thread ends: retires its recorder. Safe to call twice. Context: owner thread. */
void thread_ends(void);

/* SPDX-License-Identifier: MIT
 *
 * Real threads that attach, record and retire, as life/thread.c has them do it. */
#pragma once

#include "record/recorder.h"

#include <pthread.h>

/* A thread: what is known of it, what it does, and what became of it. */
struct worker {
    uint64_t routine, cpu_ns;
    const char *name;
    void (*work)(void);
    pthread_barrier_t *meeting; /* with the others that are alive at once */
    struct control *block;
    uint32_t tid;
    pthread_t thread;
};

/* The thread's whole life; where it got no recorder its block stays NULL. */
void *worker_live(void *worker);
void worker_start(struct worker *worker);
/* Joins it; joined is not yet gone: the kernel takes a moment to forget the number. */
void worker_finish(struct worker *worker);
/* Both; the test fails where it got no recorder, which is the lab's block from then on. */
struct worker worker_run(struct worker worker);

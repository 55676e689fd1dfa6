/* SPDX-License-Identifier: MIT
 *
 * A worker's stack is the lab's made-up one. */
#include "worker.h"

#include "lab.h"

#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

static struct recorder_thread description(const struct worker *worker)
{
    struct recorder_thread thread = {.tid = (uint32_t)gettid(),
                                     .start_routine = worker->routine,
                                     .started_ticks = 1,
                                     .stack_low = LAB_LOW,
                                     .stack_high = LAB_HIGH};
    strncpy(thread.name, worker->name ? worker->name : "worker", sizeof thread.name - 1);
    return thread;
}

void *worker_live(void *argument)
{
    struct worker *worker = argument;
    struct recorder_thread thread = description(worker);
    worker->tid = thread.tid;
    if (recorder_attach(&thread)) return NULL;
    worker->block = control;
    if (worker->work) worker->work();
    if (worker->meeting) pthread_barrier_wait(worker->meeting);
    recorder_retire(worker->cpu_ns, thread.name);
    return NULL;
}

void worker_start(struct worker *worker)
{
    assert_int_equal(pthread_create(&worker->thread, NULL, worker_live, worker), 0);
}

void worker_finish(struct worker *worker)
{
    assert_int_equal(pthread_join(worker->thread, NULL), 0);
    while (syscall(SYS_tgkill, getpid(), worker->tid, 0) == 0) sched_yield();
}

struct worker worker_run(struct worker worker)
{
    worker_start(&worker);
    worker_finish(&worker);
    assert_non_null(worker.block);
    lab.block = worker.block;
    return worker;
}

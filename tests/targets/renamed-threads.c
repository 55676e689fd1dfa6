/* SPDX-License-Identifier: MIT
 *
 * Threads whose names come before their first call, amid their calls, after their last one, and
 * from others. */
#define _GNU_SOURCE
#include "truth.h"

#include <pthread.h>

static pthread_barrier_t meet;

PLAIN static void wait_for_other(void) { pthread_barrier_wait(&meet); }

NOINLINE static void step(void)
{
    CALLED(step);
    __asm__ volatile("");
}

/* Its creator names it before it calls anything. */
PLAIN static void *named_before(void *argument)
{
    wait_for_other();
    for (int i = 0; i < 5; i++) step();
    return argument;
}

PLAIN static void *named_during(void *argument)
{
    step();
    pthread_setname_np(pthread_self(), "by-itself");
    step();
    wait_for_other();
    for (;;) pause();
    return argument;
}

/* Its last call is over when another names it; it lives at the end. */
PLAIN static void *named_after(void *argument)
{
    step();
    wait_for_other();
    for (;;) pause();
    return argument;
}

/* Names itself when all its calls are over, and ends. */
PLAIN static void *named_late(void *argument)
{
    step();
    pthread_setname_np(pthread_self(), "dead-late");
    return argument;
}

int main(void)
{
    CALLED(main);
    pthread_t id;
    pthread_barrier_init(&meet, NULL, 2);
    pthread_create(&id, NULL, named_before, NULL);
    pthread_setname_np(id, "by-creator");
    wait_for_other();
    pthread_join(id, NULL);
    pthread_create(&id, NULL, named_during, NULL);
    wait_for_other();
    pthread_create(&id, NULL, named_after, NULL);
    wait_for_other();
    pthread_setname_np(id, "after-calls");
    pthread_create(&id, NULL, named_late, NULL);
    pthread_join(id, NULL);
    pthread_setname_np(pthread_self(), "main-renamed");
    truth_tell();
    return 0;
}

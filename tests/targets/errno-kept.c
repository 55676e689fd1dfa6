/* SPDX-License-Identifier: MIT
 *
 * errno survives every hook: first calls, new paths, new threads, a wide tree, recursion past every
 * limit, the return from a signal handler that was instrumented. */
#include "truth.h"

#include <pthread.h>
#include <signal.h>

static int lost;

NOINLINE static void deeper(int depth)
{
    CALLED(deeper);
    if (depth) deeper(depth - 1);
    lost += errno != 1234;
    __asm__ volatile("");
}

static void handler(int number)
{
    CALLED(handler);
    deeper(7);
}

static void *thread(void *argument)
{
    CALLED(thread);
    errno = 1234;
    deeper(300);
    return argument;
}

__attribute__((constructor)) PLAIN static void before_anything(void) { errno = 1234; }

int main(void)
{
    lost += errno != 1234;
    CALLED(main);
    errno = 1234;
    deeper(30000);
    signal(SIGUSR1, handler);
    errno = 1234;
    raise(SIGUSR1);
    pthread_t id;
    pthread_create(&id, NULL, thread, NULL);
    pthread_join(id, NULL);
    truth_tell();
    return lost != 0;
}

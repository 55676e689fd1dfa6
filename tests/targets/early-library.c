/* SPDX-License-Identifier: MIT
 *
 * A library whose constructor runs before the preloaded one's: it calls instrumented functions and
 * starts a thread there; its destructor runs late and calls, too. */
#include "truth.h"

#include <pthread.h>

NOINLINE static void early_step(void)
{
    CALLED(early_step);
    __asm__ volatile("");
}

static void *early_thread(void *argument)
{
    CALLED(early_thread);
    early_step();
    return argument;
}

__attribute__((constructor)) static void early(void)
{
    CALLED(early);
    pthread_t id;
    for (int i = 0; i < 10; i++) early_step();
    if (pthread_create(&id, NULL, early_thread, NULL) || pthread_join(id, NULL)) _exit(77);
}

__attribute__((destructor)) static void at_the_end(void)
{
    CALLED(at_the_end);
    for (int i = 0; i < 5; i++) early_step();
}

PLAIN void early_tell(void);
PLAIN void early_tell(void)
{
    truth_line(1, "calls", "early_step", 16);
    truth_line(1, "calls", "early_thread", 1);
    truth_line(1, "calls", "early", 1);
    truth_line(1, "calls", "at_the_end", 1);
}

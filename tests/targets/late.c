/* SPDX-License-Identifier: MIT
 *
 * Calls after main: atexit and on_exit handlers, a destructor, and what those start. */
#define _GNU_SOURCE
#include "truth.h"

#include <pthread.h>

NOINLINE static void late_step(void)
{
    CALLED(late_step);
    __asm__ volatile("");
}

static void by_atexit(void)
{
    CALLED(by_atexit);
    late_step();
}

static void by_on_exit(int status, void *argument)
{
    CALLED(by_on_exit);
    if (status != 31) _exit(98);
    late_step();
}

static void *late_thread(void *argument)
{
    CALLED(late_thread);
    late_step();
    return argument;
}

__attribute__((destructor)) static void destructs(void)
{
    CALLED(destructs);
    pthread_t id;
    late_step();
    if (pthread_create(&id, NULL, late_thread, NULL) || pthread_join(id, NULL)) _exit(97);
    truth_tell();
}

int main(void)
{
    CALLED(main);
    atexit(by_atexit);
    on_exit(by_on_exit, NULL);
    return 31;
}

/* SPDX-License-Identifier: MIT
 *
 * Eight threads that never stop calling while main returns. */
#include "truth.h"

#include <pthread.h>

static pthread_barrier_t ready;
static volatile int forever = 1;

NOINLINE static void hit(void) { __asm__ volatile(""); }

static void *hammer(void *argument)
{
    hit();
    pthread_barrier_wait(&ready);
    while (forever) hit();
    return argument;
}

int main(void)
{
    pthread_t id;
    pthread_barrier_init(&ready, NULL, 9);
    for (int i = 0; i < 8; i++)
        if (pthread_create(&id, NULL, hammer, NULL)) return 1;
    pthread_barrier_wait(&ready);
    return 7;
}

/* SPDX-License-Identifier: MIT
 *
 * Threads by name: some end and are joined, one starts another, three still live (in a barrier's
 * other side) when main returns. */
#define _GNU_SOURCE
#include "truth.h"

#include <pthread.h>

static pthread_barrier_t ready;
static volatile int never;

NOINLINE static void work(int n)
{
    CALLED(work);
    for (volatile int i = 0; i < n; i++) {
    }
}

static void *dies(void *argument)
{
    CALLED(dies);
    char name[16];
    snprintf(name, sizeof name, "dies-%d", (int)(long)argument);
    pthread_setname_np(pthread_self(), name);
    for (int i = 0; i < 100; i++) work(10);
    return argument;
}

NOINLINE static void waits(void)
{
    CALLED(waits);
    pthread_barrier_wait(&ready);
    while (!never) pause();
}

static void *lives(void *argument)
{
    CALLED(lives);
    pthread_setname_np(pthread_self(), "lives");
    waits();
    return argument;
}

static void *starts_another(void *argument)
{
    CALLED(starts_another);
    pthread_t child;
    pthread_setname_np(pthread_self(), "parent");
    if (pthread_create(&child, NULL, dies, (void *)7L)) abort();
    pthread_join(child, NULL);
    return argument;
}

int main(void)
{
    CALLED(main);
    pthread_t ids[4], other;
    pthread_barrier_init(&ready, NULL, 4);
    for (long i = 0; i < 4; i++) pthread_create(&ids[i], NULL, dies, (void *)i);
    for (int i = 0; i < 4; i++) {
        void *result;
        pthread_join(ids[i], &result);
        if ((long)result != i) return 1;
    }
    pthread_create(&other, NULL, starts_another, NULL);
    pthread_join(other, NULL);
    for (int i = 0; i < 3; i++) pthread_create(&other, NULL, lives, NULL);
    pthread_barrier_wait(&ready);
    truth_tell();
    truth_line(1, "open", "waits", 3);
    truth_line(1, "open", "lives", 3);
    truth_line(1, "open", "work", 0);
    return 0;
}

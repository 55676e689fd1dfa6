/* SPDX-License-Identifier: MIT
 *
 * Thousands of threads alive at once, on small stacks. */
#include "truth.h"

#include <limits.h>
#include <pthread.h>

static pthread_barrier_t all;

NOINLINE static void once(void)
{
    CALLED(once);
    pthread_barrier_wait(&all);
}

static void *waits_for_all(void *argument)
{
    CALLED(waits_for_all);
    once();
    return argument;
}

int main(int argc, char **argv)
{
    CALLED(main);
    int threads = argc > 1 ? atoi(argv[1]) : 500;
    pthread_t *ids = calloc((size_t)threads, sizeof *ids);
    pthread_attr_t attr;
    pthread_attr_init(&attr);
    if (pthread_attr_setstacksize(&attr, PTHREAD_STACK_MIN)) return 2;
    pthread_barrier_init(&all, NULL, (unsigned)threads + 1);
    for (int i = 0; i < threads; i++)
        if (pthread_create(&ids[i], &attr, waits_for_all, NULL)) return 3;
    pthread_barrier_wait(&all);
    for (int i = 0; i < threads; i++) pthread_join(ids[i], NULL);
    truth_tell();
    return 0;
}

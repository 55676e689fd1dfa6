/* SPDX-License-Identifier: MIT
 *
 * The stack runs out, in main or in a thread. */
#include "truth.h"

#include <pthread.h>
#include <sys/resource.h>

NOINLINE static int endless(volatile char *below)
{
    volatile char here[4096];
    here[0] = below ? below[0] : 1;
    return endless(here) + here[0];
}

static void *thread(void *argument) { return (void *)(long)endless(argument); }

int main(int argc, char **argv)
{
    pthread_t id;
    if (argc < 2) return endless(NULL);
    pthread_create(&id, NULL, thread, NULL);
    pthread_join(id, NULL);
    return 1;
}

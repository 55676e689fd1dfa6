/* SPDX-License-Identifier: MIT
 *
 * Many short threads, twenty at a time, half of them ending by pthread_exit; tells the growth of
 * resident memory between the first thousand and the end. */
#include "truth.h"

#include <pthread.h>

NOINLINE static void step(void)
{
    CALLED(step);
    __asm__ volatile("");
}

static void *lasts_short(void *argument)
{
    CALLED(lasts_short);
    for (int i = 0; i < 5; i++) step();
    if ((long)argument % 2) pthread_exit(argument);
    return argument;
}

PLAIN static long resident_pages(void)
{
    long size = 0, resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%ld %ld", &size, &resident) != 2) exit(9);
    fclose(file);
    return resident;
}

PLAIN static void batch(long first)
{
    pthread_t ids[20];
    for (long i = 0; i < 20; i++)
        if (pthread_create(&ids[i], NULL, lasts_short, (void *)(first + i))) exit(8);
    for (long i = 0; i < 20; i++) {
        void *result;
        if (pthread_join(ids[i], &result) || (long)result != first + i) exit(7);
    }
}

int main(int argc, char **argv)
{
    CALLED(main);
    long threads = argc > 1 ? atol(argv[1]) : 2000, before = 0;
    for (long i = 0; i < threads; i += 20) {
        if (i == 1000) before = resident_pages();
        batch(i);
    }
    long growth = before ? resident_pages() - before : 0;
    fprintf(stderr, growth > 1024 ? "grew by %ld pages\n" : "", growth);
    truth_tell();
    return 0;
}

/* SPDX-License-Identifier: MIT
 *
 * Busy threads call without end while main forks again and again; each child calls and ends. */
#include "truth.h"

#include <pthread.h>
#include <sys/wait.h>

static volatile int stop;

NOINLINE static void busy_step(void)
{
    CALLED(busy_step);
    __asm__ volatile("");
}

static void *busy(void *argument)
{
    CALLED(busy);
    while (!stop) busy_step();
    return argument;
}

NOINLINE static void child_step(void)
{
    CALLED(child_step);
    __asm__ volatile("");
}

int main(int argc, char **argv)
{
    CALLED(main);
    pthread_t ids[8];
    int forks = argc > 1 ? atoi(argv[1]) : 50, wrong = 0;
    for (int i = 0; i < 8; i++) pthread_create(&ids[i], NULL, busy, NULL);
    for (int i = 0; i < forks; i++) {
        pid_t child = fork();
        if (!child) {
            child_step();
            _exit(i % 100);
        }
        int status;
        waitpid(child, &status, 0);
        wrong += status != (i % 100) << 8;
    }
    stop = 1;
    for (int i = 0; i < 8; i++) pthread_join(ids[i], NULL);
    truth_tell();
    truth_line(1, "number", "children", (unsigned long)forks);
    return wrong != 0;
}

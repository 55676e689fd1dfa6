/* SPDX-License-Identifier: MIT
 *
 * Which system calls a signal interrupts is the program's choice alone: with SA_RESTART the read
 * goes on, without it EINTR comes; ignored signals and those of other threads interrupt nothing. */
#define _GNU_SOURCE
#include "truth.h"

#include <pthread.h>
#include <signal.h>

static int ends[2];
static volatile sig_atomic_t seen;
static pid_t me;

static void handler(int number)
{
    CALLED(handler);
    seen++;
}

/* Waits until main sleeps in read, as the kernel tells it. */
PLAIN static void wait_until_read(void)
{
    char path[64], text[256];
    snprintf(path, sizeof path, "/proc/self/task/%d/syscall", me);
    do {
        FILE *file = fopen(path, "r");
        if (!file || !fgets(text, sizeof text, file)) exit(5);
        fclose(file);
    } while (strncmp(text, "0 ", 2));
}

PLAIN static void *disturbs(void *argument)
{
    int number = (int)(long)argument, before = seen;
    wait_until_read();
    syscall(234 /* tgkill */, getpid(), me, number);
    while (number == SIGUSR1 && seen == before) {
    }
    wait_until_read();
    if (write(ends[1], "x", 1) != 1) exit(6);
    return NULL;
}

/* One read that a signal disturbs: what it gave. */
NOINLINE static void reads(const char *what, int number, int flags)
{
    CALLED(reads);
    pthread_t id;
    char byte;
    struct sigaction action = {.sa_handler = number == SIGUSR1 ? handler : SIG_IGN,
                               .sa_flags = flags};
    sigaction(number, &action, NULL);
    pthread_create(&id, NULL, disturbs, (void *)(long)number);
    ssize_t got = read(ends[0], &byte, 1);
    printf("%s: %zd\n", what, got);
    if (got < 0) got = read(ends[0], &byte, 1);
    pthread_join(id, NULL);
}

int main(void)
{
    CALLED(main);
    me = gettid();
    if (pipe(ends)) return 1;
    reads("restarted", SIGUSR1, SA_RESTART);
    reads("interrupted", SIGUSR1, 0);
    reads("ignored", SIGTERM, 0);
    fflush(stdout);
    truth_tell();
    return 0;
}

/* SPDX-License-Identifier: MIT
 *
 * The report's place is a FIFO that is full and that nobody empties; then the end that the argument
 * names. "late": while the report waits, a thread begins that calls, and then the FIFO breaks. */
#define _GNU_SOURCE
#include "truth.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>

static int fifo;
static pid_t me;
static char *volatile nowhere;

NOINLINE static void step(void)
{
    CALLED(step);
    __asm__ volatile("");
}

NOINLINE static void late_step(void) { __asm__ volatile(""); }

PLAIN static void fill(void)
{
    static const char block[4096];
    if (mkfifo("fifo", 0600)) exit(90);
    fifo = open("fifo", O_RDWR | O_NONBLOCK | O_CLOEXEC);
    if (fifo < 0) exit(91);
    while (write(fifo, block, sizeof block) > 0) {
    }
}

PLAIN static void *calls_late(void *argument)
{
    for (int i = 0; i < 10; i++) late_step();
    return argument;
}

/* The report's writer waits in ppoll for room. */
PLAIN static void wait_for_report(void)
{
    char path[64], text[256];
    snprintf(path, sizeof path, "/proc/self/task/%d/syscall", me);
    do {
        FILE *file = fopen(path, "r");
        if (!file || !fgets(text, sizeof text, file)) _exit(92);
        fclose(file);
    } while (strncmp(text, "271 ", 4));
}

PLAIN static void *disturbs(void *argument)
{
    pthread_t id;
    wait_for_report();
    if (pthread_create(&id, NULL, calls_late, NULL) || pthread_join(id, NULL)) _exit(93);
    close(fifo);
    return argument;
}

int main(int argc, char **argv)
{
    CALLED(main);
    pthread_t id;
    me = gettid();
    fill();
    for (int i = 0; i < 100; i++) step();
    truth_tell();
    if (!strcmp(argv[1], "late") && pthread_create(&id, NULL, disturbs, NULL)) return 94;
    if (!strcmp(argv[1], "segv")) *nowhere = 1;
    if (!strcmp(argv[1], "abort")) abort();
    if (!strcmp(argv[1], "term")) kill(getpid(), SIGTERM);
    return 7;
}

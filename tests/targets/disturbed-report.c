/* SPDX-License-Identifier: MIT
 *
 * The report goes to a FIFO whose reader, a child, takes it only after it has sent further signals
 * ("signals"), or after another thread has crashed, too ("thread"). It keeps what it read. Without
 * stint nobody writes, and the child ends with its parent. */
#define _GNU_SOURCE
#include "truth.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>

static int life[2], wake[2];
static volatile pid_t *crashing; /* shared: the thread that crashes too */
static volatile int zero;
static char *volatile nowhere;

/* Deep enough for a report that no pipe of one page holds. */
NOINLINE static void step(int depth)
{
    CALLED(step);
    if (depth) step(depth - 1);
    __asm__ volatile("");
}

PLAIN static void *crashes_too(void *argument)
{
    char byte;
    *crashing = gettid();
    if (read(wake[0], &byte, 1) == 1) *nowhere = 1;
    for (;;) pause();
    return argument;
}

/* Another thread reports, so its handler sleeps until that has ended. */
PLAIN static void wait_until_it_waits(pid_t parent)
{
    char path[64], text[256];
    snprintf(path, sizeof path, "/proc/%d/task/%d/syscall", parent, *crashing);
    do {
        FILE *file = fopen(path, "r");
        if (!file || !fgets(text, sizeof text, file)) _exit(83);
        fclose(file);
    } while (strncmp(text, "35 ", 3));
}

PLAIN static void disturb(pid_t parent, const char *way)
{
    static const int numbers[] = {SIGTERM, SIGUSR1, SIGSEGV, SIGFPE, SIGABRT, SIGALRM};
    if (!strcmp(way, "thread")) {
        if (write(wake[1], "x", 1) != 1) _exit(81);
        wait_until_it_waits(parent);
        return;
    }
    for (int i = 0; i < 6; i++) kill(parent, numbers[i]);
}

PLAIN static void reads(pid_t parent, const char *way, int fifo)
{
    char text[4096];
    int kept = -1;
    close(life[1]);
    for (;;) {
        struct pollfd waited[] = {{fifo, POLLIN, 0}, {life[0], POLLIN, 0}};
        poll(waited, 2, -1);
        ssize_t bytes = 0;
        if (waited[0].revents & POLLIN) {
            if (kept < 0) {
                disturb(parent, way);
                kept = open("../out/drained.json", O_WRONLY | O_CREAT | O_TRUNC, 0666);
            }
            bytes = read(fifo, text, sizeof text);
            if (bytes > 0 && write(kept, text, (size_t)bytes) != bytes) _exit(82);
        }
        if (bytes <= 0 && waited[1].revents) _exit(0);
    }
}

int main(int argc, char **argv)
{
    CALLED(main);
    pthread_t id;
    if (pipe(life) || pipe(wake) || mkfifo("fifo", 0600)) return 90;
    crashing = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int fifo = open("fifo", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fcntl(fifo, F_SETPIPE_SZ, 4096) < 0) return 91;
    pid_t parent = getpid();
    if (!fork()) reads(parent, argv[1], fifo);
    close(life[0]);
    close(fifo);
    if (pthread_create(&id, NULL, crashes_too, NULL)) return 92;
    while (!*crashing) {
    }
    for (int i = 0; i < 20; i++) step(100);
    truth_tell();
    if (!strcmp(argv[2], "exit")) return 9;
    zero = 1000 / zero;
    return 93;
}

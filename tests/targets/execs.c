/* SPDX-License-Identifier: MIT
 *
 * exec in place, by each function, named by the argument; first one that fails. The second life is
 * the same program with "second". */
#define _GNU_SOURCE
#include "truth.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>

extern char **environ;

NOINLINE static void step(void)
{
    CALLED(step);
    __asm__ volatile("");
}

NOINLINE static void second_life(void)
{
    CALLED(second_life);
    for (int i = 0; i < 20; i++) step();
}

NOINLINE static void goes(const char *way, char *self)
{
    CALLED(goes);
    char *args[] = {self, (char *)"second", NULL}, *empty[] = {NULL};
    if (!strcmp(way, "execve")) execve(self, args, environ);
    if (!strcmp(way, "execv")) execv(self, args);
    if (!strcmp(way, "execvp")) execvp(self, args);
    if (!strcmp(way, "execvpe")) execvpe(self, args, environ);
    if (!strcmp(way, "execl")) execl(self, self, "second", (char *)NULL);
    if (!strcmp(way, "execlp")) execlp(self, self, "second", (char *)NULL);
    if (!strcmp(way, "execle")) execle(self, self, "second", (char *)NULL, environ);
    if (!strcmp(way, "fexecve")) fexecve(open(self, O_RDONLY | O_CLOEXEC), args, environ);
    if (!strcmp(way, "execveat")) execveat(AT_FDCWD, self, args, environ, 0);
    if (!strcmp(way, "killed")) raise(SIGKILL);
    if (!strcmp(way, "emptied")) execve(self, args, empty);
    exit(97);
}

static volatile int is_waiting;

static void *waits(void *argument)
{
    CALLED(waits);
    is_waiting = 1;
    for (;;) pause();
    return argument;
}

int main(int argc, char **argv)
{
    CALLED(main);
    char self[4096] = {0}, *args[] = {(char *)"x", NULL};
    pthread_t id;
    if (argc > 2 && pthread_create(&id, NULL, waits, NULL)) return 2;
    while (argc > 2 && !is_waiting) {
    }
    if (!strcmp(argv[1], "second")) {
        second_life();
        truth_tell_to(1);
        return 8;
    }
    if (readlink("/proc/self/exe", self, sizeof self - 1) < 0) return 1;
    for (int i = 0; i < 10; i++) step();
    printf("fails: %d\n", execv("/does/not/exist", args));
    printf("fails: %d\n", execvp("no-such-command-anywhere", args));
    printf("is refused: %d %d\n", execv("/", args), errno);
    printf("is refused: %d %d\n", execv("/dev/null", args), errno);
    fflush(stdout);
    for (int i = 0; i < 10; i++) step();
    /* the truth of the first life; counted here since goes does not come back */
    int fd = open("first-truth", O_WRONLY | O_CREAT | O_TRUNC, 0666);
    truth_tell_to(fd);
    truth_line(fd, "calls", "goes", 1);
    close(fd);
    goes(argv[1], self);
    return 1;
}

/* SPDX-License-Identifier: MIT
 *
 * A child by each way of forking, named by the argument. It starts from nothing, calls on, tells
 * its own truth to the file child-truth and ends with 5; the parent goes on untouched. With a third
 * argument a title is written over arguments and environment first, as servers do for ps. */
#define _GNU_SOURCE
#include "truth.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#ifndef __GLIBC__
#error glibc
#endif
pid_t _Fork(void);

NOINLINE static void step(void)
{
    CALLED(step);
    __asm__ volatile("");
}

NOINLINE static void in_child(const char *how)
{
    CALLED(in_child);
    for (int i = 0; i < 70; i++) step();
    int fd = open("child-truth", O_WRONLY | O_CREAT | O_TRUNC, 0666);
    truth_tell_to(fd);
    close(fd);
    if (!strcmp(how, "exit")) exit(5);
    _exit(5);
}

PLAIN static pid_t fork_by(const char *way)
{
    if (!strcmp(way, "fork")) return fork();
    if (!strcmp(way, "_Fork")) return _Fork();
    if (!strcmp(way, "raw-fork")) return (pid_t)syscall(SYS_fork);
    if (!strcmp(way, "raw-clone")) return (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
    exit(90);
}

NOINLINE static pid_t forks(const char *way, const char *how)
{
    CALLED(forks);
    pid_t child = fork_by(way);
    if (!child) {
        truth_forget();
        in_child(how);
    }
    return child;
}

/* The kernel lays the environment behind the arguments. */
PLAIN static void set_title(char **argv)
{
    char *end = argv[0];
    for (char **text = argv; *text; text++) end = *text + strlen(*text) + 1;
    for (char **entry = environ; *entry == end; entry++) end += strlen(*entry) + 1;
    memset(argv[0], '/', (size_t)(end - argv[0]) - 1);
    environ = NULL;
}

int main(int argc, char **argv)
{
    CALLED(main);
    char way[16], how[16];
    snprintf(way, sizeof way, "%s", argv[1]);
    snprintf(how, sizeof how, "%s", argv[2]);
    if (argc > 3) set_title(argv);
    for (int i = 0; i < 30; i++) step();
    pid_t child = forks(way, how);
    int status;
    if (waitpid(child, &status, 0) != child) return 1;
    for (int i = 0; i < 30; i++) step();
    printf("child %#x\n", (unsigned)status);
    fflush(stdout);
    truth_tell();
    return 6;
}

/* SPDX-License-Identifier: MIT
 *
 * vfork children that call instrumented functions and then exec, fail to exec, or end by _exit.
 * What they call is recorded in the memory they share with the parent. */
#define _GNU_SOURCE
#include "truth.h"

#include <sys/wait.h>

NOINLINE static void in_child(void)
{
    CALLED(in_child);
    __asm__ volatile("");
}

NOINLINE static void leaves(const char *how)
{
    CALLED(leaves);
    char *args[] = {(char *)"true", NULL};
    in_child();
    if (!strcmp(how, "exec")) execv("/bin/true", args);
    if (!strcmp(how, "fails")) execv("/does/not/exist", args);
    _exit(7);
}

/* vfork by hand stands here, not in a function that returns. */
NOINLINE static void starts(const char *how)
{
    CALLED(starts);
    int status;
    pid_t child = vfork();
    if (!child) leaves(how);
    if (child < 0 || waitpid(child, &status, 0) != child) exit(1);
    printf("%s %#x\n", how, (unsigned)status);
}

NOINLINE static void afterwards(void)
{
    CALLED(afterwards);
    __asm__ volatile("");
}

int main(void)
{
    CALLED(main);
    for (int i = 0; i < 3; i++) {
        starts("exec");
        starts("fails");
        starts("ends");
        afterwards();
    }
    fflush(stdout);
    truth_tell();
    return 0;
}

/* SPDX-License-Identifier: MIT
 *
 * Children by posix_spawn, system and popen (after a chdir by posix_spawn alone), each an
 * instrumented program (itself, with "child").
 */
#define _GNU_SOURCE
#include "truth.h"

#include <spawn.h>
#include <stdbool.h>
#include <sys/wait.h>

extern char **environ;

NOINLINE static void child_step(void)
{
    CALLED(child_step);
    __asm__ volatile("");
}

NOINLINE static int child(void)
{
    CALLED(child);
    for (int i = 0; i < 9; i++) child_step();
    puts("child ran");
    return 4;
}

NOINLINE static void spawns(char *self)
{
    CALLED(spawns);
    char *args[] = {self, (char *)"child", NULL};
    pid_t pid;
    int status;
    fflush(stdout);
    if (posix_spawn(&pid, self, NULL, NULL, args, environ)) exit(1);
    waitpid(pid, &status, 0);
    printf("spawned %#x\n", (unsigned)status);
}

NOINLINE static void calls_shell(const char *self)
{
    CALLED(calls_shell);
    char line[4096];
    snprintf(line, sizeof line, "'%s' child", self);
    fflush(stdout);
    printf("system %#x\n", (unsigned)system(line));
}

NOINLINE static void opens(const char *self)
{
    CALLED(opens);
    char line[4096];
    snprintf(line, sizeof line, "'%s' child", self);
    fflush(stdout);
    FILE *file = popen(line, "r");
    if (!file || !fgets(line, sizeof line, file)) exit(2);
    printf("popen %s", line);
    printf("closed %#x\n", (unsigned)pclose(file));
}

int main(int argc, char **argv)
{
    CALLED(main);
    if (argc > 1 && !strcmp(argv[1], "child")) return child();
    bool leaves = argc > 1;
    if (leaves && chdir("/")) return 9;
    char self[4096] = {0};
    if (readlink("/proc/self/exe", self, sizeof self - 1) < 0) return 8;
    spawns(self);
    if (!leaves) { /* libc starts these with environ as it is: a limit that the README names */
        calls_shell(self);
        opens(self);
    }
    fflush(stdout);
    truth_tell();
    return 0;
}

/* SPDX-License-Identifier: MIT
 *
 * The command of `stint run`: started with libstint.so in front, waited for, its ending passed on.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

struct child {
    pid_t pid;
    char run[48];    /* its own "<pid>:<start time>" */
    int exec_error;  /* errno of the exec, 0 = it began */
    int wait_status; /* as waitpid has it; valid when exec_error is 0 */
};

/* What is done again and again while the command runs; the period is in milliseconds. */
struct child_watch {
    void (*tick)(const struct child *child, void *context);
    void *context;
    int period_ms;
};

/* Runs it to its end; watch may be NULL. SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGUSR1 and SIGUSR2 that
 * another process sends to stint go to the command; what a terminal sends to both, only the command
 * feels. 0, or −errno where there could be no child. */
int child_run(struct child *child, char **command, const struct child_watch *watch);

/* Ends as the command ended: returns its exit status, or dies by its signal (without a core file of
 * ours). */
int child_pass_on(const struct child *child);

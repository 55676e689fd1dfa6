/* SPDX-License-Identifier: MIT
 *
 * Children that a case waits for. */
#include "child.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

void child_run(int (*run)(void))
{
    int status;
    pid_t child = fork();
    if (child == 0) _exit(run());
    assert_int_equal(waitpid(child, &status, 0), child);
    if (WIFSIGNALED(status)) fail_msg("killed by signal %d", WTERMSIG(status));
    if (WEXITSTATUS(status) == CHILD_NOT_POSSIBLE) skip();
    assert_int_equal(WEXITSTATUS(status), 0);
}

int child_limit_files(rlim_t bytes)
{
    const struct rlimit limit = {bytes, RLIM_INFINITY};
    return setrlimit(RLIMIT_FSIZE, &limit);
}

bool child_has_nothing_pending(void)
{
    sigset_t pending;
    sigpending(&pending);
    return !sigismember(&pending, SIGXFSZ) && !sigismember(&pending, SIGBUS);
}

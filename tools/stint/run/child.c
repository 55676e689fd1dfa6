/* SPDX-License-Identifier: MIT
 *
 * fork, exec, wait. The child tells its run's id and a failed exec through a pipe that a successful
 * exec closes. Runs in `stint`. */
#include "run/child.h"

#include "stores/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* SIGCHLD too: where it is ignored, nothing is left to wait for. */
static const int held[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGCHLD};
enum { HELD = sizeof held / sizeof held[0] };
static volatile pid_t forward_to; /* 0 = nobody, so in the child itself */

struct message {
    char run[48];
    int exec_error;
};

/* What a process sent to stint is meant for the command, unless the command sent it; what a
 * terminal sends, the command has itself. */
static void forward(int number, siginfo_t *info, void *context)
{
    int error = errno;
    pid_t pid = forward_to;
    (void)context;
    if (pid > 0 && info->si_code <= 0 && info->si_pid != pid) kill(pid, number);
    errno = error;
}

/* What was ignored stays so, for the command and for stint. */
static void hold_signals(struct sigaction before[HELD])
{
    for (int i = 0; i < HELD; i++) {
        struct sigaction action = {.sa_sigaction = forward, .sa_flags = SA_SIGINFO | SA_RESTART};
        if (held[i] == SIGCHLD) action = (struct sigaction){.sa_handler = SIG_DFL};
        sigaction(held[i], NULL, &before[i]);
        if (held[i] == SIGCHLD || before[i].sa_handler != SIG_IGN)
            sigaction(held[i], &action, NULL);
    }
}

static void restore_signals(const struct sigaction before[HELD])
{
    for (int i = 0; i < HELD; i++) sigaction(held[i], &before[i], NULL);
}

/* Blocks them; until forward_to is set, they wait. */
static void block_signals(sigset_t *before)
{
    sigset_t set;
    sigemptyset(&set);
    for (int i = 0; i < HELD; i++) sigaddset(&set, held[i]);
    sigprocmask(SIG_BLOCK, &set, before);
}

static void tell(int fd, const struct message *message)
{
    ssize_t written = write(fd, message, sizeof *message);
    (void)written; /* the parent sees a short or missing message */
}

__attribute__((noreturn)) static void begin(char **command, int fd)
{
    struct message message = {.exec_error = 0};
    if (process_own_run(message.run)) setenv("STINT_ROOT", message.run, 1);
    tell(fd, &message);
    execvp(command[0], command);
    message.exec_error = errno;
    tell(fd, &message);
    _exit(127);
}

/* A kernel that has no such descriptors (before 5.3) lets nobody watch. */
static void watch_until_it_ends(const struct child *child, const struct child_watch *watch)
{
    struct pollfd end = {.fd = (int)syscall(SYS_pidfd_open, child->pid, 0), .events = POLLIN};
    if (end.fd < 0) return;
    for (int ready = 0; ready == 0 || (ready < 0 && errno == EINTR);) {
        ready = poll(&end, 1, watch->period_ms);
        if (ready == 0) watch->tick(child, watch->context);
    }
    close(end.fd);
}

/* Its number is nobody else's until it is waited for. */
static void wait_for(struct child *child)
{
    siginfo_t end;
    while (waitid(P_PID, (id_t)child->pid, &end, WEXITED | WNOWAIT) < 0 && errno == EINTR) continue;
    forward_to = 0;
    while (waitpid(child->pid, &child->wait_status, 0) < 0 && errno == EINTR) continue;
}

/* The first message has the run's id; a second one tells of a failed exec. */
static void listen_to(struct child *child, int fd)
{
    struct message message;
    while (read(fd, &message, sizeof message) == sizeof message) {
        memcpy(child->run, message.run, sizeof child->run);
        child->exec_error = message.exec_error;
    }
}

int child_run(struct child *child, char **command, const struct child_watch *watch)
{
    int pipes[2];
    struct sigaction before[HELD];
    sigset_t mask;
    *child = (struct child){.pid = -1};
    if (pipe2(pipes, O_CLOEXEC) != 0) return -errno;
    block_signals(&mask);
    hold_signals(before);
    child->pid = fork();
    if (child->pid == 0) {
        restore_signals(before);
        sigprocmask(SIG_SETMASK, &mask, NULL);
        begin(command, pipes[1]);
    }
    int error = child->pid < 0 ? -errno : 0;
    forward_to = child->pid;
    sigprocmask(SIG_SETMASK, &mask, NULL);
    close(pipes[1]);
    if (error == 0) {
        listen_to(child, pipes[0]);
        if (watch && !child->exec_error) watch_until_it_ends(child, watch);
        wait_for(child);
    }
    close(pipes[0]);
    restore_signals(before);
    return error;
}

static void die_by(int number)
{
    struct rlimit no_core = {0, 0};
    sigset_t set;
    setrlimit(RLIMIT_CORE, &no_core);
    prctl(PR_SET_DUMPABLE, 0); /* a core pattern with a pipe does not ask for the limit */
    signal(number, SIG_DFL);
    sigemptyset(&set);
    sigaddset(&set, number);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    raise(number);
}

int child_pass_on(const struct child *child)
{
    if (WIFEXITED(child->wait_status)) return WEXITSTATUS(child->wait_status);
    fflush(NULL);
    die_by(WTERMSIG(child->wait_status));
    return 128 + WTERMSIG(child->wait_status);
}

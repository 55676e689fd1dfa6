/* SPDX-License-Identifier: MIT
 *
 * Programs of which reports are taken while they go on. Where STINT_SNAPSHOT_SIGNAL is set they ask
 * for each by that signal and wait until it stands; STINT_OUT ends in "s-%s.json" then. What they
 * print is the same without stint. */
#include "truth.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>

static volatile int stop;
static volatile unsigned long work;
static char directory[4096], suffix[64] = ".json";

PLAIN static int is_asked(void) { return getenv("STINT_SNAPSHOT_SIGNAL") != NULL; }

PLAIN static void find_directory(void)
{
    const char *out = getenv("STINT_OUT");
    if (out) snprintf(directory, sizeof directory, "%.*s", (int)(strrchr(out, '/') - out), out);
}

/* Until snapshot number n stands; a name that is to come is looked for again and again. */
PLAIN static int stands(int n)
{
    char path[4200];
    snprintf(path, sizeof path, "%s/s-%d%s", directory, n, suffix);
    return access(path, F_OK) == 0;
}

PLAIN static void await(int n)
{
    while (!stands(n)) sched_yield();
}

PLAIN static void ask(int n)
{
    if (!is_asked()) return;
    kill(getpid(), SIGUSR2);
    await(n);
}

NOINLINE static void leaf(void)
{
    CALLED(leaf);
    work++;
}

NOINLINE static void branch(int depth)
{
    CALLED(branch);
    for (int i = 0; i < 3; i++) leaf();
    if (depth) branch(depth - 1);
}

static int begun;

static void *busy(void *unused)
{
    CALLED(busy);
    branch(3);
    __atomic_add_fetch(&begun, 1, __ATOMIC_RELEASE);
    while (!stop) branch(3);
    return NULL;
}

static void many(int count)
{
    pthread_t ids[2];
    CALLED(many);
    for (int i = 0; i < 2; i++) pthread_create(&ids[i], NULL, busy, NULL);
    /* A thread that has not called anything yet is in no report. */
    while (__atomic_load_n(&begun, __ATOMIC_ACQUIRE) < 2) sched_yield();
    for (int n = 1; n <= count; n++) ask(n);
    stop = 1;
    for (int i = 0; i < 2; i++) pthread_join(ids[i], NULL);
}

static volatile sig_atomic_t handled;
PLAIN static void handler(int signal, siginfo_t *info, void *context)
{
    sigset_t mask;
    pthread_sigmask(SIG_BLOCK, NULL, &mask);
    handled += info->si_pid == getpid() && sigismember(&mask, SIGTERM);
}

PLAIN static void tell_action(const char *when)
{
    struct sigaction now;
    sigaction(SIGUSR2, NULL, &now);
    printf("%s: %s flags %x, TERM %d\n", when,
           now.sa_handler == SIG_DFL     ? "default"
           : now.sa_handler == SIG_IGN   ? "ignored"
           : now.sa_sigaction == handler ? "own"
                                         : "strange",
           now.sa_flags & ~0x04000000, sigismember(&now.sa_mask, SIGTERM));
}

/* The program's own handler for the very signal, set, reset and taken away. */
static void own_handler(void)
{
    struct sigaction own = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO};
    CALLED(own_handler);
    sigaddset(&own.sa_mask, SIGTERM);
    tell_action("first");
    sigaction(SIGUSR2, &own, NULL);
    tell_action("set");
    for (int n = 1; n <= 3; n++) {
        int before = handled;
        kill(getpid(), SIGUSR2);
        while (handled == before) sched_yield();
        if (is_asked()) await(n);
    }
    own.sa_flags |= SA_RESETHAND;
    sigaction(SIGUSR2, &own, NULL);
    kill(getpid(), SIGUSR2);
    if (is_asked()) await(4);
    tell_action("reset");
    signal(SIGUSR2, SIG_IGN);
    kill(getpid(), SIGUSR2);
    if (is_asked()) await(5);
    tell_action("ignored");
    printf("handled %d\n", (int)handled);
}

/* All signals blocked everywhere, and fetched by a thread that waits for all of them. */
static void *fetches(void *set)
{
    int number;
    CALLED(fetches);
    do sigwait(set, &number);
    while (number != SIGTERM && number != SIGUSR2);
    printf("fetched %d\n", number);
    return NULL;
}

static void blocked(void)
{
    pthread_t id;
    sigset_t all;
    CALLED(blocked);
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, NULL);
    ask(1); /* nobody waits */
    pthread_create(&id, NULL, fetches, &all);
    for (int n = 2; n <= 20; n++) ask(n);
    kill(getpid(), SIGTERM);
    pthread_join(id, NULL);
}

static void forks(void)
{
    CALLED(forks);
    fflush(stdout);
    pid_t pid = fork();
    if (!pid) {
        leaf();
        snprintf(suffix, sizeof suffix, ".%d.json", getpid());
        for (int n = 1; n <= 3; n++) ask(n);
        _exit(7);
    }
    int status;
    waitpid(pid, &status, 0);
    printf("child %d\n", WEXITSTATUS(status));
    ask(1);
}

/* A child that the wrappers do not see, in which the signal does nothing at all. */
static void raw_fork(void)
{
    CALLED(raw_fork);
    fflush(stdout);
    long pid = syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
    if (!pid) {
        for (int i = 0; i < 100; i++) leaf();
        if (is_asked()) kill(getpid(), SIGUSR2);
        _exit(8);
    }
    int status;
    waitpid((pid_t)pid, &status, 0);
    printf("child %d\n", WIFEXITED(status) ? WEXITSTATUS(status) : -1);
    ask(1);
}

/* Calls that can be restarted see nothing of it. */
static void *reads(void *end)
{
    char byte;
    CALLED(reads);
    for (int i = 0; i < 5; i++)
        if (read(*(int *)end, &byte, 1) != 1) perror("read");
    return NULL;
}

static void restarts(void)
{
    int ends[2];
    pthread_t id;
    sigset_t usr2;
    CALLED(restarts);
    if (pipe(ends)) exit(9);
    pthread_create(&id, NULL, reads, ends);
    sigemptyset(&usr2);
    sigaddset(&usr2, SIGUSR2);
    pthread_sigmask(SIG_BLOCK, &usr2, NULL);
    for (int n = 1; n <= 5; n++) {
        if (is_asked()) pthread_kill(id, SIGUSR2);
        if (is_asked()) await(n);
        if (write(ends[1], "x", 1) != 1) exit(9);
    }
    pthread_join(id, NULL);
}

/* Sent to stint's own thread, the signal interrupts nobody's wait. */
PLAIN static pid_t stints_own(void)
{
    char path[300], name[16];
    pid_t found = 0;
    DIR *tasks = opendir("/proc/self/task");
    for (struct dirent *task; tasks && (task = readdir(tasks));) {
        snprintf(path, sizeof path, "/proc/self/task/%s/comm", task->d_name);
        FILE *file = fopen(path, "r");
        if (file && fgets(name, sizeof name, file) && !strcmp(name, "stint\n"))
            found = atoi(task->d_name);
        if (file) fclose(file);
    }
    if (tasks) closedir(tasks);
    return found;
}

/* While it writes it blocks all signals, and another thread would get it. */
PLAIN static int blocks_it(pid_t thread)
{
    char path[64], line[200];
    unsigned long long mask = ~0ULL;
    snprintf(path, sizeof path, "/proc/self/task/%d/status", thread);
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "SigBlk: %llx", &mask) == 1) break;
    if (file) fclose(file);
    return mask >> (SIGUSR2 - 1) & 1;
}

PLAIN static void *asks_it(void *end)
{
    pid_t own = 0;
    while (is_asked() && !(own = stints_own())) sched_yield();
    for (int n = 1; own && n <= 5; n++) {
        while (blocks_it(own)) sched_yield();
        kill(own, SIGUSR2);
        await(n);
    }
    if (write(*(int *)end, "x", 1) != 1) exit(9);
    return NULL;
}

static void waits(void)
{
    int ends[2];
    pthread_t id;
    CALLED(waits);
    if (pipe(ends)) exit(9);
    pthread_create(&id, NULL, asks_it, &ends[1]);
    struct pollfd waited = {ends[0], POLLIN, 0};
    if (poll(&waited, 1, -1) != 1) perror("poll");
    pthread_join(id, NULL);
}

/* The least free descriptor is the program's at every moment of many snapshots. */
static void descriptors(void)
{
    CALLED(descriptors);
    close(0);
    for (int i = 0; i < 1000 || (directory[0] && (i % 1000 || !stands(300))); i++) {
        int fd = open("/dev/null", O_RDONLY);
        if (fd) printf("got %d\n", fd);
        close(fd);
        leaf();
    }
}

static void *outlives(void *unused)
{
    CALLED(outlives);
    sleep_ms(30);
    leaf();
    truth_tell();
    return NULL;
}

static void main_leaves(void)
{
    pthread_t id;
    CALLED(main_leaves);
    pthread_create(&id, NULL, outlives, NULL);
    ask(1);
    pthread_exit(NULL);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    find_directory();
    CALLED(main);
    if (!strcmp(what, "many")) many(atoi(argv[2]));
    if (!strcmp(what, "own-handler")) own_handler();
    if (!strcmp(what, "blocked")) blocked();
    if (!strcmp(what, "forks")) forks();
    if (!strcmp(what, "raw-fork")) raw_fork();
    if (!strcmp(what, "restarts")) restarts();
    if (!strcmp(what, "waits")) waits();
    if (!strcmp(what, "descriptors")) descriptors();
    if (!strcmp(what, "main-leaves")) main_leaves();
    if (!strcmp(what, "awaits"))
        for (int n = 1; directory[0] && n <= atoi(argv[2]); n++) await(n);
    if (argc > 3) kill(getpid(), atoi(argv[3]));
    truth_tell();
    return 0;
}

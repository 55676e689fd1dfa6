/* SPDX-License-Identifier: MIT
 *
 * Every way to end, named by the argument, out of three nested calls. */
#define _GNU_SOURCE
#include "truth.h"

#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>

static const char *way;
static volatile int zero;
static char *volatile nowhere;

PLAIN static int is(const char *name) { return !strcmp(way, name); }

PLAIN static void ends_by_fault(void)
{
    if (is("segv")) *nowhere = 1;
    if (is("fpe")) zero = 1000 / zero;
    if (is("trap")) __builtin_trap();
    if (is("breakpoint")) __asm__ volatile("int3");
    if (is("bus")) {
        int fd = memfd_create("short", 0);
        char *page = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
        zero = page[0];
    }
    if (is("double-free")) {
        mallopt(M_CHECK_ACTION, 3);
        char *volatile block = malloc(4000);
        free(block);
        free(block);
    }
    if (is("xfsz")) {
        setrlimit(RLIMIT_FSIZE, &(struct rlimit){10, 10});
        int fd = open("grows", O_WRONLY | O_CREAT, 0666);
        if (write(fd, "0123456789", 10) != 10 || write(fd, "x", 1) == 1) abort();
    }
    if (is("pipe")) {
        int ends[2];
        if (pipe(ends) || close(ends[0]) || write(ends[1], "x", 1) == 1) abort();
    }
}

PLAIN static void ends_by_call(void)
{
    if (is("exit")) exit(3);
    if (is("_exit")) _exit(4);
    if (is("_Exit")) _Exit(5);
    if (is("quick_exit")) quick_exit(6);
    if (is("abort")) abort();
    if (is("raw")) syscall(SYS_exit_group, 9);
    if (is("thread-exit")) pthread_exit(NULL);
    if (!strncmp(way, "signal-", 7)) kill(getpid(), atoi(way + 7));
    if (!strncmp(way, "raise-", 6)) raise(atoi(way + 6));
}

NOINLINE static void inner(void)
{
    CALLED(inner);
    truth_tell();
    ends_by_call();
    ends_by_fault();
    __asm__ volatile("");
}

NOINLINE static void outer(void)
{
    CALLED(outer);
    inner();
    __asm__ volatile("");
}

int main(int argc, char **argv)
{
    CALLED(main);
    way = argv[1];
    outer();
    return 2;
}

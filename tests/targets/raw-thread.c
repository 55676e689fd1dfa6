/* SPDX-License-Identifier: MIT
 *
 * A thread that libc knows nothing of: clone with CLONE_THREAD and a TLS block of its own copied
 * from nobody; the hooks are called there through a function without TLS use. */
#define _GNU_SOURCE
#include "truth.h"

#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>

static int alive = 1;

NOINLINE static void in_raw_thread(void)
{
    CALLED(in_raw_thread);
    __asm__ volatile("");
}

NOINLINE static int raw(void *argument)
{
    CALLED(raw);
    for (int i = 0; i < 50; i++) in_raw_thread();
    return 0;
}

/* A thread of pthreads lends its TLS: it waits, so the block is used by one at a time. */
PLAIN static void *lends(void *argument)
{
    char *stack = mmap(NULL, 1 << 18, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    int flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM |
                CLONE_SETTLS | CLONE_CHILD_CLEARTID;
    if (clone(raw, stack + (1 << 18), flags, NULL, NULL, (void *)pthread_self(), &alive) < 0)
        exit(3);
    while (__atomic_load_n(&alive, __ATOMIC_ACQUIRE))
        syscall(SYS_futex, &alive, FUTEX_WAIT, 1, NULL);
    return argument;
}

int main(void)
{
    CALLED(main);
    pthread_t id;
    if (pthread_create(&id, NULL, lends, NULL) || pthread_join(id, NULL)) return 1;
    truth_tell();
    return 0;
}

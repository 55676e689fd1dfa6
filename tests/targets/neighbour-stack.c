/* SPDX-License-Identifier: MIT
 *
 * A coroutine whose stack ends where the guard of its thread's stack begins. */
#include "truth.h"

#include <pthread.h>
#include <sys/mman.h>
#include <ucontext.h>

enum { STACK = 1 << 16 };
static ucontext_t routine_context, caller;

NOINLINE static void leaf(void)
{
    CALLED(leaf);
    __asm__ volatile("");
}

static void routine(void)
{
    CALLED(routine);
    for (int i = 0; i < 3; i++) {
        leaf();
        swapcontext(&routine_context, &caller);
    }
    setcontext(&caller);
}

/* The guard lies below what is told. NULL: something else is there. */
PLAIN static char *below_own_stack(void)
{
    pthread_attr_t attributes;
    void *low;
    size_t bytes, guard;
    pthread_getattr_np(pthread_self(), &attributes);
    pthread_attr_getstack(&attributes, &low, &bytes);
    pthread_attr_getguardsize(&attributes, &guard);
    pthread_attr_destroy(&attributes);
    void *got = mmap((char *)low - guard - STACK, STACK, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    return got == MAP_FAILED ? NULL : got;
}

static void *thread(void *argument)
{
    CALLED(thread);
    getcontext(&routine_context);
    routine_context.uc_stack.ss_sp = below_own_stack();
    routine_context.uc_stack.ss_size = STACK;
    if (!routine_context.uc_stack.ss_sp) exit(1);
    makecontext(&routine_context, routine, 0);
    for (int i = 0; i < 4; i++) swapcontext(&caller, &routine_context);
    return argument;
}

int main(void)
{
    CALLED(main);
    pthread_t id;
    pthread_create(&id, NULL, thread, NULL);
    pthread_join(id, NULL);
    truth_tell();
    truth_under("leaf", "routine");
    truth_under("routine", "nothing");
    return 0;
}

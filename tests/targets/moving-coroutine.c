/* SPDX-License-Identifier: MIT
 *
 * A coroutine that is resumed by one thread after the other. */
#include "truth.h"

#include <pthread.h>
#include <sys/mman.h>
#include <ucontext.h>

enum { STACK = 1 << 17, THREADS = 6 };
static ucontext_t routine_context, callers[THREADS + 1];
static volatile int by;

NOINLINE static void leaf(void)
{
    CALLED(leaf);
    __asm__ volatile("");
}

NOINLINE static void parks(void)
{
    CALLED(parks);
    leaf();
    swapcontext(&routine_context, &callers[by]);
    leaf();
}

static void routine(void)
{
    CALLED(routine);
    for (int i = 0; i < THREADS; i++) parks();
    setcontext(&callers[by]);
}

NOINLINE static void resumes(int me)
{
    CALLED(resumes);
    by = me;
    swapcontext(&callers[me], &routine_context);
}

static void *thread(void *argument)
{
    CALLED(thread);
    leaf();
    resumes((int)(long)argument);
    leaf();
    return NULL;
}

int main(void)
{
    CALLED(main);
    getcontext(&routine_context);
    routine_context.uc_stack.ss_sp =
        mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    routine_context.uc_stack.ss_size = STACK;
    makecontext(&routine_context, routine, 0);
    for (long i = 0; i <= THREADS; i++) {
        pthread_t id;
        pthread_create(&id, NULL, thread, (void *)i);
        pthread_join(id, NULL);
    }
    truth_tell();
    return 0;
}

/* SPDX-License-Identifier: MIT
 *
 * ucontext coroutines on stacks of their own that take turns inside nested calls; each tells how
 * long it slept itself, so mixed-up stacks would show in the times. */
#include "truth.h"

#include <sys/mman.h>
#include <ucontext.h>

enum { ROUTINES = 8, STACK = 1 << 16 };
static ucontext_t scheduler, contexts[ROUTINES];
static int current, rounds = 200;

NOINLINE static void yields(void)
{
    CALLED(yields);
    swapcontext(&contexts[current], &scheduler);
}

NOINLINE static void nested(int depth)
{
    CALLED(nested);
    if (depth)
        nested(depth - 1);
    else
        yields();
    __asm__ volatile("");
}

static void routine(void)
{
    CALLED(routine);
    int me = current;
    for (int i = 0; i < rounds; i++) nested(me % 5);
}

NOINLINE static void resumes(int which)
{
    CALLED(resumes);
    current = which;
    swapcontext(&scheduler, &contexts[which]);
}

int main(int argc, char **argv)
{
    CALLED(main);
    if (argc > 1) rounds = atoi(argv[1]);
    for (int i = 0; i < ROUTINES; i++) {
        getcontext(&contexts[i]);
        contexts[i].uc_stack.ss_sp =
            mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        contexts[i].uc_stack.ss_size = STACK;
        contexts[i].uc_link = &scheduler;
        makecontext(&contexts[i], routine, 0);
    }
    for (int round = 0; round <= rounds; round++)
        for (int i = 0; i < ROUTINES; i++) resumes(i);
    truth_tell();
    truth_line(1, "open", "nested", 0);
    truth_line(1, "open", "routine", 0);
    return 0;
}

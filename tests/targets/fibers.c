/* SPDX-License-Identifier: MIT
 *
 * Stacks carved out of one mapping and out of main's own stack, above where it stands and far
 * below, switched by hand (x86-64): nothing but the program can tell them apart. Some are announced
 * before the switch, by who resumes; others by the fiber itself, after it. All of them hold open
 * calls while others run. */
#include "truth.h"

#include <stint/stint.h>
#include <sys/mman.h>

enum { STACK = 1 << 15, FIBERS = 12, ROUNDS = 200, FAR_BELOW = 2 << 20 };
void switch_stack(void **save, void *load);
__asm__(".text\n.type switch_stack,@function\nswitch_stack:\n"
        "push %rbp\npush %rbx\npush %r12\npush %r13\npush %r14\npush %r15\n"
        "mov %rsp,(%rdi)\nmov %rsi,%rsp\n"
        "pop %r15\npop %r14\npop %r13\npop %r12\npop %rbx\npop %rbp\nret\n");

struct fiber {
    char *low;
    void *sp;
    int announces_itself;
};
static struct fiber fibers[FIBERS];
static void *resumer;
static struct fiber *running;

/* Called on both sides of a switch, so that each side knows it already. */
NOINLINE static void leaf(void)
{
    CALLED(leaf);
    __asm__ volatile("");
}

NOINLINE static void yields(void)
{
    CALLED(yields);
    struct fiber *self = running;
    if (self->announces_itself) stint_fiber_leave();
    switch_stack(&self->sp, resumer);
    if (self->announces_itself) stint_fiber_enter(self->low, STACK);
    leaf();
}

NOINLINE static void deeper(int depth)
{
    CALLED(deeper);
    if (depth)
        deeper(depth - 1);
    else
        yields();
    __asm__ volatile("");
}

static void fiber_main(void)
{
    CALLED(fiber_main);
    for (int i = 0;; i++) deeper((i + (int)(running - fibers)) % 5);
}

/* The compiler must not instrument what runs before the announcement. */
PLAIN static void fiber_start(void)
{
    if (running->announces_itself) stint_fiber_enter(running->low, STACK);
    fiber_main();
}

NOINLINE static void resumes(struct fiber *fiber)
{
    CALLED(resumes);
    running = fiber;
    leaf();
    if (!fiber->announces_itself) stint_fiber_enter(fiber->low, STACK);
    switch_stack(&resumer, fiber->sp);
    if (!fiber->announces_itself) stint_fiber_leave();
    leaf();
}

NOINLINE static void goes_deep_and_resumes(int depth, struct fiber *fiber)
{
    CALLED(goes_deep_and_resumes);
    if (depth)
        goes_deep_and_resumes(depth - 1, fiber);
    else
        resumes(fiber);
    __asm__ volatile("");
}

NOINLINE static void runs_all(char *own)
{
    CALLED(runs_all);
    char *slab =
        mmap(NULL, FIBERS * STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    char *places[] = {slab, own, (char *)__builtin_frame_address(0) - FAR_BELOW};
    for (int i = 0; i < FIBERS; i++) {
        fibers[i].low = places[i % 3] + i / 3 * STACK;
        fibers[i].announces_itself = i / 3 % 2;
        void **top = (void **)(void *)(fibers[i].low + STACK) - 2;
        *top = (void *)fiber_start;
        fibers[i].sp = top - 6;
    }
    for (int i = 0; i < ROUNDS; i++)
        for (int j = 0; j < FIBERS; j++)
            goes_deep_and_resumes((i + j) % 4, &fibers[(i * 3 + j) % FIBERS]);
}

int main(void)
{
    CALLED(main);
    char own[FIBERS / 3 * STACK] __attribute__((aligned(64)));
    runs_all(own);
    truth_tell();
    truth_line(1, "open", "fiber_main", FIBERS);
    truth_line(1, "open", "yields", FIBERS);
    truth_line(1, "open", "resumes", 0);
    truth_line(1, "open", "goes_deep_and_resumes", 0);
    truth_under("resumes", "goes_deep_and_resumes");
    return 0;
}

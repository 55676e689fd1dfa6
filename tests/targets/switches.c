/* SPDX-License-Identifier: MIT
 *
 * Stack switching by hand (x86-64): nobody tells anybody that the stack is another one. */
#include "truth.h"

#include <sys/mman.h>

enum { STACK = 1 << 16 };
void switch_stack(void **save, void *load);
__asm__(".text\n.type switch_stack,@function\nswitch_stack:\n"
        "push %rbp\npush %rbx\npush %r12\npush %r13\npush %r14\npush %r15\n"
        "mov %rsp,(%rdi)\nmov %rsi,%rsp\n"
        "pop %r15\npop %r14\npop %r13\npop %r12\npop %rbx\npop %rbp\nret\n");

static void *main_stack, *other_stack;
static int rounds = 300;

NOINLINE static void back(void)
{
    CALLED(back);
    switch_stack(&other_stack, main_stack);
}

NOINLINE static void deeper(int depth)
{
    CALLED(deeper);
    if (depth)
        deeper(depth - 1);
    else
        back();
    __asm__ volatile("");
}

static void other(void)
{
    CALLED(other);
    for (int i = 0; i < rounds; i++) deeper(i % 4);
    for (;;) back();
}

NOINLINE static void visits(void)
{
    CALLED(visits);
    switch_stack(&main_stack, other_stack);
}

int main(void)
{
    CALLED(main);
    char *stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    void **top = (void **)(stack + STACK) - 2;
    *top = (void *)other;
    other_stack = top - 6;
    for (int i = 0; i <= rounds; i++) visits();
    truth_tell();
    truth_line(1, "open", "deeper", 0);
    truth_line(1, "open", "visits", 0);
    truth_line(1, "open", "other", 1);
    return 0;
}

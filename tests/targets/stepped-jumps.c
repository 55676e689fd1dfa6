/* SPDX-License-Identifier: MIT
 *
 * A longjmp that is interrupted after each of its instructions in turn by a handler that jumps to a
 * frame less far out: a time limit inside a protected call. Says how often leaf was called. */
#include "truth.h"

#include <setjmp.h>
#include <signal.h>
#include <ucontext.h>

static jmp_buf outer;
static sigjmp_buf inner;
static char *protected_frame;
static long steps_left;

/* Once the stack pointer has moved the inner frame is gone. */
PLAIN static int is_out(const ucontext_t *context)
{
#ifdef __x86_64__
    return (char *)context->uc_mcontext.gregs[REG_RSP] >= protected_frame;
#else
    return 1;
#endif
}

PLAIN static void on_trap(int number, siginfo_t *info, void *context)
{
    if (!--steps_left && !is_out(context)) siglongjmp(inner, 1);
}

PLAIN static void step(int is_on)
{
#ifdef __x86_64__
    if (is_on)
        __asm__ volatile("pushf; orq $0x100, (%%rsp); popf" ::: "memory", "cc");
    else
        __asm__ volatile("pushf; andq $~0x100, (%%rsp); popf" ::: "memory", "cc");
#endif
}

static long leaves;

NOINLINE static void leaf(void)
{
    leaves++;
    __asm__ volatile("");
}

NOINLINE static void protected_call(long steps)
{
    protected_frame = __builtin_frame_address(0);
    steps_left = steps;
    if (!sigsetjmp(inner, 1)) {
        step(1);
        longjmp(outer, 1);
    }
    leaf();
    leaf();
}

/* False where the handler came. */
NOINLINE static int gets_out(long steps)
{
    if (setjmp(outer)) {
        step(0);
        return 1;
    }
    protected_call(steps);
    return 0;
}

int main(void)
{
    struct sigaction action = {.sa_sigaction = on_trap, .sa_flags = SA_SIGINFO};
    sigaction(SIGTRAP, &action, NULL);
    gets_out(1000000); /* the loader's own steps are behind us then */
    for (long steps = 1; !gets_out(steps); steps++) leaf();
    printf("leaves %ld\n", leaves);
    return 0;
}

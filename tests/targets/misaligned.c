/* SPDX-License-Identifier: MIT
 *
 * Calls from assembly that leaves the stack eight bytes off what the ABI wants: in main before all
 * others and in a thread. */
#include "truth.h"

#include <pthread.h>
#include <setjmp.h>
#include <stint/stint.h>

typedef void called(void);

NOINLINE static void leaf(void)
{
    CALLED(leaf);
    __asm__ volatile("");
}

NOINLINE static void calls(void)
{
    CALLED(calls);
    leaf();
    leaf();
}

NOINLINE static void marks(void)
{
    CALLED(marks);
    stint_start_frame();
    stint_scope_begin("Scope");
    leaf();
    stint_scope_end("Scope");
    stint_count("Counter", 1);
    stint_value("Value", "m", 0.5);
    stint_record("Duration", 100);
    stint_end_frame();
}

static jmp_buf back;

NOINLINE static void leaves(void)
{
    CALLED(leaves);
    longjmp(back, 1);
}

NOINLINE static void jumps(void)
{
    CALLED(jumps);
    for (volatile int i = 0; i < 10000; i++)
        if (!_setjmp(back)) leaves();
}

PLAIN static void call_misaligned(called *function)
{
#ifdef __x86_64__
    __asm__ volatile("mov %%rsp, %%rbx\n\t"
                     "sub $256, %%rsp\n\t" /* past the red zone */
                     "and $-16, %%rsp\n\t"
                     "sub $8, %%rsp\n\t"
                     "call *%0\n\t"
                     "mov %%rbx, %%rsp"
                     : "+r"(function)
                     :
                     : "rbx", "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "xmm0",
                       "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "memory", "cc");
#else
    function();
#endif
}

PLAIN static void *thread(void *argument)
{
    call_misaligned(argument ? marks : calls);
    return argument;
}

PLAIN int main(void)
{
    pthread_t id;
    call_misaligned(calls);
    call_misaligned(jumps);
    pthread_create(&id, NULL, thread, NULL);
    pthread_join(id, NULL);
    stint_count("Counter", 1); /* binds the header: its dlsym is not ours to answer for */
    call_misaligned(marks);
    pthread_create(&id, NULL, thread, &id);
    pthread_join(id, NULL);
    truth_tell();
    return 0;
}

/* SPDX-License-Identifier: MIT
 *
 * A call on another stack on x86-64: what a function must preserve is pushed on the old stack,
 * whose pointer is kept in the place. rbp stays the frame's, so unwinders follow. Runs anywhere. */
#include "base/onstack.h"

#include <ucontext.h>

__asm__(".text\n"
        ".globl onstack_call\n.hidden onstack_call\n.type onstack_call,@function\n"
        "onstack_call:\n"
        ".cfi_startproc\n"
        "push %rbp\n.cfi_def_cfa_offset 16\n.cfi_offset %rbp,-16\n"
        "mov %rsp,%rbp\n.cfi_def_cfa_register %rbp\n"
        "push %rbx\n.cfi_offset %rbx,-24\n"
        "push %r12\n.cfi_offset %r12,-32\n"
        "push %r13\n.cfi_offset %r13,-40\n"
        "push %r14\n.cfi_offset %r14,-48\n"
        "push %r15\n.cfi_offset %r15,-56\n"
        "mov %rsp,(%rdi)\n"
        "mov %rdi,%rbx\n"
        "mov %rdx,%rdi\n"
        "mov %rcx,%rsp\n"
        "and $-16,%rsp\n"
        "call *%rsi\n"
        "mov %rbx,%rdi\n"
        "jmp .Lonstack_back\n"
        ".globl onstack_leave\n.hidden onstack_leave\n.type onstack_leave,@function\n"
        "onstack_leave:\n"
        "mov %rsi,%rax\n"
        ".Lonstack_back:\n"
        "mov (%rdi),%rsp\n"
        "pop %r15\npop %r14\npop %r13\npop %r12\npop %rbx\npop %rbp\n"
        ".cfi_def_cfa %rsp,8\n"
        "ret\n"
        ".cfi_endproc\n"
        ".size onstack_leave,.-onstack_leave\n"
        ".size onstack_call,.-onstack_call\n"
        /* Byte for byte what debuggers and unwinders know a signal frame by; without unwind
         * information on purpose (they then look at the bytes). */
        "nop\n"
        ".type stint_restore_rt,@function\n"
        "stint_restore_rt:\n"
        "mov $15,%rax\n"
        "syscall\n"
        ".size stint_restore_rt,.-stint_restore_rt\n");

extern void stint_restore_rt(void) __attribute__((visibility("hidden")));

void *onstack_interrupted(const void *context)
{
    const ucontext_t *interrupted = context;
    enum { RED_ZONE = 128 }; /* System V ABI, AMD64 supplement, 3.2.2 */
    return (void *)(interrupted->uc_mcontext.gregs[REG_RSP] - RED_ZONE);
}

void *onstack_restorer(void) { return (void *)stint_restore_rt; }

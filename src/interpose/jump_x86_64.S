/* SPDX-License-Identifier: MIT
 *
 * Stubs that ask a C function where to go, and go there with every argument register and the stack as
 * they were. System V ABI, AMD64: six argument registers, and al for unnamed ones. */

.macro stub name, router
    .globl \name
    .type \name, @function
\name:
    .cfi_startproc
    endbr64
    .irp register, %rdi, %rsi, %rdx, %rcx, %r8, %r9, %rax
    push \register
    .cfi_adjust_cfa_offset 8
    .endr
    mov 56(%rsp), %rcx /* the return address */
    call \router
    mov %rax, %r11
    .irp register, %rax, %r9, %r8, %rcx, %rdx, %rsi, %rdi
    pop \register
    .cfi_adjust_cfa_offset -8
    .endr
    jmp *%r11
    .cfi_endproc
    .size \name, . - \name
    .hidden \router
.endm

    .text
    stub dlopen, jump_dlopen
    stub dlmopen, jump_dlmopen
    stub makecontext, jump_makecontext
    stub longjmp, jump_longjmp
    stub _longjmp, jump__longjmp
    stub siglongjmp, jump_siglongjmp
    stub __longjmp_chk, jump___longjmp_chk

    .section .note.GNU-stack, "", @progbits

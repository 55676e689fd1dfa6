/* SPDX-License-Identifier: MIT
 *
 * Stubs that ask a C function where to go, and go there with every argument register and the stack as
 * they were. Procedure Call Standard for AArch64: eight argument registers, x30 the return address. */

.macro stub name, router
    .globl \name
    .type \name, %function
\name:
    .cfi_startproc
    hint 34 /* bti c */
    stp x29, x30, [sp, -80]!
    .cfi_adjust_cfa_offset 80
    .cfi_rel_offset x29, 0
    .cfi_rel_offset x30, 8
    mov x29, sp
    stp x0, x1, [sp, 16]
    stp x2, x3, [sp, 32]
    stp x4, x5, [sp, 48]
    stp x6, x7, [sp, 64]
    mov x3, x30
    bl \router
    mov x16, x0
    ldp x0, x1, [sp, 16]
    ldp x2, x3, [sp, 32]
    ldp x4, x5, [sp, 48]
    ldp x6, x7, [sp, 64]
    ldp x29, x30, [sp], 80
    .cfi_adjust_cfa_offset -80
    .cfi_restore x29
    .cfi_restore x30
    br x16
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

    .section .note.GNU-stack, "", %progbits

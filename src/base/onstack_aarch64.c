/* SPDX-License-Identifier: MIT
 *
 * A call on another stack on aarch64: x19 to x30 and d8 to d15 are what a function must preserve
 * (AAPCS64, 6.1); they are stored on the old stack, whose pointer is kept in the place. Runs
 * anywhere. */
#include "base/onstack.h"

#include <stddef.h>
#include <ucontext.h>

__asm__(".text\n"
        ".globl onstack_call\n.hidden onstack_call\n.type onstack_call,%function\n"
        "onstack_call:\n"
        ".cfi_startproc\n"
        "stp x29,x30,[sp,#-160]!\n"
        "mov x29,sp\n"
        ".cfi_def_cfa x29,160\n.cfi_offset x29,-160\n.cfi_offset x30,-152\n"
        "stp x19,x20,[sp,#16]\n.cfi_offset x19,-144\n.cfi_offset x20,-136\n"
        "stp x21,x22,[sp,#32]\n.cfi_offset x21,-128\n.cfi_offset x22,-120\n"
        "stp x23,x24,[sp,#48]\n.cfi_offset x23,-112\n.cfi_offset x24,-104\n"
        "stp x25,x26,[sp,#64]\n.cfi_offset x25,-96\n.cfi_offset x26,-88\n"
        "stp x27,x28,[sp,#80]\n.cfi_offset x27,-80\n.cfi_offset x28,-72\n"
        "stp d8,d9,[sp,#96]\n"
        "stp d10,d11,[sp,#112]\n"
        "stp d12,d13,[sp,#128]\n"
        "stp d14,d15,[sp,#144]\n"
        "mov x4,sp\n"
        "str x4,[x0]\n"
        "mov x19,x0\n"
        "and x3,x3,#-16\n"
        "mov sp,x3\n"
        "mov x0,x2\n"
        "blr x1\n"
        "ldr x4,[x19]\n"
        "b .Lonstack_back\n"
        ".globl onstack_leave\n.hidden onstack_leave\n.type onstack_leave,%function\n"
        "onstack_leave:\n"
        "ldr x4,[x0]\n"
        "mov x0,x1\n"
        ".Lonstack_back:\n"
        "mov sp,x4\n"
        "ldp x19,x20,[sp,#16]\n"
        "ldp x21,x22,[sp,#32]\n"
        "ldp x23,x24,[sp,#48]\n"
        "ldp x25,x26,[sp,#64]\n"
        "ldp x27,x28,[sp,#80]\n"
        "ldp d8,d9,[sp,#96]\n"
        "ldp d10,d11,[sp,#112]\n"
        "ldp d12,d13,[sp,#128]\n"
        "ldp d14,d15,[sp,#144]\n"
        "ldp x29,x30,[sp],#160\n"
        ".cfi_def_cfa sp,0\n"
        "ret\n"
        ".cfi_endproc\n"
        ".size onstack_leave,.-onstack_leave\n"
        ".size onstack_call,.-onstack_call\n");

void *onstack_interrupted(const void *context)
{
    const ucontext_t *interrupted = context;
    return (void *)interrupted->uc_mcontext.sp;
}

void *onstack_restorer(void) { return NULL; }

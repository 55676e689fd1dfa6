/* SPDX-License-Identifier: MIT
 *
 * The system call instruction of x86-64: number in rax, arguments in rdi rsi rdx r10 r8 r9, rcx and
 * r11 are overwritten (System V ABI, AMD64 supplement, A.2.1). Runs anywhere. */
#include "base/sys.h"

long sys_call6(long number, long a, long b, long c, long d, long e, long f)
{
    register long r10 __asm__("r10") = d;
    register long r8 __asm__("r8") = e;
    register long r9 __asm__("r9") = f;
    long result = number;
    __asm__ volatile("syscall"
                     : "+a"(result)
                     : "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return result;
}

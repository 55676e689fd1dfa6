/* SPDX-License-Identifier: MIT
 *
 * System calls made directly. libc's wrappers are cancellation points, set errno, and can be
 * interposed by the target or by other preloaded libraries (fakeroot, libfaketime); what stint does
 * for itself inside a target must be none of these. */
#pragma once

#include <sys/syscall.h>

/* A raw system call. Returns what the kernel returned: −errno on failure; errno is not touched.
 * Context: any thread, signal-safe. */
long sys_call6(long number, long a, long b, long c, long d, long e, long f);

#define SYS_ARG_(x) ((long)(x))
#define sys_call0(n) sys_call6(n, 0, 0, 0, 0, 0, 0)
#define sys_call1(n, a) sys_call6(n, SYS_ARG_(a), 0, 0, 0, 0, 0)
#define sys_call2(n, a, b) sys_call6(n, SYS_ARG_(a), SYS_ARG_(b), 0, 0, 0, 0)
#define sys_call3(n, a, b, c) sys_call6(n, SYS_ARG_(a), SYS_ARG_(b), SYS_ARG_(c), 0, 0, 0)
#define sys_call4(n, a, b, c, d)                                                                   \
    sys_call6(n, SYS_ARG_(a), SYS_ARG_(b), SYS_ARG_(c), SYS_ARG_(d), 0, 0)

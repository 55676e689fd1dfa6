/* SPDX-License-Identifier: MIT
 *
 * What the jumping stubs (jump_<cpu>.S) ask before they jump: which function shall run in our
 * stead. It finds the stack and the return address as the program's call left them, so that what
 * depends on the caller (dlopen's search path) or on unnamed arguments (makecontext) stays right.
 */
#pragma once

#include <setjmp.h>

/* a, b, c are the call's first arguments, caller its return address. Never NULL.
 * Context: any thread. */
void *jump_dlopen(const char *name, int flags, void *unused, void *caller);
void *jump_dlmopen(long list, const char *name, int flags, void *caller);
void *jump_makecontext(void *context, void *function, int count, void *caller);
/* Context: any thread; signal-safe once the constructor has run. */
void *jump_longjmp(struct __jmp_buf_tag *buffer);
void *jump__longjmp(struct __jmp_buf_tag *buffer);
void *jump_siglongjmp(struct __jmp_buf_tag *buffer);
void *jump___longjmp_chk(struct __jmp_buf_tag *buffer);

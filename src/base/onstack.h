/* SPDX-License-Identifier: MIT
 *
 * A call on another stack, and a way out of it from a signal handler: what setjmp does, without
 * libc's. One file an architecture (onstack_*.c). */
#pragma once

#include <stdint.h>

/* Where a call on another stack began. */
struct onstack {
    void *saved_sp;
};

/* Calls function(argument) with the stack pointer at top (rounded down to 16) and returns its
 * result, or what onstack_leave was given. Context: any thread, signal-safe. */
long onstack_call(struct onstack *place, long (*function)(void *), void *argument, void *top);

/* Ends the newest onstack_call of `place` at once. The signal mask stays as it is.
 * Context: the thread of that call, inside of it, or in a signal handler that interrupted it. */
_Noreturn void onstack_leave(struct onstack *place, long result);

/* Below what the interrupted code of a ucontext_t may still use of its stack (the ABI's red zone).
 * Context: signal handler. */
void *onstack_interrupted(const void *context);

/* For sa_restorer: the address and its flag, or NULL and 0 where the kernel brings its own. */
void *onstack_restorer(void);
enum {
#if defined(__x86_64__)
    ONSTACK_RESTORER_FLAG = 0x04000000
#else
    ONSTACK_RESTORER_FLAG = 0
#endif
};

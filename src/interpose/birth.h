/* SPDX-License-Identifier: MIT
 *
 * The way of a birth from pthread_create's caller to the new thread. */
#pragma once

#include "life/thread.h"

/* A copy of *birth in memory of our own, for the way from creator to trampoline: the target's heap
 * may be locked or instrumented. NULL when there is no memory. thread_birth_take copies it out and
 * frees it. Context: any thread, signal-safe. */
struct thread_birth *thread_birth_new(const struct thread_birth *birth);
struct thread_birth thread_birth_take(struct thread_birth *birth);

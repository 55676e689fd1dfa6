/* SPDX-License-Identifier: MIT
 *
 * Work that may hang or fault without harm: the report code and the stack walk. It runs on a stack
 * of our own, and is left by force when a timer fires or when it faults. One thread at a time (the
 * owner of finish's claim), all signals blocked. */
#pragma once

#include "signals/sigview.h"

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

/* Maps the stacks, once. False without memory: then guard_run just runs.
 * Context: any thread, signal-safe (so are all of this file). */
bool guard_install(void);

/* Top of 64 KiB for a signal handler's course; NULL when not installed. */
void *guard_handler_stack(void);

/* Between begin and end, guard_run may be called, in the same thread. With faults: the fault
 * signals come to us, whatever handler the target has; its other threads that fault wait for
 * guard_end, then fault again. Without (the target goes on, and its faults are its own business):
 * dispositions stay, and only where our crash handler stands for the default, and asks guard_takes,
 * a fault leaves the job; else it is the end. */
void guard_begin(bool with_faults);
void guard_end(void);

/* The job's result, −ETIMEDOUT after limit_ns, or −EFAULT where it faulted. */
long guard_run(long (*job)(void *), void *argument, uint64_t limit_ns);

/* In the handler that stands for a fatal signal's default, first: does not return where the signal
 * is a fault of the job that this thread is in. True where it was sent meanwhile: it comes again
 * when the thread's signals are opened. False: the signal is none of the guard's. */
bool guard_takes(int signal, const siginfo_t *info, void *context);

/* True where the kernel raised the signal for what a thread did; it was not sent. */
bool guard_is_fault(int signal, const siginfo_t *info);

/* The handler that stands in the kernel meanwhile, and what it hides (NULL: nothing). */
void guard_handler(int signal, siginfo_t *info, void *context);
const struct sigview_kernel_action *guard_hidden(int signal);

/* A forked child: nobody is guarded, and what its parent's guard_begin took is given back.
 * Context: a child's first thread; the second time does nothing. */
void guard_child(void);

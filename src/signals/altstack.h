/* SPDX-License-Identifier: MIT
 *
 * Alternate signal stacks for the target's threads: small ones out of a common pool, given only to
 * threads that have none. A nested signal's frame goes below the frames that lie on it, as with any
 * such stack; a stranger's handler is moved off it, and it is lowered meanwhile. */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

/* Space for the kernel's frame (over 11 KiB with AMX) and for a handler that chains to us. */
enum { ALTSTACK_BYTES = 32 * 1024 };

/* Gives the calling thread one if it has none; altstack_retire takes it back.
 * Context: owner thread, signal-safe (so are all below). */
void altstack_attach(void);
void altstack_retire(void);

/* Puts a thread's own one in force again, after the target disabled that which it had given. */
void altstack_rearm(void);

/* A signal's frame lies on it down to `used`, and its handler is to run elsewhere: called there, so
 * that other signals' frames come below that one. Returning from the handler undoes it. Signals are
 * blocked. */
void altstack_lower(uint8_t *used);
void altstack_handler_returns(void);

/* True where `stack` is the one that altstack_attach gave to the calling thread. */
bool altstack_is_ours(const stack_t *stack);

/* True where the address lies in it. */
bool altstack_holds(const void *address);

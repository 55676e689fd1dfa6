/* SPDX-License-Identifier: MIT
 *
 * The stack of a crash, walked by libunwind from the context that the signal interrupted. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* The interrupted address, then the return addresses, innermost first, at most `capacity`; returns
 * how many. context: ucontext_t. It takes the loader's lock and, at its first use, opens a pipe: it
 * may hang or fault, and the caller must bear that. Context: signal handler, on a stack of at least
 * 64 KiB. */
size_t walk_stack(void *context, uint64_t *addresses, size_t capacity);

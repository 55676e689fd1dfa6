/* SPDX-License-Identifier: MIT
 *
 * Whether a Rust v0 name holds an identifier in Punycode. libiberty's rust_demangle_callback calls
 * malloc to decode those, and only those, which must not happen in a signal handler. Of the room's
 * own use. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* True if name (which begins with "_R") may hold one: also where the name breaks the grammar.
 * Context: any thread, signal-safe. */
bool punycode_in(const char *name, size_t bytes);

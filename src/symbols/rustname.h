/* SPDX-License-Identifier: MIT
 *
 * Which Rust v0 names may be handed to libiberty inside a target. Of the room's own use. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* False where rust_demangle_callback might call malloc for the name (which begins with "_R"): it
 * decodes Punycode identifiers in allocated memory; or might never return: it counts through a
 * binder's lifetimes, whose number may have any digits, even where it prints nothing. False also
 * where the name breaks the grammar or is nested more than 256 deep.
 * Context: any thread, signal-safe. */
bool rustname_is_safe(const char *name, size_t bytes);

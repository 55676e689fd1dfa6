/* SPDX-License-Identifier: MIT
 *
 * Mangled names made readable: Itanium C++ and Rust, by libiberty's two functions that write
 * through a callback. Runs inside the target and in stint. */
#pragma once

#include <stddef.h>

/* Writes the readable form of name[0 … bytes), valid UTF-8 and NUL-terminated, into out. Returns
 * its length, or 0 (out is then an empty text, if capacity allows) where the name is not mangled,
 * is longer than 4096 bytes, does not fit, would take too much stack, or holds a Rust identifier in
 * Punycode (libiberty allocates for those). Needs up to 2 MiB of stack. Context: any thread,
 * signal-safe. */
size_t symbols_demangle(const char *name, size_t bytes, char *out, size_t capacity);

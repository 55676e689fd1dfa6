/* SPDX-License-Identifier: MIT
 *
 * Any bytes made valid UTF-8: symbol and category names are what their authors wrote. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Copies text[0 … bytes) to out, each byte that is not part of a well-formed sequence (RFC 3629: no
 * overlongs, no surrogates, at most U+10FFFF), and each NUL, replaced by U+FFFD. Writes at most
 * capacity bytes including a final NUL and never cuts inside a character. Returns the length
 * without the NUL. bytes*3+1 always suffices. Context: any thread, signal-safe. */
size_t utf8_make_valid(const char *text, size_t bytes, char *out, size_t capacity);

/* True if text[0 … bytes) is what utf8_make_valid leaves as it is. Context: any thread,
 * signal-safe. */
bool utf8_is_valid(const char *text, size_t bytes);

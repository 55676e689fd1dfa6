/* SPDX-License-Identifier: MIT
 *
 * Patterns for names as shells have them: * ? [abc] [a-z] [!a-z]. No character is special but
 * these, and there is no escape: '[*]' means a star. Bytes, no locale. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Does the whole name fit the whole pattern? Time: pattern × name at most. Context: any thread,
 * signal-safe (so are all of this file). */
bool glob_fits(const char *pattern, size_t pattern_bytes, const char *name, size_t name_bytes);

/* The longest run of letters, digits and _ that every name that fits must have, and its length; 0
 * where there is none. */
size_t glob_literal(const char *pattern, size_t pattern_bytes, const char **literal);

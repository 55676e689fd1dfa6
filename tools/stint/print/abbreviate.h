/* SPDX-License-Identifier: MIT
 *
 * C++ names for narrow places: what least tells a function from its neighbours goes first, the
 * types of its parameters, then template arguments, the result's type, and enclosing scopes. */
#pragma once

#include <stddef.h>

enum { ABBREVIATE_BYTES = 32768 };

/* The name where it has at most that many characters, else as little as possible taken out of it
 * (each time "…" in its place), in `text`: "ns::Table<…>::find(…) const", "…Table<…>::find(…)".
 * What is no C++ name, or has lost all that can be left out, may still be longer. The name must
 * outlive the result. */
const char *abbreviate(const char *name, size_t most, char text[ABBREVIATE_BYTES]);

/* SPDX-License-Identifier: MIT
 *
 * What gcc compares with -finstrument-functions-exclude-function-list: not the symbol, but the
 * function's name as it prints it, without return type and parameters. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum { GCCNAME_BYTES = 1024 };

/* From a demangled name. False where gcc's writing can't be told from it (lambdas, names that are
 * too long). */
bool gccname_make(const char *demangled, char name[GCCNAME_BYTES]);

/* A part of the name that gcc prints alike whatever it makes of template arguments (defaults are
 * left out, blanks differ). False where there is none. */
bool gccname_pattern(const char *name, char pattern[GCCNAME_BYTES]);

/* SPDX-License-Identifier: MIT
 *
 * The libraries that a program's loader would load with it, found as ld.so(8) says but without
 * running anything (ldd runs the program). */
#pragma once

#include "check/binary.h"

struct library {
    char *name; /* as it is asked for */
    char *path; /* where it was found; NULL = nowhere */
    struct binary binary;
};

struct libraries {
    struct library *items; /* those of the program first */
    size_t count;
};

/* All that the program needs and what that needs, each once. False where there is no memory. */
bool libraries_find(const char *program, const struct binary *binary, struct libraries *out);
void libraries_fini(struct libraries *libraries);

/* SPDX-License-Identifier: MIT
 *
 * The first thing that was found wrong with some input: readers fill it once and never print it;
 * only tools/stint shows it. Later faults of the same reading leave it as it is. */
#pragma once

#include <stdint.h>

struct fault {
    int error;         /* −errno; 0 = no fault yet */
    char text[200];    /* one sentence without a full stop */
    uint64_t position; /* byte offset in the file, where has_position */
    int has_position;
};

/* Records a fault unless one is there already. error: −errno. text is copied (cut at 199 bytes).
 * Returns fault->error. fault may be NULL (then error is returned).
 * Context: any thread, signal-safe. */
int fault_set(struct fault *fault, int error, const char *text);

/* The same with a byte position in the input. Context: any thread, signal-safe. */
int fault_set_at(struct fault *fault, int error, const char *text, uint64_t position);

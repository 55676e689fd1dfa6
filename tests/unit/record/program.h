/* SPDX-License-Identifier: MIT
 *
 * A program of eight functions, made up as it runs on a lab's recorder, with the sums of each
 * worked out on the way; and the same sums read from a recorder's nodes. */
#pragma once

#include "control/control.h"

enum { PROGRAM_FUNCTIONS = 8, PROGRAM_FIRST = 0xa000 /* their addresses, 16 apart */ };

/* once: the time inside, however often it is open; self: without callees. */
struct program_sums {
    uint64_t count, total, once, self;
};

struct program {
    uint32_t seed, calls_left;
    uint64_t now;
    struct program_sums sums[PROGRAM_FUNCTIONS];
    uint32_t open[PROGRAM_FUNCTIONS];
};

/* A number below sides, from the seed. */
uint32_t program_dice(struct program *program, uint32_t sides);
/* Runs its calls_left calls on lab.block. */
void program_run(struct program *program);
/* Adds what a recorder holds. */
void program_read(const struct control *block, struct program_sums sums[PROGRAM_FUNCTIONS]);
/* Equal, and so are the numbers of durations in the histograms of `block`. */
void program_assert(const struct control *block, const struct program_sums *found,
                    const struct program_sums *expected);

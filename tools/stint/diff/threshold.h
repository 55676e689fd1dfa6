/* SPDX-License-Identifier: MIT
 *
 * What --fail-on takes: [GLOB:]COLUMN>[+]VALUE, and which rows are past it. */
#pragma once

#include "diff/compare.h"

enum { THRESHOLD_GLOB = 512 };

struct threshold {
    const char *text;
    char glob[THRESHOLD_GLOB]; /* "*" where none is given */
    enum column column;
    bool is_above, is_or_equal;
    bool is_change;   /* signed: of the change, else of NEW's value */
    bool is_relative; /* in parts of OLD */
    double limit;     /* ms, a count, or a part */
};

/* Reads it. NULL, or what is wrong, with *place where in the text, in bytes. */
const char *threshold_read(struct threshold *threshold, const char *text, size_t *place);

struct offence {
    const struct comparison *comparison;
    double p; /* corrected over the rows that the threshold names */
    bool is_noise;
};

struct offences {
    struct offence *items;
    size_t used;
    size_t named; /* rows that the threshold names */
};

/* The rows past it, in the order of the comparisons; the caller frees items. */
void threshold_find(const struct threshold *threshold, const struct comparisons *comparisons,
                    double alpha, struct offences *offences);

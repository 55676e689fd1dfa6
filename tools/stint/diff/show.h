/* SPDX-License-Identifier: MIT
 *
 * Comparisons for the eye, and for programs. */
#pragma once

#include "diff/threshold.h"

#include <stdio.h>

struct show_wishes {
    size_t most_rows; /* 0 = all */
    bool only_changed;
    bool has_colours;
    size_t width; /* of the terminal; 0 = none */
    double alpha;
};

struct judged { /* a threshold and the rows past it */
    struct threshold threshold;
    struct offences offences;
};

void diff_show_table(const struct comparisons *comparisons, const struct show_wishes *wishes);
void diff_show_offences(const struct judged *judged, size_t count,
                        const struct show_wishes *wishes);
void diff_show_json(const struct comparisons *comparisons, const struct judged *judged,
                    size_t count, const struct show_wishes *wishes);

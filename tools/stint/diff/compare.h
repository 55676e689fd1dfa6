/* SPDX-License-Identifier: MIT
 *
 * Each matched row as a comparison: column by column what was, what is, and whether the difference
 * is more than noise. */
#pragma once

#include "diff/sides.h"

enum verdict {
    VERDICT_SAME,
    VERDICT_FASTER,
    VERDICT_SLOWER,
    VERDICT_MIXED,
    VERDICT_CALLS, /* as fast as before, but called more or less often */
    VERDICT_NEW,
    VERDICT_GONE,
    VERDICTS,
};
extern const char *const verdict_names[VERDICTS];

struct difference {
    double old, new; /* the value, or the mean over runs; NAN = not there */
    double p;        /* NAN = can't be tested */
    double p_corrected;
};

struct comparison {
    const struct row *row;
    struct difference columns[COLUMNS];
    struct rank_test ranks;
    double ranks_corrected;
    bool is_by_runs; /* columns were tested between runs, else within them */
    enum verdict verdict;
};

struct compare_wishes {
    double alpha;      /* largest corrected p that counts; 1 = all differences count */
    double least_part; /* least change that counts: 0.02 = 2 % */
};

struct comparisons {
    struct comparison *items; /* by change of the total, largest first */
    size_t used;
    uint32_t runs[SIDES];
};

void compare(const struct sides *sides, const struct compare_wishes *wishes,
             struct comparisons *comparisons);

/* Whether that column's difference counts under this p, its own or one corrected otherwise. What
 * can't be tested counts where it is the number of calls of single runs, or alpha is 1. */
bool compare_counts(const struct comparison *comparison, enum column column, double p,
                    double alpha);

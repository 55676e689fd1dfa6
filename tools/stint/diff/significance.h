/* SPDX-License-Identifier: MIT
 *
 * Is a difference more than chance? Tests on two histograms of one grid, and on the values of
 * several runs; each gives a two-sided p, NAN where nothing can be said. Sources stand with each
 * in significance.c; which test serves which column is in stint-diff(1). */
#pragma once

#include "intake/bins.h"

#include <stddef.h>

/* Two histograms side by side: buckets where at least one has a count, ascending. */
struct pairs {
    uint32_t used;
    double ns[HIST_NS_BUCKETS];
    double old_counts[HIST_NS_BUCKETS], new_counts[HIST_NS_BUCKETS];
    double old_n, new_n;
};
void pairs_make(struct pairs *pairs, const struct bins *old, const struct bins *new);

struct rank_test {
    double u;     /* of NEW: how often a duration of NEW is longer than one of OLD; ties half */
    double delta; /* Cliff's: −1 all of NEW shorter … 1 all longer */
    double p;
};
struct rank_test significance_ranks(const struct pairs *pairs);

/* Whether the share beyond the common quantile q differs. *direction: > 0 where NEW has more. */
double significance_quantile(const struct pairs *pairs, double q, double *direction);

/* Fisher's exact test of [[a, b], [c, d]]. */
double significance_fisher(double a, double b, double c, double d);

/* What a mean or a sum is known by: its value and the square of its standard error, from n. */
struct estimate {
    double value, error2, n;
};
/* The mean of the durations (is_new: which), in nanoseconds. n < 2: error2 NAN. */
struct estimate significance_mean(const struct pairs *pairs, bool is_new);
/* The mean of the values of runs. */
struct estimate significance_runs(const double *values, size_t n);
/* Welch's test of two estimates. */
double significance_welch(const struct estimate *old, const struct estimate *new);

/* Whether so many of NEW beyond the extreme of OLD, or the other way round, are chance: k of n
 * beyond all of m. */
double significance_exceedance(double k, double n, double m);

/* Corrects p-values in place for their number; NAN stays and does not count. */
void significance_correct(double *p, size_t n);

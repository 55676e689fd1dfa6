/* SPDX-License-Identifier: MIT
 *
 * Counts per bucket → sums of ranks, of squares, beyond a cut → p. All durations of one bucket are
 * ties, which makes the tests a little more careful, never less. Pure arithmetic. */
#include "diff/significance.h"

#include "verb/memory.h"

#include <math.h>
#include <stdlib.h>

void pairs_make(struct pairs *pairs, const struct bins *old, const struct bins *new)
{
    pairs->used = 0;
    pairs->old_n = pairs->new_n = 0;
    for (uint32_t i = 0; i < HIST_NS_BUCKETS; i++) {
        const uint64_t *a = old->blocks[i / BINS_BLOCK], *b = new->blocks[i / BINS_BLOCK];
        double old_count = a ? (double)a[i % BINS_BLOCK] : 0;
        double new_count = b ? (double)b[i % BINS_BLOCK] : 0;
        if (old_count + new_count == 0) continue;
        pairs->old_counts[pairs->used] = old_count;
        pairs->new_counts[pairs->used] = new_count;
        pairs->ns[pairs->used++] = hist_ns_representative(i);
        pairs->old_n += old_count;
        pairs->new_n += new_count;
    }
}

static double two_sided(double z) { return erfc(fabs(z) / sqrt(2)); }

/* Mann & Whitney, "On a test of whether one of two random variables is stochastically larger than
 * the other", Ann. Math. Stat. 18 (1947); normal approximation with the correction for ties
 * (Lehmann, "Nonparametrics", 1975) and for continuity. Effect: Cliff, "Dominance statistics",
 * Psychol. Bull. 114 (1993). */
struct rank_test significance_ranks(const struct pairs *pairs)
{
    double m = pairs->old_n, n = pairs->new_n, total = m + n;
    double u = 0, below = 0, ties = 0;
    for (uint32_t i = 0; i < pairs->used; i++) {
        double here = pairs->old_counts[i] + pairs->new_counts[i];
        u += pairs->new_counts[i] * (below + pairs->old_counts[i] / 2);
        below += pairs->old_counts[i];
        ties += here * (here * here - 1);
    }
    if (m < 1 || n < 1) return (struct rank_test){.u = u, .delta = NAN, .p = NAN};
    double variance = m * n / 12 * ((total + 1) - ties / (total * (total - 1)));
    double distance = fabs(u - m * n / 2) - 0.5;
    double p = variance > 0 ? two_sided(distance > 0 ? distance / sqrt(variance) : 0) : 1;
    return (struct rank_test){.u = u, .delta = 2 * u / (m * n) - 1, .p = p};
}

static double log_choose(double n, double k)
{
    return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1);
}

/* R. A. Fisher, "Statistical methods for research workers", 1934: the sum of all tables of these
 * margins that are no likelier than this one. */
double significance_fisher(double a, double b, double c, double d)
{
    double row = a + b, column = a + c, total = a + b + c + d;
    double least = fmax(0, row + column - total), most = fmin(row, column);
    double base = log_choose(total, row);
    double here = log_choose(column, a) + log_choose(total - column, row - a);
    double p = 0;
    for (double x = least; x <= most; x++) {
        double log_p = log_choose(column, x) + log_choose(total - column, row - x);
        if (log_p <= here + 1e-7) p += exp(log_p - base);
    }
    return fmin(p, 1);
}

/* Mood's median test (1950) at another quantile (Conover, "Practical nonparametric statistics",
 * 3rd ed. 1999, 4.3): how many of each lie beyond the common quantile. Pearson's χ² where every
 * cell is expected to hold 5 or more (Cochran 1954), else Fisher's exact test. */
double significance_quantile(const struct pairs *pairs, double q, double *direction)
{
    double total = pairs->old_n + pairs->new_n, seen = 0, old_below = 0;
    *direction = 0;
    if (pairs->old_n < 1 || pairs->new_n < 1) return NAN;
    for (uint32_t i = 0; i < pairs->used && seen < q * total; i++) {
        seen += pairs->old_counts[i] + pairs->new_counts[i];
        old_below += pairs->old_counts[i];
    }
    double a = pairs->old_n - old_below, b = old_below;
    double c = pairs->new_n - (seen - old_below), d = seen - old_below;
    double beyond = a + c;
    if (beyond == 0) return NAN;
    *direction = c / pairs->new_n - a / pairs->old_n;
    double expected = fmin(pairs->old_n, pairs->new_n) * fmin(beyond, seen) / total;
    if (expected < 5) return significance_fisher(a, b, c, d);
    double cross = a * d - b * c;
    double chi = cross / (pairs->old_n * pairs->new_n) * cross / beyond * total / seen;
    return two_sided(sqrt(chi));
}

struct estimate significance_mean(const struct pairs *pairs, bool is_new)
{
    const double *counts = is_new ? pairs->new_counts : pairs->old_counts;
    double n = is_new ? pairs->new_n : pairs->old_n, sum = 0, squares = 0;
    for (uint32_t i = 0; i < pairs->used; i++) sum += counts[i] * pairs->ns[i];
    double mean = n > 0 ? sum / n : NAN;
    for (uint32_t i = 0; i < pairs->used; i++)
        squares += counts[i] * (pairs->ns[i] - mean) * (pairs->ns[i] - mean);
    return (struct estimate){mean, n > 1 ? squares / (n - 1) / n : NAN, n};
}

struct estimate significance_runs(const double *values, size_t n)
{
    double sum = 0, squares = 0;
    for (size_t i = 0; i < n; i++) sum += values[i];
    double mean = n ? sum / (double)n : NAN;
    for (size_t i = 0; i < n; i++) squares += (values[i] - mean) * (values[i] - mean);
    double count = (double)n;
    return (struct estimate){mean, n > 1 ? squares / (count - 1) / count : NAN, count};
}

/* The incomplete beta function by its continued fraction (Lentz's method; Abramowitz & Stegun,
 * "Handbook of mathematical functions", 26.5.8), for x < (a + 1) / (a + b + 2). */
static double beta_fraction(double a, double b, double x)
{
    double c = 1, d = 1 - (a + b) * x / (a + 1);
    d = 1 / (fabs(d) < 1e-300 ? 1e-300 : d);
    double result = d;
    for (int m = 1; m < 10000; m++) {
        double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        const double steps[] = {even, odd};
        double before = result;
        for (int i = 0; i < 2; i++) {
            d = 1 + steps[i] * d;
            c = 1 + steps[i] / c;
            d = 1 / (fabs(d) < 1e-300 ? 1e-300 : d);
            result *= c * d;
        }
        if (fabs(result - before) <= 1e-15 * fabs(result)) break;
    }
    return result;
}

static double incomplete_beta(double a, double b, double x)
{
    if (x <= 0) return 0;
    if (x >= 1) return 1;
    double front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
    if (x < (a + 1) / (a + b + 2)) return front * beta_fraction(a, b, x) / a;
    return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

/* Both tails of Student's t. Beyond a million degrees it is the normal one to all digits told. */
static double student(double t, double degrees)
{
    if (degrees > 1e6) return two_sided(t);
    return incomplete_beta(degrees / 2, 0.5, degrees / (degrees + t * t));
}

/* B. L. Welch, "The generalization of Student's problem when several different population
 * variances are involved", Biometrika 34 (1947). Without any variance on either side, a difference
 * is one. */
double significance_welch(const struct estimate *old, const struct estimate *new)
{
    double error2 = old->error2 + new->error2, difference = new->value - old->value;
    if (!isfinite(error2) || !isfinite(difference)) return NAN;
    if (error2 == 0) return difference == 0 ? 1 : 0;
    double degrees =
        error2 * error2 /
        (old->error2 * old->error2 / (old->n - 1) + new->error2 *new->error2 / (new->n - 1));
    return student(difference / sqrt(error2), degrees);
}

/* S. Rosenbaum, "Tables for a nonparametric test of location", Ann. Math. Stat. 25 (1954): that the
 * k largest of all n + m are of the n. Doubled for the other side. */
double significance_exceedance(double k, double n, double m)
{
    if (n < 1 || m < 1) return NAN;
    double p = 2;
    for (double i = 0; i < k && p > 1e-300; i++) p *= (n - i) / (n + m - i);
    return fmin(p, 1);
}

struct ranked {
    double p;
    size_t place;
};

static int by_p(const void *a, const void *b)
{
    double x = ((const struct ranked *)a)->p, y = ((const struct ranked *)b)->p;
    return (x > y) - (x < y);
}

/* Benjamini & Hochberg, "Controlling the false discovery rate", J. R. Stat. Soc. B 57 (1995). */
void significance_correct(double *p, size_t n)
{
    struct ranked *ranked = memory_new(n, sizeof *ranked);
    size_t known = 0;
    for (size_t i = 0; i < n; i++)
        if (!isnan(p[i])) ranked[known++] = (struct ranked){p[i], i};
    qsort(ranked, known, sizeof *ranked, by_p);
    double least = 1;
    for (size_t i = known; i-- > 0;) {
        least = fmin(least, ranked[i].p * (double)known / (double)(i + 1));
        p[ranked[i].place] = least;
    }
    free(ranked);
}

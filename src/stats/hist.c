/* SPDX-License-Identifier: MIT
 *
 * Both grids are one formula with another number of steps an octave: below twice the steps a bucket
 * is one value wide, above, the top bits of the value say the step. Pure arithmetic, runs anywhere.
 */
#include "stats/hist.h"

#include <string.h>

enum { TICK_STEPS = 256, TICK_BUCKETS = 55 * 256 + 512, NS_STEPS = 64 };

static void bounds(uint32_t bucket, uint32_t steps, uint64_t *low, uint64_t *high)
{
    uint32_t shift = bucket < 2 * steps ? 0 : bucket / steps - 1;
    uint64_t mantissa = bucket - (uint64_t)shift * steps;
    *low = mantissa << shift;
    *high = *low + (UINT64_C(1) << shift);
}

/* The middle of the whole numbers low … high − 1: the value itself where there is but one. */
static double middle(uint64_t low, uint64_t high)
{
    return (double)low + (double)(high - 1 - low) / 2;
}

void hist_bounds(uint32_t bucket, uint64_t *low, uint64_t *high)
{
    if (bucket >= TICK_BUCKETS) bucket = TICK_BUCKETS - 1;
    bounds(bucket, TICK_STEPS, low, high);
    if (bucket == TICK_BUCKETS - 1) *high = UINT64_MAX; /* 2^64 does not fit */
}

double hist_representative(uint32_t bucket)
{
    uint64_t low, high;
    hist_bounds(bucket, &low, &high);
    return middle(low, high);
}

uint32_t hist_ns_bucket(double ns)
{
    if (!(ns > 0)) return 0;
    if (ns >= 0x1p63) return HIST_NS_BUCKETS - 1;
    uint64_t value = (uint64_t)(ns + 0.5);
    if (value >> 63) return HIST_NS_BUCKETS - 1;
    uint32_t shift = 57 - (uint32_t)__builtin_clzll(value | NS_STEPS);
    return shift * NS_STEPS + (uint32_t)(value >> shift);
}

void hist_ns_bounds(uint32_t bucket, uint64_t *low_ns, uint64_t *high_ns)
{
    if (bucket >= HIST_NS_BUCKETS) bucket = HIST_NS_BUCKETS - 1;
    bounds(bucket, NS_STEPS, low_ns, high_ns);
    if (*high_ns > INT64_MAX) *high_ns = INT64_MAX;
}

double hist_ns_representative(uint32_t bucket)
{
    uint64_t low, high;
    hist_ns_bounds(bucket, &low, &high);
    return middle(low, high);
}

/* Buckets of one sign: octaves × steps. */
enum { VALUE_STEPS = 64, VALUE_OCTAVES = 113, VALUE_LEAST = -50 };
enum { VALUE_ZERO = VALUE_OCTAVES * VALUE_STEPS, VALUE_ABOVE = VALUE_ZERO + VALUE_STEPS };

uint32_t hist_value_bucket(uint64_t bits)
{
    uint64_t magnitude = bits & (UINT64_MAX >> 1);
    if (!magnitude) return VALUE_ZERO;
    /* Exponent and the upper 6 bits of the fraction are the step already. */
    int64_t step = (int64_t)(magnitude >> 46) - (1023 + VALUE_LEAST) * VALUE_STEPS;
    if (step < 0) step = 0;
    if (step >= VALUE_ZERO) step = VALUE_ZERO - 1;
    return bits >> 63 ? (uint32_t)(VALUE_ZERO - 1 - step) : (uint32_t)(VALUE_ABOVE + step);
}

static double value_edge(uint32_t step)
{
    uint64_t bits = ((1023 + VALUE_LEAST) * UINT64_C(64) + step) << 46;
    double edge;
    memcpy(&edge, &bits, sizeof edge);
    return edge;
}

void hist_value_bounds(uint32_t bucket, double *low, double *high)
{
    *low = 0;
    *high = value_edge(0);
    if (bucket < VALUE_ZERO) {
        *low = -value_edge(VALUE_ZERO - bucket);
        *high = -value_edge(VALUE_ZERO - 1 - bucket);
    } else if (bucket >= VALUE_ABOVE) {
        *low = value_edge(bucket - VALUE_ABOVE);
        *high = value_edge(bucket - VALUE_ABOVE + 1);
    }
}

double hist_quantile(const uint64_t *counts, const double *representatives, uint32_t buckets,
                     uint64_t n, double q)
{
    double rank = q * (double)(n - 1);
    uint64_t whole = (uint64_t)rank;
    double part = rank - (double)whole;
    uint64_t below = 0; /* values in the buckets before i */
    uint32_t last = 0;
    for (uint32_t i = 0; i < buckets; i++) {
        if (!counts[i]) continue;
        last = i;
        if (whole >= below && whole - below < counts[i]) {
            if (part <= 0 || whole + 1 - below < counts[i]) return representatives[i];
            uint32_t next = i + 1;
            while (next < buckets && !counts[next]) next++;
            if (next == buckets) return representatives[i];
            return representatives[i] + part * (representatives[next] - representatives[i]);
        }
        below += counts[i];
    }
    return representatives[last]; /* counts do not add up to n */
}

/* SPDX-License-Identifier: MIT
 *
 * A histogram on the report's grid (stats/hist.h) that grows by what is put in: blocks of 64
 * buckets, one an octave, made when first needed. Histograms of reports add without loss. */
#pragma once

#include "stats/hist.h"

#include <stdbool.h>
#include <stdint.h>

enum { BINS_BLOCK = 64, BINS_BLOCKS = HIST_NS_BUCKETS / BINS_BLOCK };

/* Zero-initialised is empty. */
struct bins {
    uint64_t *blocks[BINS_BLOCKS];
    uint64_t n; /* saturates, as every count */
};

/* The non-empty buckets, ascending. */
struct bins_flat {
    uint32_t used;
    uint32_t buckets[HIST_NS_BUCKETS];
    uint64_t counts[HIST_NS_BUCKETS];
    double ns[HIST_NS_BUCKETS]; /* what stands for each */
};

uint64_t bins_plus(uint64_t a, uint64_t b); /* at most 2^63 − 1 */
void bins_add(struct bins *bins, uint32_t bucket, uint64_t count);
void bins_add_all(struct bins *bins, const struct bins *more);
void bins_flatten(const struct bins *bins, struct bins_flat *flat);
/* In milliseconds; n > 0. */
double bins_quantile_ms(const struct bins_flat *flat, uint64_t n, double q);
void bins_fini(struct bins *bins);

/* The quantiles of a report, in its order. */
enum { QUANTILES = 5 };
extern const double quantile_places[QUANTILES];
extern const char *const quantile_keys[QUANTILES];

/* SPDX-License-Identifier: MIT
 *
 * The two grids. Recorder's grid: ticks, 256 steps an octave (store/layout.h). Report's grid: whole
 * nanoseconds, width 1 below 64, then 64 steps an octave; it never changes, so reports add without
 * loss. A recorder bucket goes to the report bucket of its middle: off by at most 1/512 + 1/128 < 1
 * % above 64 ns. */
#pragma once

#include <stdint.h>

/* Bounds of a bucket of the recorder's grid: values low ≤ v < high; for the last bucket high =
 * UINT64_MAX. Context: any thread, signal-safe (so are all of this file). */
void hist_bounds(uint32_t bucket, uint64_t *low, uint64_t *high);

/* What stands for a bucket: the value itself where the width is 1, else the middle. */
double hist_representative(uint32_t bucket);

/* The grid of values, whatever their unit: by sign and size in ascending order, 64 steps an octave
 * from 2^-50 to 2^63, one bucket for 0 (its bounds are 0 and 2^-50); what is smaller or larger goes
 * to the nearest. As many buckets as the recorder's grid. A bucket's middle is off by less than 1
 * %. bits: a finite double's. */
uint32_t hist_value_bucket(uint64_t bits);
void hist_value_bounds(uint32_t bucket, double *low, double *high);

/* The report's grid: index of a duration, and bounds of an index. Durations beyond 2^63 ns go to
 * the last, which is told to end at 2^63 − 1: JSON's readers know no larger integer. */
enum { HIST_NS_BUCKETS = 57 * 64 + 64 };
uint32_t hist_ns_bucket(double ns);
void hist_ns_bounds(uint32_t bucket, uint64_t *low_ns, uint64_t *high_ns);
double hist_ns_representative(uint32_t bucket);

/* The quantile q (0 … 1) of n = Σ counts values: rank h = q(n−1), linear between the
 * representatives of the buckets that hold ranks ⌊h⌋ and ⌈h⌉ (Hyndman & Fan 1996, type 7: numpy's
 * "linear"). representatives[i] belongs to counts[i]; ascending. n must be > 0. */
double hist_quantile(const uint64_t *counts, const double *representatives, uint32_t buckets,
                     uint64_t n, double q);

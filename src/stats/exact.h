/* SPDX-License-Identifier: MIT
 *
 * Percentiles of raw samples: numpy's linear definition (Hyndman & Fan 1996, type 7). */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Sorts in place, without allocation and in O(n log n) for any input (heapsort or introsort).
 * Context: any thread, signal-safe. */
void exact_sort(uint64_t *values, size_t n);

/* Quantile q (0 … 1) of n > 0 sorted values: h = q(n−1); v[⌊h⌋] + (h−⌊h⌋)(v[⌈h⌉] − v[⌊h⌋]).
 * Context: any thread, signal-safe. */
double exact_quantile(const uint64_t *sorted, size_t n, double q);

/* SPDX-License-Identifier: MIT
 *
 * numpy's answer, asked of /usr/bin/python3: an oracle that shares nothing with us. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Quantiles q[0 … k) of the values by numpy.quantile's default method. False where there is no
 * numpy. */
bool numpy_quantiles(const uint64_t *values, size_t n, const double *q, size_t k, double *out);
/* The same of doubles. */
bool numpy_quantiles_of_doubles(const double *values, size_t n, const double *q, size_t k,
                                double *out);

/* SPDX-License-Identifier: MIT
 *
 * Strict parsing of numbers, sizes and times: the whole text must be the number. */
#pragma once

#include <stdint.h>

/* Decimal digits only, no sign, no blank. 0, or −EINVAL (not a number), −ERANGE (beyond 2^64−1).
 * The result is untouched on failure. Context: any thread, signal-safe (so are all of this file).
 */
int num_parse_u64(const char *text, uint64_t *value);

/* A number with an optional suffix K, M or G (powers of 1024; also KiB, MiB, GiB). */
int num_parse_bytes(const char *text, uint64_t *bytes);

/* A number with an optional suffix ms, s, m or h; without one, seconds. Decimal fractions allowed
 * ("0.5s"). */
int num_parse_duration_ns(const char *text, uint64_t *ns);

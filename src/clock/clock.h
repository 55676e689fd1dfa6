/* SPDX-License-Identifier: MIT
 *
 * What a tick is, and what it is worth. A process chooses its source once; the worth follows from
 * two pairs of (CLOCK_MONOTONIC_RAW, ticks), one at the start and one at the report. */
#pragma once

#include <stdint.h>

enum clock_source { CLOCK_TSC = 1, CLOCK_CNTVCT = 2, CLOCK_NS = 3 /* clock_gettime(MONOTONIC) */ };
enum clock_wish { CLOCK_WISH_AUTO, CLOCK_WISH_TSC, CLOCK_WISH_MONOTONIC };

/* One instant read on both clocks. error_ns: half the width of the bracket around the read. */
struct clock_pair {
    uint64_t raw_ns, ticks, error_ns;
};

/* The source for a wish: the processor's counter where it is constant and the kernel trusts it
 * (cpuinfo: constant_tsc and nonstop_tsc; tsc among the available clocksources; aarch64: always),
 * else CLOCK_NS. Reads /proc and /sys with raw calls. Context: any thread, signal-safe. */
enum clock_source clock_choose(enum clock_wish wish);

/* Ticks now on a source. Context: any thread, signal-safe. */
uint64_t clock_now(enum clock_source source);

/* The pair with the narrowest bracket of several reads. Context: any thread, signal-safe. */
struct clock_pair clock_read_pair(enum clock_source source);

/* Ticks a second, and its error, from two pairs. For CLOCK_NS exactly 1e9 and 0. When the pairs are
 * equal or reversed the rate is 0. */
struct clock_rate {
    double ticks_per_second, error_ppm;
};
struct clock_rate clock_rate(enum clock_source source, struct clock_pair first,
                             struct clock_pair last);

/* A hash of the boot's id: stores of one boot share their clock. 0 where /proc does not tell.
 * Context: any thread, signal-safe. */
uint64_t clock_boot_id(void);

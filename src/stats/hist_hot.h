/* SPDX-License-Identifier: MIT
 *
 * From a value to its bucket on the recorder's grid (store/layout.h: width 1 below 512, then 256
 * steps an octave). Inlined into the hooks. The idea of a log-linear grid is HdrHistogram's
 * (Gil Tene, http://hdrhistogram.org). */
#pragma once

#include <stdint.h>

static inline __attribute__((always_inline)) uint32_t hist_bucket(uint64_t value)
{
    uint32_t shift = 55 - (uint32_t)__builtin_clzll(value | 256);
    return shift * 256 + (uint32_t)(value >> shift);
}

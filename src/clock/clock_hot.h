/* SPDX-License-Identifier: MIT
 *
 * Reading the counter that times every call. Inlined into the hooks. Not serialising on purpose:
 * what the processor overlaps with the read is what the program would have overlapped too. */
#pragma once

#include <stdint.h>

#if defined(__x86_64__)
static inline __attribute__((always_inline)) uint64_t clock_counter(void)
{
    return __builtin_ia32_rdtsc();
}
#elif defined(__aarch64__)
static inline __attribute__((always_inline)) uint64_t clock_counter(void)
{
    uint64_t ticks;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
    return ticks;
}
#else
#error "stint reads x86-64's or aarch64's counter; other machines need a clock_counter here"
#endif

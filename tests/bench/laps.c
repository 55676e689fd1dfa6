/* SPDX-License-Identifier: MIT
 *
 * What a frame's own bookkeeping takes: 1000 functions, each called in each frame on 1, 5 and 20
 * paths; the two calls of the header are timed together. Prints microseconds a frame: the median,
 * the 99th percentile and the largest of 2000 frames, once where a frame follows the last at once
 * and once where something lies between them. Run under stint; without it, it prints what two idle
 * calls take. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <stint/stint.h>

#define UNTIMED __attribute__((no_instrument_function))
#define NOINLINE __attribute__((noinline))

enum { FRAMES = 2000, MOST_PATHS = 20 };

static volatile unsigned sink;
typedef void call(void);

#define ONE(n)                                                                                     \
    NOINLINE static void function_##n(void) { sink += 1; }
#define TEN(m, n) m(n##0) m(n##1) m(n##2) m(n##3) m(n##4) m(n##5) m(n##6) m(n##7) m(n##8) m(n##9)
#define HUNDRED(m, n)                                                                              \
    TEN(m, n##0)                                                                                   \
    TEN(m, n##1)                                                                                   \
    TEN(m, n##2)                                                                                   \
    TEN(m, n##3) TEN(m, n##4) TEN(m, n##5) TEN(m, n##6) TEN(m, n##7) TEN(m, n##8) TEN(m, n##9)
#define THOUSAND(m)                                                                                \
    HUNDRED(m, 0)                                                                                  \
    HUNDRED(m, 1)                                                                                  \
    HUNDRED(m, 2)                                                                                  \
    HUNDRED(m, 3)                                                                                  \
    HUNDRED(m, 4) HUNDRED(m, 5) HUNDRED(m, 6) HUNDRED(m, 7) HUNDRED(m, 8) HUNDRED(m, 9)
#define NAME(n) function_##n,
THOUSAND(ONE)
static call *const functions[1000] = {THOUSAND(NAME)};

/* Recursion makes as many paths as it is deep. */
NOINLINE static void on_path(unsigned left)
{
    if (left) on_path(left - 1);
    for (unsigned i = 0; i < 1000; i++) functions[i]();
}

UNTIMED static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

UNTIMED static int ascending(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

UNTIMED static void measure(unsigned paths, int follows)
{
    static uint64_t took[FRAMES];
    stint_start_frame();
    for (unsigned i = 0; i < FRAMES; i++) {
        on_path(paths - 1);
        uint64_t start = now_ns();
        stint_end_frame();
        took[i] = now_ns() - start;
        if (!follows) on_path(0);
        start = now_ns();
        stint_start_frame();
        took[i] += now_ns() - start;
    }
    stint_end_frame();
    qsort(took, FRAMES, sizeof took[0], ascending);
    printf("1000 functions, %2u paths each%s: median %.1f p99 %.1f max %.1f us a frame\n", paths,
           follows ? "" : ", apart", (double)took[FRAMES / 2] / 1e3,
           (double)took[FRAMES * 99 / 100] / 1e3, (double)took[FRAMES - 1] / 1e3);
}

UNTIMED int main(void)
{
    static const unsigned paths[] = {1, 5, MOST_PATHS};
    for (int i = 0; i < 3; i++) {
        measure(paths[i], 1);
        measure(paths[i], 0);
    }
    return 0;
}

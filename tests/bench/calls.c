/* SPDX-License-Identifier: MIT
 *
 * Four patterns of calls, each timed in short batches, of which the median is printed in
 * nanoseconds a call: a batch that was interrupted does not count, so a busy machine blurs less.
 *   deep      recursion with two branches         leaves    a small fixed tree of leaf calls
 *   switch    one caller, 64 callees at random    many      1024 callees in turn
 * usage: bench-calls [THREADS] */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define UNTIMED __attribute__((no_instrument_function))
#define TIMED __attribute__((noinline)) static

enum { BATCHES = 1001, MOST_THREADS = 64 };

static __thread volatile unsigned sink;

TIMED unsigned deep(unsigned n) { return n < 2 ? n : deep(n - 1) + deep(n - 2); }

TIMED void leaf(unsigned x) { sink += x; }
TIMED void branch(unsigned x)
{
    leaf(x);
    leaf(x + 1);
}
TIMED void leaves(unsigned x)
{
    branch(x);
    branch(x + 2);
}

#define ONE(n)                                                                                     \
    TIMED void callee_##n(unsigned x) { sink ^= x + __COUNTER__; }
#define ALL(m) m(0) m(1) m(2) m(3)
#define D1(n) ONE(n##0) ONE(n##1) ONE(n##2) ONE(n##3)
#define D2(n) D1(n##0) D1(n##1) D1(n##2) D1(n##3)
#define D3(n) D2(n##0) D2(n##1) D2(n##2) D2(n##3)
#define D4(n) D3(n##0) D3(n##1) D3(n##2) D3(n##3)
ALL(D4)
#define P1(n) callee_##n##0, callee_##n##1, callee_##n##2, callee_##n##3,
#define P2(n) P1(n##0) P1(n##1) P1(n##2) P1(n##3)
#define P3(n) P2(n##0) P2(n##1) P2(n##2) P2(n##3)
#define P4(n) P3(n##0) P3(n##1) P3(n##2) P3(n##3)
static void (*const callees[1024])(unsigned) = {ALL(P4)};

struct costs {
    double ns[4];
};

UNTIMED static double now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

UNTIMED static void run_deep(void) { sink += deep(13); } /* 753 calls */
UNTIMED static void run_leaves(void)
{
    for (unsigned i = 0; i < 100; i++) leaves(i);
}
UNTIMED static void run_switch(void)
{
    static __thread uint32_t seed = 12345;
    for (unsigned i = 0; i < 1000; i++) {
        seed = seed * 1664525u + 1013904223u;
        callees[seed >> 26](i);
    }
}
UNTIMED static void run_many(void)
{
    for (unsigned i = 0; i < 2048; i++) callees[i & 1023](i);
}

static const struct pattern {
    const char *name;
    void (*run)(void);
    int calls;
} patterns[4] = {{"deep", run_deep, 753},
                 {"leaves", run_leaves, 700},
                 {"switch", run_switch, 1000},
                 {"many", run_many, 2048}};

UNTIMED static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

UNTIMED static void *measure(void *result)
{
    struct costs *costs = result;
    double *batches = malloc(BATCHES * sizeof *batches);
    if (!batches) abort();
    for (int p = 0; p < 4; p++) {
        for (int i = 0; i < BATCHES; i++) {
            double start = now_ns();
            patterns[p].run();
            batches[i] = (now_ns() - start) / patterns[p].calls;
        }
        qsort(batches, BATCHES, sizeof *batches, by_value);
        costs->ns[p] = batches[BATCHES / 2];
    }
    free(batches);
    return NULL;
}

UNTIMED int main(int argc, char **argv)
{
    int threads = argc > 1 ? atoi(argv[1]) : 1;
    if (threads < 1 || threads > MOST_THREADS) {
        fprintf(stderr, "usage: bench-calls [THREADS]   (1 to %d)\n", MOST_THREADS);
        return 2;
    }
    static struct costs costs[MOST_THREADS];
    pthread_t ids[MOST_THREADS];
    for (int i = 1; i < threads; i++) {
        if (pthread_create(&ids[i], NULL, measure, &costs[i])) return 1;
    }
    measure(&costs[0]);
    for (int i = 1; i < threads; i++) pthread_join(ids[i], NULL);
    for (int p = 0; p < 4; p++) {
        double sum = 0;
        for (int i = 0; i < threads; i++) sum += costs[i].ns[p];
        printf("%s %.2f ", patterns[p].name, sum / threads);
    }
    printf("\n");
    return 0;
}

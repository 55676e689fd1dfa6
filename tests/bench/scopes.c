/* SPDX-License-Identifier: MIT
 *
 * What a program's own words cost, each timed in short batches, of which the median is printed in
 * nanoseconds: a pair of a scope by handle, alone and as STINT_SCOPE around four others; a duration
 * by name and by handle; a count by name. All threads use the same categories.
 * usage: bench-scopes [THREADS] */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <stint/stint.h>
#include <time.h>

enum { BATCHES = 2001, MOST_THREADS = 64, ROUNDS = 1000 };

static stint_handle *handle;

static double now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void run_pair(void)
{
    for (int i = 0; i < ROUNDS; i++) {
        stint_scope_begin_of(handle);
        stint_scope_end_of(handle);
    }
}

__attribute__((noinline)) static void nest(void)
{
    STINT_SCOPE("outer");
    for (int i = 0; i < 4; i++) {
        STINT_SCOPE("inner");
    }
}
static void run_nested(void)
{
    for (int i = 0; i < ROUNDS / 5; i++) nest();
}

static void run_name(void)
{
    for (unsigned i = 0; i < ROUNDS; i++) stint_record("Chunk_BuildMesh", 1000 + i % 512);
}
static void run_handle(void)
{
    for (unsigned i = 0; i < ROUNDS; i++) stint_record_to(handle, 1000 + i % 512);
}
static void run_count(void)
{
    for (unsigned i = 0; i < ROUNDS; i++) stint_count("Chunks", 1);
}

static const struct pattern {
    const char *name;
    void (*run)(void);
} patterns[] = {{"pair", run_pair},
                {"nested", run_nested},
                {"record", run_name},
                {"record_to", run_handle},
                {"count", run_count}};
enum { PATTERNS = sizeof patterns / sizeof patterns[0] };

struct costs {
    double ns[PATTERNS];
};

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static pthread_barrier_t barrier;

static void *measure(void *result)
{
    struct costs *costs = result;
    double *batches = malloc(BATCHES * sizeof *batches);
    if (!batches) abort();
    for (int p = 0; p < PATTERNS; p++) {
        pthread_barrier_wait(&barrier);
        for (int i = 0; i < BATCHES; i++) {
            double start = now_ns();
            patterns[p].run();
            batches[i] = (now_ns() - start) / ROUNDS;
        }
        qsort(batches, BATCHES, sizeof *batches, by_value);
        costs->ns[p] = batches[BATCHES / 2];
    }
    free(batches);
    return NULL;
}

int main(int argc, char **argv)
{
    int threads = argc > 1 ? atoi(argv[1]) : 1;
    if (threads < 1 || threads > MOST_THREADS) {
        fprintf(stderr, "usage: bench-scopes [THREADS]   (1 to %d)\n", MOST_THREADS);
        return 2;
    }
    handle = stint_category("Chunk_BuildMesh");
    static struct costs costs[MOST_THREADS];
    pthread_t ids[MOST_THREADS];
    pthread_barrier_init(&barrier, NULL, (unsigned)threads);
    for (int i = 1; i < threads; i++) {
        if (pthread_create(&ids[i], NULL, measure, &costs[i])) return 1;
    }
    measure(&costs[0]);
    for (int i = 1; i < threads; i++) pthread_join(ids[i], NULL);
    for (int p = 0; p < PATTERNS; p++) {
        double sum = 0;
        for (int i = 0; i < threads; i++) sum += costs[i].ns[p];
        printf("%s %.2f ", patterns[p].name, sum / threads);
    }
    printf("\n");
    return 0;
}

/* SPDX-License-Identifier: MIT
 *
 * Sorting against libc's qsort, quantiles against numpy. */
#include "stats/exact.h"

#include "numpy.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 5000 };

static const double asked[] = {0, 0.25, 0.5, 0.9, 0.95, 0.99, 0.999, 1};
enum { ASKED = sizeof asked / sizeof *asked };

static uint64_t random_state = 88172645463325252u;

static uint64_t next_random(void) /* xorshift64, Marsaglia 2003 */
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    return random_state ^= random_state << 17;
}

static int ascending(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static void sorts_like_qsort(const uint64_t *values, size_t n)
{
    uint64_t *ours = malloc(n * sizeof *ours + 1), *theirs = malloc(n * sizeof *theirs + 1);
    memcpy(ours, values, n * sizeof *ours);
    memcpy(theirs, values, n * sizeof *theirs);
    exact_sort(ours, n);
    qsort(theirs, n, sizeof *theirs, ascending);
    assert_memory_equal(ours, theirs, n * sizeof *ours + !n);
    free(ours);
    free(theirs);
}

static void every_small_length_is_sorted(void **state)
{
    uint64_t values[64] = {1};
    for (size_t n = 1; n <= 64; n++) {
        for (size_t i = 0; i < n; i++) values[i] = next_random() % 10;
        sorts_like_qsort(values, n);
    }
}

static void patterns_that_hurt_quicksort_are_sorted(void **state)
{
    static uint64_t values[MOST];
    for (int pattern = 0; pattern < 6; pattern++) {
        for (size_t i = 0; i < MOST; i++) {
            uint64_t organ = i < MOST / 2 ? i : MOST - i;
            uint64_t of[] = {i, MOST - i, 7, organ, i % 2 ? i : UINT64_MAX - i, next_random()};
            values[i] = of[pattern];
        }
        sorts_like_qsort(values, MOST);
    }
}

/* The largest value goes to the middle, round by round from the end: a median of first, middle and
 * last picks badly again and again. */
static void a_sequence_of_bad_pivots_is_sorted(void **state)
{
    static uint64_t values[MOST];
    for (size_t i = 0; i < MOST; i++) values[i] = i;
    for (size_t n = MOST; n > 2; n -= 2) {
        uint64_t held = values[n / 2];
        values[n / 2] = values[n - 1];
        values[n - 1] = held;
    }
    sorts_like_qsort(values, MOST);
}

static void equals_numpy(const uint64_t *values, size_t n)
{
    static uint64_t sorted[MOST];
    double theirs[ASKED];
    if (!numpy_quantiles(values, n, asked, ASKED, theirs)) return; /* no numpy here */
    memcpy(sorted, values, n * sizeof *values);
    exact_sort(sorted, n);
    for (size_t i = 0; i < ASKED; i++) {
        double ours = exact_quantile(sorted, n, asked[i]);
        assert_true(fabs(ours - theirs[i]) <= 1e-12 * fabs(theirs[i]));
    }
}

static void quantiles_of_few_and_many_values_equal_numpys(void **state)
{
    static const size_t lengths[] = {1, 2, 99, 100, 101, MOST};
    static uint64_t values[MOST];
    for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++) {
        for (size_t i = 0; i < lengths[l]; i++) values[i] = next_random() % 100000000;
        equals_numpy(values, lengths[l]);
    }
}

static void quantiles_of_equal_values_and_of_one_huge_equal_numpys(void **state)
{
    uint64_t values[101];
    for (size_t i = 0; i < 101; i++) values[i] = 12345;
    equals_numpy(values, 101);
    values[50] = UINT64_C(1) << 50;
    equals_numpy(values, 101);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_small_length_is_sorted),
        cmocka_unit_test(patterns_that_hurt_quicksort_are_sorted),
        cmocka_unit_test(a_sequence_of_bad_pivots_is_sorted),
        cmocka_unit_test(quantiles_of_few_and_many_values_equal_numpys),
        cmocka_unit_test(quantiles_of_equal_values_and_of_one_huge_equal_numpys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

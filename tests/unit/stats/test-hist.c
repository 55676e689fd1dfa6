/* SPDX-License-Identifier: MIT
 *
 * The grids against their definition (width 1, then so many steps an octave), quantiles against
 * numpy's on the raw values. */
#include "stats/hist.h"

#include "numpy.h"
#include "stats/hist_hot.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { TICK_BUCKETS = 55 * 256 + 512, MOST = 20000 };

static uint64_t random_state = 88172645463325252u;

static uint64_t next_random(void) /* xorshift64, Marsaglia 2003 */
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    return random_state ^= random_state << 17;
}

/* A value of any size: each octave is as likely. */
static uint64_t any_value(void) { return next_random() >> next_random() % 64; }

static void the_recorders_buckets_follow_each_other_without_gap(void **state)
{
    uint64_t low, high, end = 0;
    for (uint32_t bucket = 0; bucket < TICK_BUCKETS; bucket++) {
        hist_bounds(bucket, &low, &high);
        assert_int_equal(low, end);
        assert_true(high > low);
        end = high;
    }
    assert_int_equal(end, UINT64_MAX);
}

static void a_value_lies_within_the_bounds_of_its_bucket(void **state)
{
    for (int i = 0; i < 100000; i++) {
        uint64_t value = any_value(), low, high;
        hist_bounds(hist_bucket(value), &low, &high);
        assert_true(low <= value && (value < high || high == UINT64_MAX));
    }
    assert_int_equal(hist_bucket(UINT64_MAX), TICK_BUCKETS - 1);
}

static void a_bucket_is_at_most_a_256th_of_its_values_wide(void **state)
{
    uint64_t low, high;
    for (uint32_t bucket = 512; bucket < TICK_BUCKETS; bucket++) {
        hist_bounds(bucket, &low, &high);
        assert_true(high - low <= low / 256);
    }
}

static void the_reports_buckets_follow_each_other_without_gap(void **state)
{
    uint64_t low, high, end = 0;
    for (uint32_t bucket = 0; bucket < HIST_NS_BUCKETS; bucket++) {
        hist_ns_bounds(bucket, &low, &high);
        assert_int_equal(low, end);
        assert_true(bucket < 64 ? high == low + 1 : high - low <= (low + 63) / 64);
        assert_int_equal(hist_ns_bucket((double)low), bucket);
        end = high;
    }
}

static void the_reports_last_bucket_ends_where_json_integers_do(void **state)
{
    uint64_t low, high;
    hist_ns_bounds(HIST_NS_BUCKETS - 1, &low, &high);
    assert_true(high == INT64_MAX && low == (UINT64_C(1) << 63) - (UINT64_C(1) << 56));
}

static void durations_outside_of_the_grid_go_to_its_ends(void **state)
{
    assert_int_equal(hist_ns_bucket(0), 0);
    assert_int_equal(hist_ns_bucket(-5), 0);
    assert_int_equal(hist_ns_bucket(NAN), 0);
    assert_int_equal(hist_ns_bucket(0x1p63), HIST_NS_BUCKETS - 1);
    assert_int_equal(hist_ns_bucket(INFINITY), HIST_NS_BUCKETS - 1);
}

static void rebucketing_moves_a_value_by_at_most_one_percent(void **state)
{
    for (int i = 0; i < 100000; i++) {
        uint64_t value = any_value() >> 1;
        if (value < 64) continue;
        double ns = hist_ns_representative(hist_ns_bucket(hist_representative(hist_bucket(value))));
        assert_true(fabs(ns - (double)value) <= 0.01 * (double)value);
    }
}

static void equals_numpy_within_one_percent(const uint64_t *values, size_t n)
{
    static const double asked[] = {0, 0.5, 0.9, 0.95, 0.99, 0.999, 1};
    enum { ASKED = sizeof asked / sizeof *asked };
    static uint64_t counts[TICK_BUCKETS];
    static double representatives[TICK_BUCKETS];
    double theirs[ASKED];
    if (!numpy_quantiles(values, n, asked, ASKED, theirs)) return; /* no numpy here */
    memset(counts, 0, sizeof counts);
    for (uint32_t i = 0; i < TICK_BUCKETS; i++) representatives[i] = hist_representative(i);
    for (size_t i = 0; i < n; i++) counts[hist_bucket(values[i])]++;
    for (size_t i = 0; i < ASKED; i++) {
        double ours = hist_quantile(counts, representatives, TICK_BUCKETS, n, asked[i]);
        assert_true(fabs(ours - theirs[i]) <= 0.01 * theirs[i]);
    }
}

static void quantiles_of_few_and_many_values_are_numpys(void **state)
{
    static const size_t lengths[] = {1, 2, 99, 100, 101, MOST};
    static uint64_t values[MOST];
    for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++) {
        for (size_t i = 0; i < lengths[l]; i++) values[i] = 20 + (next_random() >> 24 & 0xffffff);
        equals_numpy_within_one_percent(values, lengths[l]);
        for (size_t i = 0; i < lengths[l]; i++) values[i] = 1 + any_value() / 4;
        equals_numpy_within_one_percent(values, lengths[l]);
    }
}

static void quantiles_of_equal_values_and_of_one_huge_are_numpys(void **state)
{
    uint64_t values[101];
    for (size_t i = 0; i < 101; i++) values[i] = 1000003;
    equals_numpy_within_one_percent(values, 101);
    values[17] = UINT64_C(1) << 60;
    equals_numpy_within_one_percent(values, 101);
}

static void a_rank_between_two_buckets_lies_between_their_representatives(void **state)
{
    const uint64_t counts[] = {2, 0, 2};
    const double representatives[] = {10, 15, 20};
    assert_true(hist_quantile(counts, representatives, 3, 4, 0) == 10);
    assert_true(hist_quantile(counts, representatives, 3, 4, 0.5) == 15); /* rank 1.5 */
    assert_true(hist_quantile(counts, representatives, 3, 4, 1) == 20);
}

static void counts_that_do_not_add_up_give_the_last_bucket(void **state)
{
    const uint64_t counts[] = {1, 1, 0};
    const double representatives[] = {10, 15, 20};
    assert_true(hist_quantile(counts, representatives, 3, 1000, 0.9) == 15);
}

static uint32_t value_bucket(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return hist_value_bucket(bits);
}

static void a_number_lies_within_one_percent_of_its_bucket(void **state)
{
    for (int i = 0; i < MOST; i++) {
        double value = ldexp(1 + (double)(next_random() >> 11) * 0x1p-53, i % 113 - 50);
        if (i % 3 == 0) value = -value;
        double low, high;
        uint32_t bucket = value_bucket(value);
        assert_true(bucket < TICK_BUCKETS);
        hist_value_bounds(bucket, &low, &high);
        assert_true(i % 3 ? low <= value && value < high : low < value && value <= high);
        assert_true(fabs((low + high) / 2 - value) <= 0.01 * fabs(value));
    }
}

static void the_buckets_of_numbers_follow_each_other(void **state)
{
    double last = -INFINITY;
    uint32_t full = 0;
    for (uint32_t bucket = 0; bucket < TICK_BUCKETS; bucket++) {
        double low, high;
        hist_value_bounds(bucket, &low, &high);
        if (value_bucket((low + high) / 2) != bucket) continue; /* beside zero's */
        assert_true(last <= low && low < high);
        last = high;
        full++;
    }
    assert_int_equal(full, 2 * 113 * 64);
}

static void numbers_outside_of_the_grid_go_to_its_ends(void **state)
{
    assert_int_equal(value_bucket(0), value_bucket(-0.0));
    assert_int_equal(value_bucket(5e-324), value_bucket(0x1p-50));
    assert_int_equal(value_bucket(-5e-324), value_bucket(-0x1p-50));
    assert_int_equal(value_bucket(1e308), value_bucket(0x1.fffp62));
    assert_int_equal(value_bucket(-1e308), 0);
    assert_true(value_bucket(-1) < value_bucket(-0x1p-50));
    assert_true(value_bucket(-0x1p-50) < value_bucket(0));
    assert_true(value_bucket(0) < value_bucket(0x1p-50));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_recorders_buckets_follow_each_other_without_gap),
        cmocka_unit_test(a_value_lies_within_the_bounds_of_its_bucket),
        cmocka_unit_test(a_bucket_is_at_most_a_256th_of_its_values_wide),
        cmocka_unit_test(the_reports_buckets_follow_each_other_without_gap),
        cmocka_unit_test(the_reports_last_bucket_ends_where_json_integers_do),
        cmocka_unit_test(durations_outside_of_the_grid_go_to_its_ends),
        cmocka_unit_test(rebucketing_moves_a_value_by_at_most_one_percent),
        cmocka_unit_test(quantiles_of_few_and_many_values_are_numpys),
        cmocka_unit_test(quantiles_of_equal_values_and_of_one_huge_are_numpys),
        cmocka_unit_test(a_rank_between_two_buckets_lies_between_their_representatives),
        cmocka_unit_test(counts_that_do_not_add_up_give_the_last_bucket),
        cmocka_unit_test(a_number_lies_within_one_percent_of_its_bucket),
        cmocka_unit_test(the_buckets_of_numbers_follow_each_other),
        cmocka_unit_test(numbers_outside_of_the_grid_go_to_its_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

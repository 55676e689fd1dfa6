/* SPDX-License-Identifier: MIT
 *
 * Percentiles and histograms of a report against numpy's answer on the same durations. */
#include "load.h"

#include "../stats/numpy.h"
#include "clock/clock.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 20000, ASKED = 5 };

static const double asked[ASKED] = {0.5, 0.9, 0.95, 0.99, 0.999};
static const char *const keys[ASKED] = {"P50_ms", "P90_ms", "P95_ms", "P99_ms", "P99_9_ms"};

static struct builder store;
static struct store_recorder *recorder;
static json_t *report;
static uint64_t values[MOST];

static uint64_t random_state = 88172645463325252u;

static uint64_t next_random(void) /* xorshift64, Marsaglia 2003 */
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    return random_state ^= random_state << 17;
}

static int lay_out(void **state)
{
    builder_init(&store, 1 << 24);
    recorder = builder_recorder(&store, 32, 8);
    report = NULL;
    return 0;
}

static int tear_down(void **state)
{
    json_decref(report);
    builder_fini(&store);
    return 0;
}

static json_t *first_function(void)
{
    report = load_report(&store, (struct report_input){.now_ticks = 1});
    return load_at(report, "functions.0");
}

static int64_t histogram_sum(json_t *statistics)
{
    size_t i;
    json_t *triple;
    int64_t sum = 0;
    json_array_foreach(load_at(statistics, "histogram"), i, triple)
    {
        assert_true(load_integer(triple, "0") < load_integer(triple, "1"));
        assert_true(load_integer(triple, "2") > 0);
        sum += load_integer(triple, "2");
    }
    return sum;
}

static void are_numpys(json_t *statistics, size_t n, double ns_per_tick, double error)
{
    double theirs[ASKED];
    if (!numpy_quantiles(values, n, asked, ASKED, theirs)) return; /* no numpy here */
    for (int i = 0; i < ASKED; i++) {
        double ours = load_real(statistics, keys[i]) * 1e6, theirs_ns = theirs[i] * ns_per_tick;
        assert_true(fabs(ours - theirs_ns) <= error * theirs_ns);
    }
}

static void n_durations_have_numpys_percentiles(size_t n)
{
    store_ref function = builder_function(&store, recorder, 0x100);
    store_ref node = builder_node(&store, recorder, recorder->root, function);
    for (size_t i = 0; i < n; i++) builder_call(&store, node, values[i]);
    json_t *statistics = first_function();
    assert_string_equal(load_text(statistics, "percentiles"), "histogram");
    assert_int_equal(histogram_sum(statistics), n);
    assert_int_equal(load_integer(statistics, "Count"), n);
    are_numpys(statistics, n, 1, 0.01);
}

static void few_and_many_durations_have_numpys_percentiles(void **state)
{
    static const size_t lengths[] = {1, 2, 99, 100, 101, MOST};
    for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++) {
        for (size_t i = 0; i < lengths[l]; i++) values[i] = 20 + (next_random() & 0xffffff);
        n_durations_have_numpys_percentiles(lengths[l]);
        tear_down(state);
        lay_out(state);
    }
}

static void equal_durations_have_that_percentile(void **state)
{
    for (size_t i = 0; i < 100; i++) values[i] = 1000003;
    n_durations_have_numpys_percentiles(100);
    for (int i = 0; i < ASKED; i++) /* never outside [Min, Max] */
        assert_true(load_real(load_at(report, "functions.0"), keys[i]) == 1.000003);
}

static void one_huge_duration_moves_only_the_last_percentiles(void **state)
{
    for (size_t i = 0; i < 100; i++) values[i] = 40 + i;
    values[31] = UINT64_C(1) << 52;
    n_durations_have_numpys_percentiles(100);
}

static void ticks_that_are_no_nanoseconds_are_converted(void **state)
{
    struct store_head *head = builder_head(&store);
    head->clock_source = CLOCK_TSC;
    head->first_ticks = 0;
    head->first_raw_ns = 1;
    head->last_ticks = 2600000000;
    head->last_raw_ns = 1000000001;
    for (size_t i = 0; i < MOST; i++) values[i] = 100 + (next_random() & 0xffffff);
    store_ref function = builder_function(&store, recorder, 0x100);
    store_ref node = builder_node(&store, recorder, recorder->root, function);
    for (size_t i = 0; i < MOST; i++) builder_call(&store, node, values[i]);
    json_t *statistics = first_function();
    assert_true(load_real(report, "clock.ticks_per_second") == 2.6e9);
    are_numpys(statistics, MOST, 1 / 2.6, 0.01);
    assert_int_equal(histogram_sum(statistics), MOST);
}

/* A category as stint_record makes it: nanoseconds, outside the tree, with a ring. */
static store_ref sampled(struct store_recorder *thread, const char *name, uint64_t from,
                         uint64_t to, uint32_t limit)
{
    store_ref category = builder_category(&store, thread, name);
    struct store_function *record = builder_at(&store, category);
    record->flags |= STORE_FUNCTION_NANOSECONDS;
    store_ref node = builder_node(&store, thread, 0, category);
    for (uint64_t i = from; i < to; i++) {
        builder_call(&store, node, values[i]);
        builder_sample(&store, category, values[i], limit);
    }
    return category;
}

static void samples_of_all_threads_that_are_all_held_are_exact(void **state)
{
    for (size_t i = 0; i < 1000; i++) values[i] = next_random() & 0xffffff;
    sampled(recorder, "Load", 0, 300, 1000);
    sampled(builder_recorder(&store, 32, 8), "Load", 300, 1000, 1000);
    report = load_report(&store, (struct report_input){.now_ticks = 1});
    json_t *load = load_at(report, "categories.Load");
    assert_string_equal(load_text(load, "percentiles"), "exact");
    assert_false(load_has(load, "Recent"));
    are_numpys(load, 1000, 1, 1e-12);
    assert_int_equal(histogram_sum(load), 1000);
    json_t *own = load_at(report, "threads.0.categories.Load");
    assert_string_equal(load_text(own, "percentiles"), "exact");
    are_numpys(own, 300, 1, 1e-12);
}

static void a_ring_that_turned_over_has_its_window_beside_the_histogram(void **state)
{
    for (size_t i = 0; i < 1000; i++) values[i] = 1000 + (next_random() & 0xffffff);
    sampled(recorder, "Load", 0, 1000, 400);
    report = load_report(&store, (struct report_input){.now_ticks = 1});
    json_t *load = load_at(report, "categories.Load");
    assert_string_equal(load_text(load, "percentiles"), "histogram");
    are_numpys(load, 1000, 1, 0.01);
    assert_int_equal(load_integer(load, "Recent.n"), 400);
    memmove(values, values + 600, 400 * sizeof *values);
    are_numpys(load_at(load, "Recent"), 400, 1, 1e-12);
}

static void scopes_and_samples_of_one_name_are_one_category(void **state)
{
    values[0] = 5000;
    sampled(recorder, "Both", 0, 1, 10);
    store_ref scope = builder_category(&store, recorder, "Both");
    builder_call(&store, builder_node(&store, recorder, recorder->root, scope), 3000);
    report = load_report(&store, (struct report_input){.now_ticks = 1});
    json_t *both = load_at(report, "categories.Both");
    assert_int_equal(load_integer(both, "Count"), 2);
    assert_true(load_ns(both, "Total_ms") == 8000);
    assert_true(load_ns(both, "Self_ms") == 3000);
    assert_true(load_ns(both, "Min_ms") == 3000);
    assert_true(load_ns(both, "Max_ms") == 5000);
    assert_int_equal(histogram_sum(both), 2);
}

static void functions_with_samples_of_every_call_are_exact(void **state)
{
    store_ref function = builder_function(&store, recorder, 0x100 | STORE_MARK_UNLOADED);
    store_ref node = builder_node(&store, recorder, recorder->root, function);
    for (size_t i = 0; i < 101; i++) {
        values[i] = next_random() & 0xffffff;
        builder_call(&store, node, values[i]);
        builder_sample(&store, function, values[i], 1000);
    }
    json_t *statistics = first_function();
    assert_string_equal(load_text(statistics, "percentiles"), "exact");
    assert_string_equal(load_text(statistics, "name"), "0x100");
    are_numpys(statistics, 101, 1, 1e-12);
}

static void buckets_that_ran_ahead_of_the_sums_are_fitted_to_them(void **state)
{
    store_ref function = builder_function(&store, recorder, 0x100);
    store_ref ref = builder_node(&store, recorder, recorder->root, function);
    for (int i = 0; i < 1000; i++) builder_call(&store, ref, i % 2 ? 10 : 100000);
    ((struct store_node *)builder_at(&store, ref))->count = 900;
    json_t *statistics = first_function();
    assert_int_equal(histogram_sum(statistics), 900);
    assert_int_equal(load_integer(statistics, "histogram.0.2"), 450);
    assert_int_equal(load_integer(statistics, "histogram.1.2"), 450);
}

static void a_sum_beyond_the_end_of_its_type_is_flagged(void **state)
{
    store_ref function = builder_function(&store, recorder, 0x100);
    store_ref ref = builder_node(&store, recorder, recorder->root, function);
    struct store_node *node = builder_at(&store, ref);
    builder_call(&store, ref, 7);
    node->count = UINT64_MAX - 5;
    json_t *statistics = first_function();
    assert_true(load_integer(statistics, "Count") == INT64_MAX);
    assert_true(json_is_true(load_at(statistics, "saturated")));
}

/* What was recorded of 2^64 ticks and more is not known: no mean can be told. */
static void of_a_saturated_sum_no_average_is_told(void **state)
{
    store_ref function = builder_function(&store, recorder, 0x100);
    store_ref ref = builder_node(&store, recorder, recorder->root, function);
    builder_call(&store, ref, 7);
    builder_call(&store, ref, 9);
    ((struct store_node *)builder_at(&store, ref))->total_ticks = UINT64_MAX;
    json_t *statistics = first_function();
    assert_true(json_is_true(load_at(statistics, "saturated")));
    assert_false(load_has(statistics, "Avg_ms"));
    assert_int_equal(load_integer(statistics, "Count"), 2);
    assert_true(load_has(statistics, "Min_ms") && load_has(statistics, "P50_ms"));
}

#define IN_STORE(test) cmocka_unit_test_setup_teardown(test, lay_out, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_STORE(few_and_many_durations_have_numpys_percentiles),
        IN_STORE(equal_durations_have_that_percentile),
        IN_STORE(one_huge_duration_moves_only_the_last_percentiles),
        IN_STORE(ticks_that_are_no_nanoseconds_are_converted),
        IN_STORE(samples_of_all_threads_that_are_all_held_are_exact),
        IN_STORE(a_ring_that_turned_over_has_its_window_beside_the_histogram),
        IN_STORE(scopes_and_samples_of_one_name_are_one_category),
        IN_STORE(functions_with_samples_of_every_call_are_exact),
        IN_STORE(buckets_that_ran_ahead_of_the_sums_are_fitted_to_them),
        IN_STORE(a_sum_beyond_the_end_of_its_type_is_flagged),
        IN_STORE(of_a_saturated_sum_no_average_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

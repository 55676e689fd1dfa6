/* SPDX-License-Identifier: MIT
 *
 * Counters and values of a store laid out by hand: sums worked out here, quantiles by numpy. */
#include "report/values.h"

#include "load.h"

#include "../stats/numpy.h"
#include "stats/hist.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 20000, ASKED = 5 };

static const double asked[ASKED] = {0.5, 0.9, 0.95, 0.99, 0.999};
static const char *const keys[ASKED] = {"P50", "P90", "P95", "P99", "P99_9"};

static struct builder store;
static json_t *report;
static double values[MOST];

static int lay_out(void **state)
{
    builder_init(&store, 1 << 24);
    report = NULL;
    return 0;
}

static int tear_down(void **state)
{
    json_decref(report);
    builder_fini(&store);
    return 0;
}

static void write_report(void)
{
    report = load_report(&store, (struct report_input){.now_ticks = 1});
}

static uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static double value_of(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static struct store_function *counter(struct store_recorder *recorder, const char *name,
                                      uint64_t count, int64_t sum)
{
    store_ref function = builder_kind(&store, recorder, name, STORE_KIND_COUNT);
    struct store_node *node = builder_at(&store, builder_node(&store, recorder, 0, function));
    node->count = count;
    node->total_ticks = (uint64_t)sum;
    return builder_at(&store, function);
}

static void counters_are_added_over_threads(void **state)
{
    struct store_recorder *one = builder_recorder(&store, 4, 4);
    counter(one, "a", 3, -50);
    counter(one, "b", 1, 7);
    struct store_recorder *other = builder_recorder(&store, 4, 4);
    counter(other, "a", 4, 20);
    counter(other, "never", 0, 0);
    write_report();
    assert_int_equal(load_integer(report, "counters.a.Count"), 7);
    assert_int_equal(load_integer(report, "counters.a.Sum"), -30);
    assert_false(load_has(report, "counters.a.saturated"));
    assert_int_equal(load_integer(report, "counters.b.Sum"), 7);
    assert_int_equal(json_object_size(load_at(report, "counters")), 2);
    assert_int_equal(json_object_size(load_at(report, "categories")), 0);
    assert_int_equal(json_array_size(load_at(report, "call_tree")), 0);
    assert_false(load_has(report, "values"));
}

static void sums_of_counters_stop_at_their_ends(void **state)
{
    struct store_recorder *one = builder_recorder(&store, 4, 4);
    counter(one, "up", 1, INT64_MAX - 5);
    counter(one, "down", 1, INT64_MIN + 5);
    counter(one, "was", 2, 12)->flags = STORE_FUNCTION_SATURATED;
    struct store_recorder *other = builder_recorder(&store, 4, 4);
    counter(other, "up", 1, 6);
    counter(other, "down", 1, -6);
    write_report();
    assert_int_equal(load_integer(report, "counters.up.Sum"), INT64_MAX);
    assert_int_equal(load_integer(report, "counters.down.Sum"), INT64_MIN);
    assert_int_equal(load_integer(report, "counters.was.Sum"), 12);
    assert_true(json_is_true(load_at(report, "counters.up.saturated")));
    assert_true(json_is_true(load_at(report, "counters.down.saturated")));
    assert_true(json_is_true(load_at(report, "counters.was.saturated")));
}

static void add_value(store_ref at, double value, uint32_t limit)
{
    struct store_node *node = builder_at(&store, at);
    struct store_function *function = builder_at(&store, node->function);
    double sum = (node->count ? value_of(node->total_ticks) : 0) + value;
    if (!node->count || value < value_of(node->min_ticks)) node->min_ticks = bits_of(value);
    if (!node->count || value > value_of(node->max_ticks)) node->max_ticks = bits_of(value);
    node->total_ticks = bits_of(sum);
    node->count++;
    uint32_t bucket = hist_value_bucket(bits_of(value));
    store_ref *block = &function->blocks[bucket / STORE_BLOCK_BUCKETS];
    if (!*block) *block = builder_alloc(&store, STORE_BLOCK_BUCKETS * sizeof(uint64_t));
    uint64_t *counts = builder_at(&store, *block);
    counts[bucket % STORE_BLOCK_BUCKETS]++;
    if (limit) builder_sample(&store, node->function, bits_of(value), limit);
}

static store_ref value_node(const char *name)
{
    struct store_recorder *recorder = builder_recorder(&store, 4, 4);
    return builder_node(&store, recorder, 0,
                        builder_kind(&store, recorder, name, STORE_KIND_VALUE));
}

/* Uniform from −1000 to 1000, then a heavy tail. */
static void make_values(bool has_tail)
{
    uint64_t random_state = 88172645463325252u;
    for (int i = 0; i < MOST; i++) { /* xorshift64, Marsaglia 2003 */
        random_state ^= random_state << 13;
        random_state ^= random_state >> 7;
        random_state ^= random_state << 17;
        double part = (double)(random_state >> 11) * 0x1p-53;
        values[i] = has_tail ? 1 / (1 - part) : 2000 * part - 1000;
    }
}

static void assert_close(const char *path, double expected, double error)
{
    double found = load_real(report, path);
    if (fabs(found - expected) > error * fabs(expected))
        fail_msg("%s is %.17g, expected %.17g", path, found, expected);
}

static void assert_quantiles(const char *prefix, const double *from, size_t n, double error)
{
    double expected[ASKED];
    if (!numpy_quantiles_of_doubles(from, n, asked, ASKED, expected)) return;
    for (int i = 0; i < ASKED; i++) {
        char path[64];
        snprintf(path, sizeof path, "%s.%s", prefix, keys[i]);
        assert_close(path, expected[i], error);
    }
}

static void with_all_samples_quantiles_are_numpys(void **state)
{
    make_values(false);
    store_ref one = value_node("v"), other = value_node("v");
    double sum = 0;
    for (int i = 0; i < MOST; i++) {
        add_value(i % 3 ? one : other, values[i], MOST);
        sum += values[i];
    }
    write_report();
    assert_string_equal(load_text(report, "values.v.percentiles"), "exact");
    assert_int_equal(load_integer(report, "values.v.Count"), MOST);
    assert_close("values.v.Sum", sum, 1e-9);
    assert_close("values.v.Avg", sum / MOST, 1e-9);
    assert_quantiles("values.v", values, MOST, 1e-12);
    assert_false(load_has(report, "values.v.Recent"));
    assert_false(load_has(report, "values.v.unit"));
}

static void without_quantiles_are_within_one_percent(void **state)
{
    make_values(true);
    store_ref one = value_node("v");
    for (int i = 0; i < MOST; i++) add_value(one, values[i], 1000);
    write_report();
    assert_string_equal(load_text(report, "values.v.percentiles"), "histogram");
    assert_quantiles("values.v", values, MOST, 0.01);
    assert_int_equal(load_integer(report, "values.v.Recent.n"), 1000);
    assert_quantiles("values.v.Recent", values + MOST - 1000, 1000, 1e-12);
}

static void the_histogram_holds_every_value(void **state)
{
    const double few[] = {-8, 0, 0, 0.25, 3, 3, 1e30};
    store_ref one = value_node("v");
    for (size_t i = 0; i < sizeof few / sizeof *few; i++) add_value(one, few[i], 0);
    write_report();
    json_t *histogram = load_at(report, "values.v.histogram"), *bucket;
    size_t i, seen = 0;
    json_array_foreach(histogram, i, bucket)
    {
        double low = json_number_value(json_array_get(bucket, 0));
        double high = json_number_value(json_array_get(bucket, 1));
        size_t inside = 0;
        assert_true(low < high);
        for (size_t k = 0; k < sizeof few / sizeof *few; k++)
            inside += few[k] < 0 ? few[k] > low && few[k] <= high : few[k] >= low && few[k] < high;
        if (i + 1 == json_array_size(histogram)) inside = 1; /* beyond the grid */
        assert_int_equal(json_integer_value(json_array_get(bucket, 2)), inside);
        seen += inside;
    }
    assert_int_equal(json_array_size(histogram), 5);
    assert_int_equal(seen, 7);
    assert_true(load_real(report, "values.v.Max") == 1e30);
    assert_true(load_real(report, "values.v.P50") == load_real(report, "values.v.P50"));
}

static void the_first_unit_is_told(void **state)
{
    store_ref one = value_node("v"), other = value_node("v");
    add_value(one, 1, 0);
    add_value(other, 2, 0);
    const struct store_node *node = builder_at(&store, other);
    ((struct store_function *)builder_at(&store, node->function))->unit =
        builder_text(&store, "B\xff", 2);
    write_report();
    assert_string_equal(load_text(report, "values.v.unit"), "B\xef\xbf\xbd");
}

static void a_sum_beyond_a_double_is_absent(void **state)
{
    store_ref one = value_node("v");
    add_value(one, 1.5e308, 0);
    add_value(one, 1.5e308, 0);
    write_report();
    assert_false(load_has(report, "values.v.Sum"));
    assert_false(load_has(report, "values.v.Avg"));
    assert_true(load_real(report, "values.v.Min") == 1.5e308);
}

/* The reader refuses what is beyond a double, as any reader would. */
static void the_largest_doubles_are_rounded_to_doubles(void **state)
{
    add_value(value_node("v"), 1.7976931348623157e308, 0);
    add_value(value_node("w"), -1.7976931348623157e308, 0);
    write_report();
    assert_true(fabs(load_real(report, "values.v.Max") / 1.7976931348623157e308 - 1) < 1e-14);
    assert_true(fabs(load_real(report, "values.w.Sum") / -1.7976931348623157e308 - 1) < 1e-14);
}

static void one_name_may_be_of_every_kind(void **state)
{
    struct store_recorder *recorder = builder_recorder(&store, 8, 8);
    store_ref ns = builder_kind(&store, recorder, "n", STORE_KIND_NS);
    builder_call(&store, builder_node(&store, recorder, 0, ns), 3000000);
    store_ref scope = builder_category(&store, recorder, "n");
    builder_call(&store, builder_node(&store, recorder, recorder->root, scope), 1000000);
    counter(recorder, "n", 2, 9);
    store_ref value = builder_kind(&store, recorder, "n", STORE_KIND_VALUE);
    add_value(builder_node(&store, recorder, 0, value), 4, 0);
    write_report();
    assert_int_equal(load_integer(report, "categories.n.Count"), 2);
    assert_true(fabs(load_real(report, "categories.n.Total_ms") - 4) < 1e-9);
    assert_true(fabs(load_real(report, "categories.n.Self_ms") - 1) < 1e-9);
    assert_int_equal(load_integer(report, "threads.0.categories.n.Count"), 2);
    assert_int_equal(json_object_size(load_at(report, "threads.0.categories")), 1);
    assert_int_equal(load_integer(report, "counters.n.Sum"), 9);
    assert_true(load_real(report, "values.n.Sum") == 4);
    assert_int_equal(json_array_size(load_at(report, "call_tree")), 1);
    assert_string_equal(load_text(report, "call_tree.0.category"), "n");
}

static void a_counter_in_the_tree_is_damage(void **state)
{
    struct store_recorder *recorder = builder_recorder(&store, 8, 8);
    store_ref function = builder_kind(&store, recorder, "n", STORE_KIND_COUNT);
    builder_call(&store, builder_node(&store, recorder, recorder->root, function), 5);
    write_report();
    assert_int_equal(json_array_size(load_at(report, "call_tree")), 0);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, lay_out, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(counters_are_added_over_threads),
        CASE(sums_of_counters_stop_at_their_ends),
        CASE(with_all_samples_quantiles_are_numpys),
        CASE(without_quantiles_are_within_one_percent),
        CASE(the_histogram_holds_every_value),
        CASE(the_first_unit_is_told),
        CASE(a_sum_beyond_a_double_is_absent),
        CASE(the_largest_doubles_are_rounded_to_doubles),
        CASE(one_name_may_be_of_every_kind),
        CASE(a_counter_in_the_tree_is_damage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT
 *
 * What every report must fulfil whatever the program did: counts of threads, functions and tree add
 * up to one another, self times to the roots' totals, histograms to their counts. */
#include "check.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

void check_consistent(const json_t *report, int leave);

/* Sums of n values that were each rounded to 15 digits, or to a nanosecond. */
static void same_ms(const char *what, const char *name, double a, double b, size_t n)
{
    double bound = 1e-6 * (double)(n + 1) + 1e-11 * (fabs(a) + fabs(b));
    if (!(fabs(a - b) <= bound)) fail_msg("%s of %s: %.9g and %.9g ms", what, name, a, b);
}

static const char *name_of(const json_t *object)
{
    const char *name = json_string_value(json_object_get(object, "name"));
    return name ? name : "?";
}

static long long integer_or_0(const json_t *object, const char *key)
{
    return json_integer_value(json_object_get(object, key));
}

static void check_quantiles(const json_t *s, const char *name)
{
    static const char *const keys[] = {"Min_ms", "P50_ms",   "P90_ms", "P95_ms",
                                       "P99_ms", "P99_9_ms", "Max_ms"};
    double last = 0;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        double value = real_at(s, keys[i]);
        if (!(value >= last))
            fail_msg("%s of %s is below the one before: %.9g", keys[i], name, value);
        last = value;
    }
    double avg = real_at(s, "Avg_ms");
    assert_true(avg >= real_at(s, "Min_ms") * (1 - 1e-12) &&
                avg <= real_at(s, "Max_ms") * (1 + 1e-12));
}

static void check_histogram(const json_t *s, const char *name, int leave)
{
    const json_t *bucket, *histogram = json_object_get(s, "histogram");
    size_t i;
    long long sum = 0, last_high = -1;
    json_array_foreach(histogram, i, bucket)
    {
        long long low = json_integer_value(json_array_get(bucket, 0));
        long long high = json_integer_value(json_array_get(bucket, 1));
        long long count = json_integer_value(json_array_get(bucket, 2));
        if (low < last_high || high <= low || count <= 0)
            fail_msg("bucket %zu of %s: [%lld, %lld, %lld]", i, name, low, high, count);
        last_high = high;
        sum += count;
    }
    long long n = integer_at(s, "Count") - integer_or_0(s, "Open");
    if (!(leave & CHECK_CHILD) && sum != n)
        fail_msg("%s: n is %lld, its histogram holds %lld", name, n, sum);
}

static void check_statistics(const json_t *s, const char *name, int leave)
{
    long long n = integer_at(s, "Count") - integer_or_0(s, "Open");
    double total = real_at(s, "Total_ms"), self = real_at(s, "Self_ms");
    assert_true(isfinite(total) && isfinite(self) && total >= 0 && self >= 0);
    if (n == 0 && !(leave & CHECK_CHILD)) {
        assert_null(json_object_get(s, "Avg_ms"));
        assert_null(json_object_get(s, "histogram"));
    }
    if (json_object_get(s, "Avg_ms")) {
        check_quantiles(s, name);
        check_histogram(s, name, leave);
    }
}

/* Functions: sorted, numbered, each with its statistics. */
static void check_functions(const json_t *report, int leave)
{
    const json_t *function;
    size_t i;
    double last = INFINITY;
    json_array_foreach(json_object_get(report, "functions"), i, function)
    {
        check_statistics(function, name_of(function), leave);
        double self = real_at(function, "Self_ms");
        if (self > last) fail_msg("%s is not in its place", name_of(function));
        last = self;
    }
}

/* Σ over threads of key of function id, and Σ over the tree's nodes. */
static long long over_threads(const json_t *report, long long id, const char *key)
{
    const json_t *thread, *function;
    size_t i, k;
    long long sum = 0;
    json_array_foreach(json_object_get(report, "threads"), i, thread) json_array_foreach(
        json_object_get(thread, "functions"), k, function) if (integer_at(function, "id") == id)
        sum += integer_or_0(function, key);
    return sum;
}

static long long over_tree(const json_t *report, long long id)
{
    const json_t *node;
    size_t i;
    long long sum = 0;
    json_array_foreach(json_object_get(report, "call_tree"), i, node)
    {
        const json_t *function = json_object_get(node, "function");
        if (function && json_integer_value(function) == id) sum += integer_at(node, "Count");
    }
    return sum;
}

static void check_counts(const json_t *report)
{
    const json_t *function;
    size_t i;
    json_array_foreach(json_object_get(report, "functions"), i, function)
    {
        long long id = integer_at(function, "id"), count = integer_at(function, "Count");
        long long threads = over_threads(report, id, "Count"), tree = over_tree(report, id);
        if (threads != count || tree != count)
            fail_msg("%s: Count %lld, its threads' %lld, the tree's %lld", name_of(function), count,
                     threads, tree);
        assert_int_equal(over_threads(report, id, "Open"), integer_or_0(function, "Open"));
    }
}

static double self_sum(const json_t *object, size_t *n)
{
    const json_t *function;
    const char *key;
    size_t i;
    double sum = 0;
    json_array_foreach(json_object_get(object, "functions"), i, function) sum +=
        real_at(function, "Self_ms"),
        ++*n;
    json_object_foreach((json_t *)json_object_get(object, "categories"), key,
                        function) if (json_object_get(function, "Self_ms")) sum +=
        real_at(function, "Self_ms"),
        ++*n;
    return sum;
}

static double root_sum(const json_t *tree, size_t *n)
{
    const json_t *node;
    size_t i;
    double sum = 0;
    json_array_foreach(tree, i, node) if (json_is_null(json_object_get(node, "parent"))) sum +=
        real_at(node, "Total_ms"),
        ++*n;
    return sum;
}

/* Σ Self = Σ roots' Total: over all threads, and of each thread that has a tree. */
static void check_self_sums(const json_t *report)
{
    size_t n = 0, i;
    double self = self_sum(report, &n), roots = root_sum(json_object_get(report, "call_tree"), &n);
    same_ms("sum of Self and roots' Total", "the process", self, roots, n);
    const json_t *thread;
    json_array_foreach(json_object_get(report, "threads"), i, thread)
    {
        const json_t *tree = json_object_get(thread, "call_tree");
        if (!tree) continue;
        n = 0;
        self = self_sum(thread, &n), roots = root_sum(tree, &n);
        same_ms("sum of Self and roots' Total", name_of(thread), self, roots, n);
    }
}

/* Each node: Self = Total − Σ children's Total; parents stand before their children. */
static void check_tree(const json_t *tree)
{
    size_t n = json_array_size(tree), i;
    double *children = calloc(n + 1, sizeof *children);
    const json_t *node;
    json_array_foreach(tree, i, node)
    {
        assert_int_equal(integer_at(node, "id"), i);
        const json_t *parent = json_object_get(node, "parent");
        assert_non_null(parent);
        if (json_is_null(parent)) continue;
        size_t p = (size_t)json_integer_value(parent);
        if (p >= n || p == i) fail_msg("node %zu: parent %zu", i, p);
        children[p] += real_at(node, "Total_ms");
    }
    json_array_foreach(tree, i, node)
        same_ms("Self and Total less children", "a node", real_at(node, "Self_ms"),
                real_at(node, "Total_ms") - children[i], n);
    free(children);
}

static void check_open_calls(const json_t *report)
{
    const json_t *thread, *function;
    size_t i, k;
    json_array_foreach(json_object_get(report, "threads"), i, thread)
    {
        long long open = 0;
        json_array_foreach(json_object_get(thread, "functions"), k, function) open +=
            integer_or_0(function, "Open");
        if (open != (long long)json_array_size(json_object_get(thread, "open_calls")))
            fail_msg("thread %s: %lld open, %zu listed", name_of(thread), open,
                     json_array_size(json_object_get(thread, "open_calls")));
    }
}

/* From a list's numbers: never above the one before. */
static void descends(const char *kind, const json_t *list, const char *key)
{
    const json_t *entry;
    size_t i;
    double last = INFINITY;
    json_array_foreach(list, i, entry)
    {
        double value = real_at(entry, key);
        if (!(value <= last)) fail_msg("%s of %s: %.9g after %.9g", key, kind, value, last);
        last = value;
    }
}

static long long in_series(const json_t *series)
{
    const json_t *bucket;
    size_t i;
    long long sum = 0;
    json_array_foreach(json_object_get(series, "buckets"), i, bucket)
    {
        double least = json_number_value(json_array_get(bucket, 2));
        double mean = json_number_value(json_array_get(bucket, 3));
        assert_true(least <= mean * (1 + 1e-12));
        assert_true(mean <= json_number_value(json_array_get(bucket, 4)) * (1 + 1e-12));
        sum += json_integer_value(json_array_get(bucket, 1));
    }
    return sum;
}

static void check_frames(const json_t *report, int leave)
{
    const char *kind;
    json_t *frames;
    const json_t *entry, *category, *categories = json_object_get(report, "categories");
    size_t i;
    json_object_foreach(json_object_get(report, "frames"), kind, frames)
    {
        long long ended = integer_at(frames, "Count") - integer_or_0(frames, "Open"), sum = 0;
        category = json_object_get(categories, kind);
        if (!category || integer_at(category, "Count") < integer_at(frames, "Count"))
            fail_msg("frames %s are not among the categories", kind);
        descends(kind, json_object_get(frames, "worst"), "duration_ms");
        descends(kind, json_object_get(frames, "blame"), "excess_ms");
        json_array_foreach(json_object_get(frames, "worst"), i, entry)
            descends(kind, json_object_get(entry, "functions"), "excess_ms");
        json_array_foreach(json_object_get(frames, "series"), i, entry) sum += in_series(entry);
        if (leave & CHECK_RACING) continue;
        assert_true(integer_at(frames, "missed") <= ended);
        if (sum > ended) fail_msg("frames %s: %lld ended, %lld in their series", kind, ended, sum);
    }
}

void check_consistent(const json_t *report, int leave)
{
    assert_int_equal(integer_at(report, "schema"), 1);
    if (report_lost(report, "contexts_folded")) leave |= CHECK_FOLDED;
    check_functions(report, leave);
    check_frames(report, leave);
    if (leave & CHECK_RACING) return;
    check_counts(report);
    check_open_calls(report);
    if (leave & CHECK_FOLDED) return;
    check_self_sums(report);
    check_tree(json_object_get(report, "call_tree"));
}

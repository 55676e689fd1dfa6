/* SPDX-License-Identifier: MIT
 *
 * What a program says of its own work: sums by its own truth, quantiles by numpy. */
#include "cases.h"

#include "../targets/shapes.h"
#include "../unit/stats/numpy.h"

#include <math.h>

enum { SAMPLES = 1000000, ASKED = 5 };
static const double asked[ASKED] = {0.5, 0.9, 0.95, 0.99, 0.999};
static const char *const keys[ASKED] = {"P50_ms", "P90_ms", "P95_ms", "P99_ms", "P99_9_ms"};
static uint64_t samples[SAMPLES];

static const json_t *category(const json_t *report, const char *name)
{
    const json_t *found = json_object_get(json_object_get(report, "categories"), name);
    if (!found) fail_msg("no category %s", name);
    return found;
}

static void assert_near(const char *what, double found, double expected, double error)
{
    if (!(fabs(found - expected) <= error * fabs(expected)))
        fail_msg("%s is %.17g, expected %.17g", what, found, expected);
}

/* error: relative, and for histograms half a bucket of whole nanoseconds. */
static void assert_quantiles(const char *name, const json_t *statistics, const uint64_t *from,
                             size_t n, double error)
{
    double expected[ASKED];
    if (!numpy_quantiles(from, n, asked, ASKED, expected)) skip_because("no numpy");
    for (int i = 0; i < ASKED; i++)
        assert_near(name, real_at(statistics, keys[i]) * 1e6, expected[i], error);
}

static void make_shape(int kind)
{
    struct shape shape = {88172645463325252u, kind};
    for (int i = 0; i < SAMPLES; i++) samples[i] = shape_next(&shape);
}

static void run_alone(struct run *run, const struct run_spec *spec, json_t **report)
{
    run_target(run, spec, true);
    assert_int_equal(run->status, 0);
    *report = report_load(run, "profiling_results.json", CHECK_ALL);
}

static void assert_mean(const json_t *statistics)
{
    double sum = 0;
    for (int i = 0; i < SAMPLES; i++) sum += (double)samples[i];
    assert_int_equal(integer_at(statistics, "Count"), SAMPLES);
    assert_near("Avg_ms", real_at(statistics, "Avg_ms") * 1e6, sum / SAMPLES, 1e-9);
}

static void a_million_samples_of_each_shape_have_numpys_quantiles(void **state)
{
    struct run run;
    json_t *report;
    run_alone(&run,
              &(struct run_spec){.target = "categories",
                                 .args = {"shapes", "1000000"},
                                 .env = {"STINT_MAX_SAMPLES=1000000"}},
              &report);
    for (int kind = 0; kind < SHAPE_KINDS; kind++) {
        const json_t *statistics = category(report, shape_names[kind]);
        make_shape(kind);
        assert_mean(statistics);
        assert_string_equal(string_at(statistics, "percentiles"), "exact");
        assert_null(json_object_get(statistics, "Recent"));
        assert_quantiles(shape_names[kind], statistics, samples, SAMPLES, 1e-12);
    }
    json_decref(report);
    run_fini(&run);
}

static void by_default_they_are_within_one_percent_and_the_newest_are_exact(void **state)
{
    struct run run;
    json_t *report;
    run_alone(&run, &(struct run_spec){.target = "categories", .args = {"shapes", "1000000"}},
              &report);
    for (int kind = 0; kind < SHAPE_KINDS; kind++) {
        const json_t *statistics = category(report, shape_names[kind]);
        const json_t *recent = json_object_get(statistics, "Recent");
        make_shape(kind);
        assert_mean(statistics);
        assert_string_equal(string_at(statistics, "percentiles"), "histogram");
        assert_quantiles(shape_names[kind], statistics, samples, SAMPLES, 0.01);
        assert_int_equal(integer_at(recent, "n"), 10000);
        assert_quantiles(shape_names[kind], recent, samples + SAMPLES - 10000, 10000, 1e-12);
    }
    json_decref(report);
    run_fini(&run);
}

/* How the 1000 samples 1 … 1000 ns come out under a setting. */
static void check_few(const char *setting, const char *percentiles, long long recent_from,
                      long long recent_to)
{
    struct run run;
    json_t *report;
    run_alone(
        &run,
        &(struct run_spec){.target = "categories", .args = {"several", "1000"}, .env = {setting}},
        &report);
    const json_t *few = category(report, "few"), *recent = json_object_get(few, "Recent");
    assert_string_equal(string_at(few, "percentiles"), percentiles);
    assert_int_equal(integer_at(few, "Count"), 1000);
    if (!recent_to) {
        assert_null(recent);
    } else {
        long long n = integer_at(recent, "n");
        assert_true(n >= recent_from && n <= recent_to);
        assert_near("Min_ms", real_at(recent, "Min_ms") * 1e6, (double)(1001 - n), 1e-12);
        assert_near("Max_ms", real_at(recent, "Max_ms") * 1e6, 1000, 1e-12);
    }
    json_decref(report);
    run_fini(&run);
}

static void max_samples_says_how_many_are_kept(void **state)
{
    check_few("STINT_MAX_SAMPLES=1000", "exact", 0, 0);
    check_few("STINT_MAX_SAMPLES=999", "histogram", 999, 999);
    check_few("STINT_MAX_SAMPLES=100", "histogram", 100, 100);
    check_few("STINT_MAX_SAMPLES=1", "histogram", 1, 1);
    check_few("STINT_MAX_SAMPLES=0", "histogram", 0, 0);
}

static void sample_bytes_bounds_them_all(void **state)
{
    check_few("STINT_SAMPLE_BYTES=4096", "histogram", 64, 512);
    check_few("STINT_SAMPLE_BYTES=0", "histogram", 0, 0);
}

/* By the truth of the target: T threads, N steps each. */
static void check_sums(const json_t *report, long long t, long long n)
{
    const json_t *durations = category(report, "durations"), *scopes = category(report, "scopes");
    const json_t *counter = json_object_get(json_object_get(report, "counters"), "steps");
    const json_t *value = json_object_get(json_object_get(report, "values"), "sizes");
    double sum = (double)(t * n * (n + 1) / 2);
    assert_int_equal(integer_at(durations, "Count"), t * n);
    assert_near("Total_ms", real_at(durations, "Total_ms") * 1e6, sum, 1e-9);
    assert_null(json_object_get(durations, "Self_ms"));
    assert_int_equal(integer_at(scopes, "Count"), t * n);
    assert_int_equal(integer_at(category(report, "inner"), "Count"), t * n);
    assert_true(real_at(scopes, "Self_ms") <= real_at(scopes, "Total_ms"));
    assert_int_equal(integer_at(counter, "Count"), t * n);
    assert_int_equal(integer_at(counter, "Sum"), t * (n / 2 * 2 + n % 2 * 3));
    assert_int_equal(integer_at(value, "Count"), t * n);
    assert_near("Sum", real_at(value, "Sum"), sum / 4, 1e-12);
    assert_near("Max", real_at(value, "Max"), (double)n / 4, 1e-12);
    assert_string_equal(string_at(value, "unit"), "bytes");
}

static const json_t *node_of(const json_t *report, const char *name)
{
    const json_t *node;
    size_t i;
    json_array_foreach(json_object_get(report, "call_tree"), i, node)
    {
        const char *found = json_string_value(json_object_get(node, "category"));
        if (found && !strcmp(found, name)) return node;
    }
    fail_msg("no node of %s", name);
    return NULL;
}

static void threads_share_categories(void **state)
{
    struct both both;
    both_run(&both, &(struct run_spec){.target = "categories", .args = {"threads", "4", "5000"}});
    const json_t *thread;
    size_t i;
    check_sums(both.report, 4, 5000);
    assert_string_equal(string_at(category(both.report, "durations"), "percentiles"), "exact");
    assert_string_equal(string_at(category(both.report, "scopes"), "percentiles"), "exact");
    json_array_foreach(json_object_get(both.report, "threads"), i, thread) if (i)
        assert_int_equal(integer_at(category(thread, "durations"), "Count"), 5000);
    long long parent = integer_at(node_of(both.report, "inner"), "parent");
    assert_int_equal(parent, integer_at(node_of(both.report, "scopes"), "id"));
    both_fini(&both);
}

static void threads_that_share_rows_lose_nothing(void **state)
{
    struct both both;
    both_run(&both, &(struct run_spec){.target = "categories",
                                       .args = {"successive", "40", "100"},
                                       .stint_env = {"STINT_MAX_THREADS=2"}});
    check_sums(both.report, 40, 100);
    assert_true(report_threads(both.report, NULL) < 10);
    both_fini(&both);
}

static void a_child_uses_the_handles_of_its_parent(void **state)
{
    struct run run;
    run_target(&run, &(struct run_spec){.target = "categories", .args = {"fork"}}, true);
    assert_int_equal(run.status, 0);
    json_t *parent = report_load(&run, "profiling_results.json", CHECK_ALL);
    assert_int_equal(report_others(&run), 1);
    json_t *child = report_load_other(&run, 0, CHECK_CHILD);
    assert_int_equal(integer_at(category(parent, "durations"), "Count"), 1);
    assert_int_equal(integer_at(category(parent, "scopes"), "Count"), 1);
    assert_int_equal(integer_at(category(child, "durations"), "Count"), 3);
    assert_near("Total_ms", real_at(category(child, "durations"), "Total_ms"), 15e-6, 1e-12);
    /* three inside, and one after the inherited one was closed, which is not counted */
    assert_int_equal(integer_at(category(child, "scopes"), "Count"), 4);
    assert_null(json_object_get(category(child, "scopes"), "Open"));
    assert_int_equal(report_lost(child, "unmatched_exits"), 0);
    json_decref(parent);
    json_decref(child);
    run_fini(&run);
}

/* What a handler said while the recorder was busy is lost and told; nothing else is. */
static void handlers_at_every_instruction_of_the_api_are_counted(void **state)
{
    struct run run;
    json_t *report;
    run_alone(
        &run,
        &(struct run_spec){.target = "single-step-scopes", .env = {"STINT_MAX_SAMPLES=1000000"}},
        &report);
    long long told = 0;
    assert_int_equal(sscanf(run.out, "events %lld", &told), 1);
    const json_t *took = category(report, "took"), *work = category(report, "work");
    const json_t *count = json_object_get(json_object_get(report, "counters"), "count");
    long long seen =
        integer_at(took, "Count") + integer_at(work, "Count") + integer_at(count, "Count");
    assert_true(told > 3000);
    assert_int_equal(seen + report_lost(report, "calls_while_busy"), told);
    assert_true(report_lost(report, "calls_while_busy") < told / 2);
    assert_int_equal(report_lost(report, "unmatched_exits"), 0);
    assert_int_equal(integer_at(count, "Sum"), integer_at(count, "Count"));
    /* every sample has its place: none is missing, none is another's */
    assert_string_equal(string_at(took, "percentiles"), "exact");
    assert_near("Min_ms", real_at(took, "Min_ms") * 1e6, 7, 1e-12);
    assert_near("P50_ms", real_at(took, "P50_ms") * 1e6, 8, 1e-12);
    json_decref(report);
    run_fini(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_million_samples_of_each_shape_have_numpys_quantiles),
        cmocka_unit_test(by_default_they_are_within_one_percent_and_the_newest_are_exact),
        cmocka_unit_test(max_samples_says_how_many_are_kept),
        cmocka_unit_test(sample_bytes_bounds_them_all),
        cmocka_unit_test(threads_share_categories),
        cmocka_unit_test(threads_that_share_rows_lose_nothing),
        cmocka_unit_test(a_child_uses_the_handles_of_its_parent),
        cmocka_unit_test(handlers_at_every_instruction_of_the_api_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

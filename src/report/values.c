/* SPDX-License-Identifier: MIT
 *
 * A value's distribution as statistics.c has it of durations, but over doubles of any sign: raw
 * samples where all are held, else the grid's buckets. Doubles are sorted as the whole numbers that
 * order alike. Runs anywhere. */
#include "report/values.h"

#include "stats/exact.h"
#include "stats/hist.h"

#include <errno.h>
#include <math.h>
#include <string.h>

enum { BLOCK_BYTES = STORE_BLOCK_BUCKETS * sizeof(uint64_t) };

static const struct {
    const char *key;
    double q;
} quantiles[] = {{"P50", 0.5}, {"P90", 0.9}, {"P95", 0.95}, {"P99", 0.99}, {"P99_9", 0.999}};
enum { QUANTILES = sizeof quantiles / sizeof *quantiles };

static double number_of(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Whole numbers in the order of the doubles, and back. */
static uint64_t key_of(uint64_t bits) { return bits >> 63 ? ~bits : bits | UINT64_C(1) << 63; }
static double number_of_key(uint64_t key)
{
    return number_of(key >> 63 ? key ^ UINT64_C(1) << 63 : ~key);
}

/* What is nearer to the largest double than 15 digits can tell would be rounded beyond it. */
static void set_number(json_t *object, const char *key, double value)
{
    const double largest = 1.79769313486231e308;
    if (!isfinite(value)) return;
    if (value > largest) value = largest;
    if (value < -largest) value = -largest;
    stream_set(object, key, json_real(value));
}

/* Counters. */

static void write_counter(struct stream *stream, struct statistics *statistics,
                          const struct part *parts)
{
    int64_t sum = 0;
    uint64_t count = 0;
    bool is_saturated = false;
    for (const struct part *part = parts; part; part = part->next) {
        if (!part->outside) continue;
        int64_t more = (int64_t)__atomic_load_n(&part->outside->total_ticks, __ATOMIC_RELAXED);
        count = sums_plus(count, part->sums.ended);
        is_saturated |= part->record->flags & STORE_FUNCTION_SATURATED;
        if (!__builtin_add_overflow(sum, more, &sum)) continue;
        sum = more > 0 ? INT64_MAX : INT64_MIN;
        is_saturated = true;
    }
    json_t *object = json_object();
    stream_set(object, "Count", statistics_count(count));
    stream_set(object, "Sum", json_integer(sum));
    if (is_saturated) stream_set(object, "saturated", json_true());
    stream_members(stream, object);
}

/* Values. */

struct value {
    const struct part *parts;
    uint64_t count;
    double sum, min, max;
    uint64_t *keys; /* of the samples, ascending */
    uint64_t held;
    bool are_all; /* no value is without its sample */
};

static void sum_up(struct value *value)
{
    for (const struct part *part = value->parts; part; part = part->next) {
        if (!part->outside || !part->sums.ended) continue;
        double min = number_of(part->outside->min_ticks), max = number_of(part->outside->max_ticks);
        if (!value->count || min < value->min) value->min = min;
        if (!value->count || max > value->max) value->max = max;
        value->sum += number_of(part->outside->total_ticks);
        value->count = sums_plus(value->count, part->sums.ended);
    }
}

static int take_samples(struct statistics *statistics, struct value *value)
{
    const uint64_t *samples;
    uint64_t room = 0;
    value->are_all = true;
    for (const struct part *part = value->parts; part; part = part->next)
        room += statistics_samples(statistics, part, &samples, &value->are_all);
    value->keys = arena_alloc(statistics->scratch, room * sizeof(uint64_t) + 1);
    if (!value->keys) return -ENOMEM;
    for (const struct part *part = value->parts; part; part = part->next) {
        uint64_t held = statistics_samples(statistics, part, &samples, &value->are_all);
        for (uint64_t i = 0; i < held && value->held < room; i++)
            value->keys[value->held++] = key_of(samples[i]);
    }
    exact_sort(value->keys, value->held);
    return 0;
}

/* numpy's linear definition, as stats/exact.h has it of whole numbers. */
static double sample_quantile(const struct value *value, double q)
{
    double rank = q * (double)(value->held - 1);
    uint64_t low = (uint64_t)rank;
    double below = number_of_key(value->keys[low]);
    if (low + 1 >= value->held) return below;
    double part = rank - (double)low;
    return below * (1 - part) + number_of_key(value->keys[low + 1]) * part;
}

static double middle(uint32_t bucket)
{
    double low, high;
    hist_value_bounds(bucket, &low, &high);
    return bucket == hist_value_bucket(0) ? 0 : low / 2 + high / 2;
}

static void add_buckets(struct statistics *statistics, const struct part *part)
{
    for (uint32_t block = 0; block < STORE_BLOCKS; block++) {
        store_ref ref = __atomic_load_n(&part->record->blocks[block], __ATOMIC_ACQUIRE);
        const uint64_t *from = ref ? view_at(statistics->view, ref, BLOCK_BYTES) : NULL;
        uint64_t *to = &statistics->counts[block * STORE_BLOCK_BUCKETS];
        for (int i = 0; from && i < STORE_BLOCK_BUCKETS; i++) to[i] = sums_plus(to[i], from[i]);
    }
}

/* The buckets that are not empty, by what stands for each. */
static void collect(struct statistics *statistics, const struct value *value)
{
    for (const struct part *part = value->parts; part; part = part->next)
        add_buckets(statistics, part);
    statistics->full = 0;
    for (uint32_t bucket = 0; bucket < STORE_BUCKETS; bucket++) {
        if (!statistics->counts[bucket]) continue;
        statistics->full_counts[statistics->full] = statistics->counts[bucket];
        statistics->full_ns[statistics->full++] = middle(bucket);
        statistics->counts[bucket] = 0;
    }
    statistics_fit(statistics, value->count);
}

static void set_percentiles(struct statistics *statistics, const struct value *value,
                            json_t *object)
{
    bool is_exact = value->are_all && value->held == value->count;
    uint64_t n = 0;
    for (uint32_t i = 0; i < statistics->full; i++) n = sums_plus(n, statistics->full_counts[i]);
    if (!is_exact && !n) return;
    for (size_t i = 0; i < QUANTILES; i++) {
        double x = is_exact ? sample_quantile(value, quantiles[i].q)
                            : hist_quantile(statistics->full_counts, statistics->full_ns,
                                            statistics->full, n, quantiles[i].q);
        if (x < value->min) x = value->min;
        if (x > value->max) x = value->max;
        set_number(object, quantiles[i].key, x);
    }
    stream_set(object, "percentiles", json_string_nocheck(is_exact ? "exact" : "histogram"));
}

static void set_recent(const struct value *value, json_t *object)
{
    if (!value->held || (value->are_all && value->held == value->count)) return;
    double sum = 0;
    for (uint64_t i = 0; i < value->held; i++) sum += number_of_key(value->keys[i]);
    json_t *recent = json_object();
    stream_set(recent, "n", statistics_count(value->held));
    set_number(recent, "Avg", sum / (double)value->held);
    set_number(recent, "Min", sample_quantile(value, 0));
    set_number(recent, "Max", sample_quantile(value, 1));
    for (size_t i = 0; i < QUANTILES; i++)
        set_number(recent, quantiles[i].key, sample_quantile(value, quantiles[i].q));
    stream_set(object, "Recent", recent);
}

/* Of what a bucket is, the value that stands for it tells the number. */
static void write_histogram(struct stream *stream, const struct statistics *statistics)
{
    stream_open_line(stream, "histogram", '[');
    for (uint32_t i = 0; i < statistics->full; i++) {
        double low, high;
        uint64_t bits, count = statistics->full_counts[i];
        memcpy(&bits, &statistics->full_ns[i], sizeof bits);
        hist_value_bounds(hist_value_bucket(bits), &low, &high);
        stream_open_line(stream, NULL, '[');
        stream_value(stream, NULL, json_real(low));
        stream_value(stream, NULL, json_real(high));
        stream_integer(stream, NULL, count > INT64_MAX ? INT64_MAX : count);
        stream_close(stream, ']');
    }
    stream_close(stream, ']');
}

static const char *unit_of(struct statistics *statistics, const struct value *value)
{
    for (const struct part *part = value->parts; part; part = part->next) {
        store_ref unit = __atomic_load_n(&part->record->unit, __ATOMIC_RELAXED);
        if (unit) return names_copy_text(statistics->scratch, statistics->view, unit);
    }
    return NULL;
}

static void write_value(struct stream *stream, struct statistics *statistics,
                        const struct part *parts)
{
    struct value value = {.parts = parts};
    struct arena_mark mark = arena_mark(statistics->scratch);
    sum_up(&value);
    int error = take_samples(statistics, &value);
    if (error && !stream->error) stream->error = error;
    collect(statistics, &value);
    const char *unit = unit_of(statistics, &value);
    json_t *object = json_object();
    if (unit) stream_set(object, "unit", json_string_nocheck(unit));
    stream_set(object, "Count", statistics_count(value.count));
    set_number(object, "Sum", value.sum);
    set_number(object, "Avg", value.sum / (double)value.count);
    set_number(object, "Min", value.min);
    set_number(object, "Max", value.max);
    if (!error) {
        set_percentiles(statistics, &value, object);
        set_recent(&value, object);
    }
    stream_members(stream, object);
    if (statistics->full) write_histogram(stream, statistics);
    arena_release(statistics->scratch, mark);
}

/* Both. */

typedef void entry_writer(struct stream *stream, struct statistics *statistics,
                          const struct part *parts);

static void write_section(const struct merged *merged, struct statistics *statistics,
                          const char *title, enum store_kind kind, entry_writer *write)
{
    struct stream *stream = statistics->stream;
    bool is_open = false;
    for (uint32_t i = 0; i < merged->function_count; i++) {
        const struct merged_function *function = &merged->functions[i];
        if (!function->category || function->kind != kind) continue;
        if (!merge_was_called(function->parts, false)) continue;
        if (!is_open) stream_open(stream, title, '{');
        is_open = true;
        stream_open_entry(stream, function->category, '{');
        write(stream, statistics, function->parts);
        stream_close(stream, '}');
    }
    if (is_open) stream_close(stream, '}');
}

void values_write(const struct merged *merged, struct statistics *statistics)
{
    write_section(merged, statistics, "counters", STORE_KIND_COUNT, write_counter);
    write_section(merged, statistics, "values", STORE_KIND_VALUE, write_value);
}

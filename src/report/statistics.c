/* SPDX-License-Identifier: MIT
 *
 * Sums are added as whole ticks and become milliseconds once. Percentiles come from the raw samples
 * where all are held, else from the recorder's fine buckets; the histogram is those buckets put on
 * the report's grid. Everything that is written twenty thousand times is written flat. Runs
 * anywhere. */
#include "report/statistics.h"

#include "stats/exact.h"
#include "stats/hist.h"

#include <errno.h>
#include <math.h>
#include <string.h>

enum { UNIT_TICKS, UNIT_NS, UNITS };
enum { BLOCK_BYTES = STORE_BLOCK_BUCKETS * sizeof(uint64_t) };

static const struct {
    const char *key;
    double q;
} quantiles[] = {
    {"P50_ms", 0.5}, {"P90_ms", 0.9}, {"P95_ms", 0.95}, {"P99_ms", 0.99}, {"P99_9_ms", 0.999},
};

/* What is written: some parts, all or of one thread, and what they sum up to. */
struct group {
    const struct part *first;
    bool one_thread;
    bool has_self;
    bool is_category;
    struct sums sums[UNITS];
    uint64_t ended;
    double min_ms, max_ms;
};

int statistics_init(struct statistics *statistics, struct arena *arena, struct arena *scratch,
                    double ticks_per_second)
{
    *statistics = (struct statistics){.scratch = scratch, .ticks_per_second = ticks_per_second};
    statistics->counts = arena_alloc(arena, STORE_BUCKETS * sizeof(uint64_t));
    statistics->full_counts = arena_alloc(arena, UNITS * STORE_BUCKETS * sizeof(uint64_t));
    statistics->full_ns = arena_alloc(arena, UNITS * STORE_BUCKETS * sizeof(double));
    return statistics->counts && statistics->full_counts && statistics->full_ns ? 0 : -ENOMEM;
}

static double to_ms(const struct statistics *statistics, int unit, double value)
{
    return unit == UNIT_NS ? value / 1e6 : value * 1000 / statistics->ticks_per_second;
}

static const struct part *next_part(const struct group *group, const struct part *part)
{
    const struct part *next = part->next;
    return next && group->one_thread && next->thread != part->thread ? NULL : next;
}

json_t *statistics_count(uint64_t count)
{
    return json_integer(count > INT64_MAX ? INT64_MAX : (json_int_t)count);
}

static void set_ms(json_t *object, const char *key, double ms)
{
    if (isfinite(ms)) (void)json_object_set_new_nocheck(object, key, json_real(ms));
}

static bool is_saturated(const struct sums *sums)
{
    return sums->ended > INT64_MAX || sums->ended_ticks == UINT64_MAX ||
           sums->total_ticks == UINT64_MAX;
}

static void set_counts(json_t *object, uint64_t ended, uint64_t open, uint64_t inherited)
{
    uint64_t own = open > inherited ? open - inherited : 0;
    (void)json_object_set_new_nocheck(object, "Count", statistics_count(sums_plus(ended, own)));
    if (open) (void)json_object_set_new_nocheck(object, "Open", statistics_count(open));
}

static void sum_up(const struct statistics *statistics, struct group *group)
{
    for (const struct part *part = group->first; part; part = next_part(group, part)) {
        sums_add(&group->sums[part->is_ns ? UNIT_NS : UNIT_TICKS], &part->sums);
        group->has_self |= part->in_tree;
    }
    group->ended = sums_plus(group->sums[UNIT_TICKS].ended, group->sums[UNIT_NS].ended);
    group->min_ms = INFINITY;
    for (int unit = 0; unit < UNITS; unit++) {
        const struct sums *sums = &group->sums[unit];
        if (!sums->ended) continue;
        double min_ms = to_ms(statistics, unit, (double)sums->min_ticks);
        double max_ms = to_ms(statistics, unit, (double)sums->max_ticks);
        if (min_ms < group->min_ms) group->min_ms = min_ms;
        if (max_ms > group->max_ms) group->max_ms = max_ms;
    }
}

static void set_sums(const struct statistics *statistics, const struct group *group, json_t *object)
{
    const struct sums *a = &group->sums[UNIT_TICKS], *b = &group->sums[UNIT_NS];
    set_counts(object, group->ended, sums_plus(a->open, b->open), a->inherited + b->inherited);
    double total = to_ms(statistics, UNIT_TICKS, (double)a->total_ticks);
    set_ms(object, "Total_ms", total + to_ms(statistics, UNIT_NS, (double)b->total_ticks));
    if (group->has_self)
        set_ms(object, "Self_ms", to_ms(statistics, UNIT_TICKS, (double)a->self_ticks));
    if (is_saturated(a) || is_saturated(b))
        (void)json_object_set_new_nocheck(object, "saturated", json_true());
    if (!group->ended) return;
    double ended = to_ms(statistics, UNIT_TICKS, (double)a->ended_ticks) +
                   to_ms(statistics, UNIT_NS, (double)b->ended_ticks);
    bool is_whole = a->ended_ticks != UINT64_MAX && b->ended_ticks != UINT64_MAX;
    if (is_whole) set_ms(object, "Avg_ms", ended / (double)group->ended);
    set_ms(object, "Min_ms", group->min_ms);
    set_ms(object, "Max_ms", group->max_ms);
}

/* Buckets. */

/* Appends the non-empty counters of a block to the list, in nanoseconds. */
static void take_block(struct statistics *statistics, int unit, uint32_t block,
                       const uint64_t *counts)
{
    for (uint32_t i = 0; i < STORE_BLOCK_BUCKETS; i++) {
        if (!counts[i]) continue;
        double middle = hist_representative(block * STORE_BLOCK_BUCKETS + i);
        statistics->full_counts[statistics->full] = counts[i];
        statistics->full_ns[statistics->full++] = to_ms(statistics, unit, middle) * 1e6;
    }
}

static const uint64_t *block_of(const struct statistics *statistics, const struct part *part,
                                uint32_t block)
{
    store_ref ref = __atomic_load_n(&part->record->blocks[block], __ATOMIC_ACQUIRE);
    return ref ? view_at(statistics->view, ref, BLOCK_BYTES) : NULL;
}

static void add_buckets(struct statistics *statistics, const struct part *part,
                        uint64_t touched[STORE_BLOCKS / 64 + 1])
{
    for (uint32_t block = 0; block < STORE_BLOCKS; block++) {
        const uint64_t *from = block_of(statistics, part, block);
        if (!from) continue;
        uint64_t *to = &statistics->counts[block * STORE_BLOCK_BUCKETS];
        for (int i = 0; i < STORE_BLOCK_BUCKETS; i++) to[i] = sums_plus(to[i], from[i]);
        touched[block / 64] |= UINT64_C(1) << block % 64;
    }
}

/* One part alone, as most are, needs no adding up. */
static void collect_part(struct statistics *statistics, const struct part *part, int unit)
{
    for (uint32_t block = 0; block < STORE_BLOCKS; block++) {
        const uint64_t *counts = block_of(statistics, part, block);
        if (counts) take_block(statistics, unit, block, counts);
    }
}

static void collect_unit(struct statistics *statistics, const struct group *group, int unit)
{
    const struct part *part = group->first;
    if (!next_part(group, part)) {
        collect_part(statistics, part, unit);
        return;
    }
    uint64_t touched[STORE_BLOCKS / 64 + 1] = {0};
    for (; part; part = next_part(group, part)) {
        if (part->is_ns == (unit == UNIT_NS)) add_buckets(statistics, part, touched);
    }
    for (uint32_t block = 0; block < STORE_BLOCKS; block++) {
        if (!(touched[block / 64] >> block % 64 & 1)) continue;
        uint64_t *counts = &statistics->counts[block * STORE_BLOCK_BUCKETS];
        take_block(statistics, unit, block, counts);
        memset(counts, 0, BLOCK_BYTES);
    }
}

/* Two ascending runs, the second beginning at `middle`, become one. */
static int unite_units(struct statistics *statistics, uint32_t middle)
{
    uint32_t n = statistics->full, left = 0, right = middle;
    uint64_t *counts = arena_alloc(statistics->scratch, n * sizeof *counts);
    double *ns = arena_alloc(statistics->scratch, n * sizeof *ns);
    if (!counts || !ns) return -ENOMEM;
    for (uint32_t i = 0; i < n; i++) {
        bool from_left = right == n ||
                         (left < middle && statistics->full_ns[left] <= statistics->full_ns[right]);
        uint32_t from = from_left ? left++ : right++;
        counts[i] = statistics->full_counts[from];
        ns[i] = statistics->full_ns[from];
    }
    for (uint32_t i = 0; i < n; i++) {
        statistics->full_counts[i] = counts[i];
        statistics->full_ns[i] = ns[i];
    }
    return 0;
}

void statistics_fit(struct statistics *statistics, uint64_t ended)
{
    uint64_t sum = 0, seen = 0, told = 0;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < statistics->full; i++)
        sum = sums_plus(sum, statistics->full_counts[i]);
    if (sum == ended) return;
    for (uint32_t i = 0; i < statistics->full; i++) {
        seen = sums_plus(seen, statistics->full_counts[i]);
        double share = (double)seen / (double)sum * (double)ended;
        uint64_t upto = seen >= sum || share >= (double)ended ? ended : (uint64_t)share;
        if (upto <= told) continue;
        statistics->full_counts[kept] = upto - told;
        statistics->full_ns[kept++] = statistics->full_ns[i];
        told = upto;
    }
    statistics->full = kept;
}

static int collect(struct statistics *statistics, const struct group *group)
{
    statistics->full = 0;
    if (group->sums[UNIT_TICKS].ended) collect_unit(statistics, group, UNIT_TICKS);
    uint32_t middle = statistics->full;
    if (group->sums[UNIT_NS].ended) collect_unit(statistics, group, UNIT_NS);
    int error = middle && middle < statistics->full ? unite_units(statistics, middle) : 0;
    if (!error) statistics_fit(statistics, group->ended);
    return error;
}

static void write_histogram(const struct statistics *statistics)
{
    struct stream *stream = statistics->stream;
    stream_open_line(stream, "histogram", '[');
    for (uint32_t i = 0; i < statistics->full;) {
        uint32_t bucket = hist_ns_bucket(statistics->full_ns[i]);
        uint64_t count = 0, low_ns, high_ns;
        for (; i < statistics->full && hist_ns_bucket(statistics->full_ns[i]) == bucket; i++)
            count = sums_plus(count, statistics->full_counts[i]);
        hist_ns_bounds(bucket, &low_ns, &high_ns);
        stream_triple(stream, low_ns, high_ns, count > INT64_MAX ? INT64_MAX : count);
    }
    stream_close(stream, ']');
}

/* Samples. */

struct samples {
    uint64_t *values; /* in ticks, or in nanoseconds where units are mixed */
    uint64_t n;
    int unit;
    bool are_all; /* none has been overwritten */
    bool exist;
};

static const struct store_ring *ring_of(const struct statistics *statistics,
                                        const struct part *part)
{
    return view_at(statistics->view, part->record->ring, sizeof(struct store_ring));
}

uint64_t statistics_samples(const struct statistics *statistics, const struct part *part,
                            const uint64_t **values, bool *are_all)
{
    const struct store_ring *ring = ring_of(statistics, part);
    uint64_t held = 0;
    *values = NULL;
    if (ring) {
        uint64_t places = __atomic_load_n(&ring->places, __ATOMIC_ACQUIRE);
        uint64_t next = (uint32_t)places, capacity = places >> 32;
        held = next < capacity && !ring->lapped ? next : capacity;
        store_ref samples = __atomic_load_n(&ring->samples, __ATOMIC_ACQUIRE);
        *values = view_at(statistics->view, samples, held * sizeof(uint64_t));
    }
    if (!*values) held = 0;
    if (held != part->sums.ended || (ring && ring->lapped)) *are_all = false;
    return held;
}

static void look_at_samples(const struct statistics *statistics, const struct group *group,
                            struct samples *samples)
{
    samples->are_all = true;
    for (const struct part *part = group->first; part; part = next_part(group, part)) {
        const uint64_t *values;
        samples->n += statistics_samples(statistics, part, &values, &samples->are_all);
    }
    samples->exist = samples->n > 0;
    bool mixed = group->sums[UNIT_TICKS].ended && group->sums[UNIT_NS].ended;
    samples->unit = mixed || !group->sums[UNIT_TICKS].ended ? UNIT_NS : UNIT_TICKS;
}

static int copy_samples(const struct statistics *statistics, const struct group *group,
                        struct samples *samples)
{
    uint64_t room = samples->n;
    samples->values = arena_alloc(statistics->scratch, room * sizeof(uint64_t));
    if (!samples->values) return -ENOMEM;
    samples->n = 0;
    for (const struct part *part = group->first; part; part = next_part(group, part)) {
        const uint64_t *values;
        uint64_t held = statistics_samples(statistics, part, &values, &samples->are_all);
        for (uint64_t i = 0; i < held && samples->n < room; i++) {
            double ns = (double)values[i] * 1e9 / statistics->ticks_per_second + 0.5;
            samples->values[samples->n++] =
                samples->unit == UNIT_NS && !part->is_ns ? (uint64_t)ns : values[i];
        }
    }
    exact_sort(samples->values, samples->n);
    return 0;
}

static double sample_quantile(const struct statistics *statistics, const struct samples *samples,
                              double q)
{
    double value = exact_quantile(samples->values, samples->n, q);
    return to_ms(statistics, samples->unit, value);
}

static double clamp(double value, double low, double high)
{
    return value < low ? low : value > high ? high : value;
}

static void set_percentiles(const struct statistics *statistics, const struct group *group,
                            const struct samples *exact, json_t *object)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < statistics->full; i++) n = sums_plus(n, statistics->full_counts[i]);
    if (!exact && !n) return;
    for (size_t i = 0; i < sizeof quantiles / sizeof *quantiles; i++) {
        double ms = exact ? sample_quantile(statistics, exact, quantiles[i].q)
                          : hist_quantile(statistics->full_counts, statistics->full_ns,
                                          statistics->full, n, quantiles[i].q) /
                                1e6;
        set_ms(object, quantiles[i].key, clamp(ms, group->min_ms, group->max_ms));
    }
    (void)json_object_set_new_nocheck(object, "percentiles",
                                      json_string_nocheck(exact ? "exact" : "histogram"));
}

/* A category whose rings have turned over: what the newest samples say. */
static void set_recent(const struct statistics *statistics, const struct samples *samples,
                       json_t *object)
{
    json_t *recent = json_object();
    double sum = 0;
    for (uint64_t i = 0; i < samples->n; i++) sum += (double)samples->values[i];
    (void)json_object_set_new_nocheck(recent, "n", statistics_count(samples->n));
    set_ms(recent, "Avg_ms", to_ms(statistics, samples->unit, sum / (double)samples->n));
    set_ms(recent, "Min_ms", sample_quantile(statistics, samples, 0));
    set_ms(recent, "Max_ms", sample_quantile(statistics, samples, 1));
    for (size_t i = 0; i < sizeof quantiles / sizeof *quantiles; i++)
        set_ms(recent, quantiles[i].key, sample_quantile(statistics, samples, quantiles[i].q));
    (void)json_object_set_new_nocheck(object, "Recent", recent);
}

static int set_distribution(struct statistics *statistics, const struct group *group,
                            json_t *object)
{
    struct samples samples = {0};
    look_at_samples(statistics, group, &samples);
    bool wants_samples = samples.exist && (samples.are_all || group->is_category);
    int error = collect(statistics, group);
    if (!error && wants_samples) error = copy_samples(statistics, group, &samples);
    if (error) return error;
    bool is_exact = samples.exist && samples.are_all;
    set_percentiles(statistics, group, is_exact ? &samples : NULL, object);
    if (wants_samples && !is_exact) set_recent(statistics, &samples, object);
    return 0;
}

static void write_group(struct statistics *statistics, struct group *group)
{
    json_t *object = json_object();
    sum_up(statistics, group);
    set_sums(statistics, group, object);
    struct arena_mark mark = arena_mark(statistics->scratch);
    int error = group->ended ? set_distribution(statistics, group, object) : 0;
    arena_release(statistics->scratch, mark);
    if (error && !statistics->stream->error) statistics->stream->error = error;
    stream_members(statistics->stream, object);
    if (group->ended && statistics->full) write_histogram(statistics);
}

static bool is_category(const struct part *part)
{
    return part && (part->record->address & STORE_MARK_CATEGORY);
}

void statistics_write_all(struct statistics *statistics, const struct part *first)
{
    struct group group = {.first = first, .is_category = is_category(first)};
    group.sums[UNIT_TICKS] = group.sums[UNIT_NS] = SUMS_INIT;
    write_group(statistics, &group);
}

void statistics_write_thread(struct statistics *statistics, const struct part *first)
{
    struct group group = {.first = first, .one_thread = true, .is_category = is_category(first)};
    group.sums[UNIT_TICKS] = group.sums[UNIT_NS] = SUMS_INIT;
    write_group(statistics, &group);
}

void statistics_write_node(struct statistics *statistics, json_t *object, const struct sums *sums)
{
    struct group group = {.has_self = true, .sums = {*sums, SUMS_INIT}, .ended = sums->ended};
    group.min_ms = to_ms(statistics, UNIT_TICKS, (double)sums->min_ticks);
    group.max_ms = to_ms(statistics, UNIT_TICKS, (double)sums->max_ticks);
    set_sums(statistics, &group, object);
    stream_members(statistics->stream, object);
}

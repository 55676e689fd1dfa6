/* SPDX-License-Identifier: MIT
 *
 * Entry → key → place → sums. Runs in `stint`. */
#include "merge/pool.h"

#include "base/hash.h"
#include "verb/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void pool_init(struct pool *pool, struct arena *strings, uint64_t *shares_left)
{
    *pool = (struct pool){.strings = strings, .shares_left = shares_left};
    pool->index.arena = strings;
}

void pool_fini(struct pool *pool)
{
    for (size_t i = 0; i < pool->used; i++) {
        bins_fini(&pool->items[i].bins);
        free(pool->items[i].shares);
    }
    free(pool->items);
}

static struct span text_span(const char *text)
{
    return (struct span){text, text ? strlen(text) : 0};
}

static bool same_module(const struct pooled *pooled, const struct intake_entry *entry)
{
    if (span_is_text(pooled->module, entry->module)) return true;
    return entry->build_id.data && pooled->module && entry->module.data &&
           span_equal(span_file_name(text_span(pooled->module)), span_file_name(entry->module));
}

static struct span identity(const struct intake_entry *entry)
{
    return entry->raw_name.data ? entry->raw_name : entry->name;
}

static bool is_same(const struct pooled *pooled, const struct intake_entry *entry)
{
    const char *name = pooled->raw_name ? pooled->raw_name : pooled->name;
    return span_is_text(name, identity(entry)) && span_is_text(pooled->offset, entry->offset) &&
           span_is_text(pooled->build_id, entry->build_id) && same_module(pooled, entry);
}

static uint64_t key_of(const struct intake_entry *entry)
{
    const struct span parts[] = {identity(entry), span_file_name(entry->module), entry->build_id,
                                 entry->offset};
    uint64_t key = 1;
    for (int i = 0; i < 4; i++)
        key = hash_u64(key ^ hash_bytes(parts[i].data ? parts[i].data : "", parts[i].length));
    return key;
}

static const char *keep(struct pool *pool, struct span text)
{
    if (!text.data) return NULL;
    const char *copy = arena_copy(pool->strings, text.data, text.length);
    return copy ? copy : memory_text(text.data, text.length);
}

static void take_names(struct pool *pool, struct pooled *pooled, const struct intake_entry *entry)
{
    *pooled = (struct pooled){
        .name = keep(pool, entry->name),
        .raw_name = keep(pool, entry->raw_name),
        .module = keep(pool, entry->module),
        .build_id = keep(pool, entry->build_id),
        .offset = keep(pool, entry->offset),
    };
}

uint32_t pool_place(struct pool *pool, const struct intake_entry *entry)
{
    uint64_t key = key_of(entry);
    uint32_t place = index_find(&pool->index, key);
    /* two texts of one hash: the second goes on to another key */
    while (place != INDEX_NONE && !is_same(&pool->items[place], entry)) {
        key = hash_u64(key + 1);
        place = index_find(&pool->index, key);
    }
    if (place != INDEX_NONE) return place;
    pool->items = memory_grow(pool->items, pool->used, &pool->room, sizeof *pool->items);
    place = (uint32_t)pool->used++;
    take_names(pool, &pool->items[place], entry);
    (void)index_put(&pool->index, key, place); /* without memory the next one is a row of its own */
    return place;
}

void sum_add(struct sum *sum, const struct figures *figures)
{
    uint64_t ended = figures_ended(figures);
    sum->is_saturated |= figures->is_saturated || sum->calls > INT64_MAX - figures->calls;
    sum->calls = bins_plus(sum->calls, figures->calls);
    sum->open = bins_plus(sum->open, figures->open);
    sum->has_self |= figures->has_self;
    sum->total_ms += figures->total_ms;
    sum->self_ms += figures->self_ms;
    if (!figures->has_spread) return;
    sum->ended = bins_plus(sum->ended, ended);
    sum->ended_ms += figures->has_average ? figures->avg_ms * (double)ended : (double)NAN;
    if (!sum->has_spread || figures->min_ms < sum->min_ms) sum->min_ms = figures->min_ms;
    if (!sum->has_spread || figures->max_ms > sum->max_ms) sum->max_ms = figures->max_ms;
    sum->has_spread = true;
}

/* What a report says twice of one function is one share. */
static void add_share(struct pooled *pooled, const struct figures *figures, bool is_new,
                      uint64_t *shares_left)
{
    if (is_new) {
        pooled->processes++;
        if (*shares_left == 0) return;
        (*shares_left)--;
        pooled->shares = memory_grow(pooled->shares, pooled->shares_used, &pooled->shares_room,
                                     sizeof *pooled->shares);
        pooled->shares[pooled->shares_used++] = (struct share){.calls = 0};
    }
    if (pooled->shares_used == 0) return;
    struct share *share = &pooled->shares[pooled->shares_used - 1];
    share->total_ms += figures->total_ms;
    share->self_ms += figures->self_ms;
    share->calls += (double)figures->calls;
}

static void widen(struct intake_range *range, double least, double most, bool is_first)
{
    if (is_first || least < range->least) range->least = least;
    if (is_first || most > range->most) range->most = most;
}

static void add_ranges(struct pooled *pooled, const struct intake_per_process *columns)
{
    const struct intake_range *ranges[] = {&columns->total_ms, &columns->self_ms, &columns->calls};
    for (int i = 0; i < SHARE_COLUMNS; i++)
        widen(&pooled->ranges[i], ranges[i]->least, ranges[i]->most, !pooled->has_ranges);
    pooled->has_ranges = true;
    pooled->processes += columns->processes;
}

void pooled_add(struct pooled *pooled, const struct intake_entry *entry, uint32_t report,
                uint64_t *shares_left)
{
    const struct figures *figures = &entry->figures;
    sum_add(&pooled->sum, figures);
    for (uint32_t i = 0; i < figures->buckets_used; i++)
        bins_add(&pooled->bins, figures->buckets[i].bucket, figures->buckets[i].count);
    bool is_new = pooled->last_report != report;
    pooled->last_report = report;
    if (entry->per_process.processes)
        add_ranges(pooled, &entry->per_process);
    else
        add_share(pooled, figures, is_new, shares_left);
    if (!figures->has_quantiles) return;
    pooled->has_quantiles = true;
    pooled->is_exact = figures->is_exact;
    memcpy(pooled->quantiles_ms, figures->quantiles_ms, sizeof pooled->quantiles_ms);
    pooled->sources++;
}

uint32_t pool_add(struct pool *pool, const struct intake_entry *entry, uint32_t report)
{
    uint32_t place = pool_place(pool, entry);
    pooled_add(&pool->items[place], entry, report, pool->shares_left);
    return place;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void column_of(const struct pooled *pooled, int which, double *values, struct column *column)
{
    size_t n = pooled->shares_used;
    for (size_t i = 0; i < n; i++) {
        const struct share *share = &pooled->shares[i];
        values[i] = which == 0 ? share->total_ms : which == 1 ? share->self_ms : share->calls;
    }
    qsort(values, n, sizeof *values, by_size);
    struct intake_range range = pooled->ranges[which];
    if (n) widen(&range, values[0], values[n - 1], !pooled->has_ranges);
    bool is_known = n > 0 && n == pooled->processes;
    double middle = is_known ? (values[(n - 1) / 2] + values[n / 2]) / 2 : NAN;
    *column = (struct column){range.least, middle, range.most};
}

void pooled_columns(struct pooled *pooled, struct column columns[SHARE_COLUMNS])
{
    double *values = memory_new(pooled->shares_used, sizeof *values);
    for (int i = 0; i < SHARE_COLUMNS; i++) column_of(pooled, i, values, &columns[i]);
    free(values);
}

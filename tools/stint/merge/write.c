/* SPDX-License-Identifier: MIT
 *
 * Sums → members, in the order of a report. Functions are sorted by Self as in any report, so their
 * numbers change once more here. Runs in `stint`. */
#include "merge/write.h"

#include "config.h"
#include "merge/write_parts.h"
#include "print/emit.h"
#include "report/write.h"
#include "verb/memory.h"

#include <math.h>
#include <stdlib.h>

static double within(double value, const struct sum *sum)
{
    return value < sum->min_ms ? sum->min_ms : value > sum->max_ms ? sum->max_ms : value;
}

void merge_write_sum(struct emit *emit, const struct sum *sum)
{
    emit_count(emit, "Count", sum->calls);
    if (sum->open) emit_count(emit, "Open", sum->open);
    emit_number(emit, "Total_ms", sum->total_ms);
    if (sum->has_self) emit_number(emit, "Self_ms", sum->self_ms);
    if (sum->is_saturated) emit_bool(emit, "saturated", true);
    if (!sum->has_spread || !sum->ended) return;
    emit_number(emit, "Avg_ms", sum->ended_ms / (double)sum->ended); /* NaN: is left out */
    emit_number(emit, "Min_ms", sum->min_ms);
    emit_number(emit, "Max_ms", sum->max_ms);
}

static void write_columns(struct emit *emit, struct pooled *pooled)
{
    static const char *const keys[SHARE_COLUMNS] = {"Total_ms", "Self_ms", "Count"};
    const double sums[SHARE_COLUMNS] = {pooled->sum.total_ms, pooled->sum.self_ms,
                                        (double)pooled->sum.calls};
    struct column columns[SHARE_COLUMNS];
    if (!pooled->processes) return;
    pooled_columns(pooled, columns);
    emit_open(emit, "per_process", '{');
    emit_count(emit, "processes", pooled->processes);
    for (int i = 0; i < SHARE_COLUMNS; i++) {
        if (i == 1 && !pooled->sum.has_self) continue;
        emit_open(emit, keys[i], '{');
        emit_number(emit, "min", columns[i].least);
        emit_number(emit, "median", columns[i].middle);
        emit_number(emit, "max", columns[i].most);
        double mean = sums[i] / (double)pooled->processes;
        if (mean > 0) emit_number(emit, "imbalance", columns[i].most / mean);
        emit_close(emit, '}');
    }
    emit_close(emit, '}');
}

void merge_write_statistics(struct emit *emit, struct pooled *pooled, struct bins_flat *flat)
{
    const struct sum *sum = &pooled->sum;
    merge_write_sum(emit, sum);
    bins_flatten(&pooled->bins, flat);
    bool has_spread = sum->has_spread && sum->ended;
    bool is_given = has_spread && pooled->sources == 1 && pooled->has_quantiles;
    if (is_given || (has_spread && flat->used)) {
        for (int i = 0; i < QUANTILES; i++)
            emit_number(
                emit, quantile_keys[i],
                is_given ? pooled->quantiles_ms[i]
                         : within(bins_quantile_ms(flat, pooled->bins.n, quantile_places[i]), sum));
        emit_text(emit, "percentiles", is_given && pooled->is_exact ? "exact" : "histogram");
    }
    write_columns(emit, pooled);
    if (!has_spread || !flat->used) return;
    emit_open(emit, "histogram", '[');
    for (uint32_t i = 0; i < flat->used; i++) {
        uint64_t low, high;
        hist_ns_bounds(flat->buckets[i], &low, &high);
        emit_open(emit, NULL, '[');
        emit_count(emit, NULL, low);
        emit_count(emit, NULL, high);
        emit_count(emit, NULL, flat->counts[i]);
        emit_close(emit, ']');
    }
    emit_close(emit, ']');
}

/* Functions by Self, largest first. */
struct ranked {
    double self_ms;
    uint32_t place;
};

static int by_self(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    if (x->self_ms != y->self_ms) return x->self_ms < y->self_ms ? 1 : -1;
    return x->place < y->place ? -1 : x->place > y->place;
}

static void rank_functions(struct merge_writer *writer, struct ranked *ranked)
{
    const struct pool *pool = &writer->gather->functions;
    for (size_t i = 0; i < pool->used; i++)
        ranked[i] = (struct ranked){pool->items[i].sum.self_ms, (uint32_t)i};
    qsort(ranked, pool->used, sizeof *ranked, by_self);
    for (size_t i = 0; i < pool->used; i++) writer->ids[ranked[i].place] = (uint32_t)i;
}

static void write_function(struct merge_writer *writer, uint32_t id, struct pooled *function)
{
    struct emit *emit = &writer->emit;
    emit_line(emit);
    emit_open(emit, NULL, '{');
    emit_count(emit, "id", id);
    emit_text(emit, "name", function->name);
    emit_text(emit, "raw_name", function->raw_name ? function->raw_name : function->name);
    if (function->module) emit_text(emit, "module", function->module);
    if (function->module && function->build_id) emit_text(emit, "build_id", function->build_id);
    emit_text(emit, "offset", function->offset ? function->offset : "0x0");
    function->sum.has_self = true;
    merge_write_statistics(emit, function, writer->flat);
    emit_close(emit, '}');
}

static void write_functions(struct merge_writer *writer)
{
    struct pool *pool = &writer->gather->functions;
    struct ranked *ranked = memory_new(pool->used, sizeof *ranked);
    rank_functions(writer, ranked);
    emit_line(&writer->emit);
    emit_open(&writer->emit, "functions", '[');
    for (size_t i = 0; i < pool->used; i++)
        write_function(writer, (uint32_t)i, &pool->items[ranked[i].place]);
    emit_close(&writer->emit, ']');
    free(ranked);
}

static void write_categories(struct merge_writer *writer)
{
    struct pool *pool = &writer->gather->categories;
    emit_line(&writer->emit);
    emit_open(&writer->emit, "categories", '{');
    for (size_t i = 0; i < pool->used; i++) {
        emit_line(&writer->emit);
        emit_open(&writer->emit, pool->items[i].name, '{');
        merge_write_statistics(&writer->emit, &pool->items[i], writer->flat);
        emit_close(&writer->emit, '}');
    }
    emit_close(&writer->emit, '}');
}

void merge_write(struct gather *gather, FILE *file)
{
    struct merge_writer writer = {
        .emit = {.file = file},
        .gather = gather,
        .flat = memory_new(1, sizeof(struct bins_flat)),
        .ids = memory_new(gather->functions.used, sizeof(uint32_t)),
        .node_ids = memory_new(gather->trails.used, sizeof(uint32_t)),
    };
    emit_open(&writer.emit, NULL, '{');
    emit_count(&writer.emit, "schema", SCHEMA_NUMBER);
    emit_text(&writer.emit, "stint", STINT_VERSION);
    merge_write_head(&writer);
    write_categories(&writer);
    write_functions(&writer);
    merge_write_threads(&writer);
    merge_write_tree(&writer);
    merge_write_extras(&writer);
    emit_close(&writer.emit, '}');
    free(writer.flat);
    free(writer.ids);
    free(writer.node_ids);
}

/* SPDX-License-Identifier: MIT
 *
 * Threads, the call tree, counters, values and frames of a merged report. Runs in `stint`. */
#include "merge/write_parts.h"

#include <stdio.h>
#include <string.h>

static void write_thread_functions(struct merge_writer *writer, const struct gather_thread *thread)
{
    struct emit *emit = &writer->emit;
    emit_open(emit, "functions", '[');
    for (uint32_t i = 0; i < thread->functions_used; i++) {
        struct gather_thread_function *row =
            &writer->gather->thread_functions[thread->functions_from + i];
        row->sum.has_self = true;
        emit_open(emit, NULL, '{');
        emit_count(emit, "id", writer->ids[row->function]);
        merge_write_sum(emit, &row->sum);
        emit_close(emit, '}');
    }
    emit_close(emit, ']');
}

static void write_thread(struct merge_writer *writer, size_t id, const struct gather_thread *thread)
{
    struct emit *emit = &writer->emit;
    emit_line(emit);
    emit_open(emit, NULL, '{');
    emit_count(emit, "id", id);
    emit_count(emit, "process", thread->process);
    emit_count(emit, "tid", thread->tid);
    emit_text(emit, "name", thread->name ? thread->name : "");
    emit_text(emit, "start_routine", thread->start_routine);
    if (thread->parent < writer->gather->threads_used)
        emit_count(emit, "parent", thread->parent);
    else
        emit_null(emit, "parent");
    emit_number(emit, "started_ms", thread->started_ms);
    emit_number(emit, "lifetime_ms", thread->lifetime_ms);
    emit_number(emit, "cpu_ms", thread->cpu_ms);
    emit_text(emit, "state", thread->state ? thread->state : "exited");
    emit_count(emit, "generations", thread->generations);
    emit_open(emit, "open_calls", '[');
    emit_close(emit, ']');
    write_thread_functions(writer, thread);
    emit_open(emit, "categories", '{');
    emit_close(emit, '}');
    emit_close(emit, '}');
}

void merge_write_threads(struct merge_writer *writer)
{
    emit_line(&writer->emit);
    emit_open(&writer->emit, "threads", '[');
    for (size_t i = 0; i < writer->gather->threads_used; i++)
        write_thread(writer, i, &writer->gather->threads[i]);
    emit_close(&writer->emit, ']');
}

static void write_node(struct merge_writer *writer, uint32_t id, struct trail *node)
{
    struct emit *emit = &writer->emit;
    emit_line(emit);
    emit_open(emit, NULL, '{');
    emit_count(emit, "id", id);
    if (node->parent == TRAILS_NONE)
        emit_null(emit, "parent");
    else
        emit_count(emit, "parent", writer->node_ids[node->parent]);
    if (node->kind == TRAIL_FUNCTION) emit_count(emit, "function", writer->ids[node->item]);
    if (node->kind == TRAIL_CATEGORY)
        emit_text(emit, "category", writer->gather->categories.items[node->item].name);
    if (node->is_folded) emit_bool(emit, "folded", true);
    node->sum.has_self = true;
    merge_write_sum(emit, &node->sum);
    emit_close(emit, '}');
}

void merge_write_tree(struct merge_writer *writer)
{
    const struct trails *trails = &writer->gather->trails;
    uint32_t id = 0;
    emit_line(&writer->emit);
    emit_open(&writer->emit, "call_tree", '[');
    for (uint32_t at = trails->first_root; at != TRAILS_NONE; at = trails_next(trails, at)) {
        writer->node_ids[at] = id;
        write_node(writer, id++, &trails->items[at]);
    }
    emit_close(&writer->emit, ']');
}

static void write_counters(struct emit *emit, const struct extras *extras)
{
    if (!extras->counters_used) return;
    emit_line(emit);
    emit_open(emit, "counters", '{');
    for (size_t i = 0; i < extras->counters_used; i++) {
        const struct counter *counter = &extras->counters[i];
        emit_open(emit, counter->name, '{');
        emit_count(emit, "Count", counter->calls);
        emit_integer(emit, "Sum", counter->sum);
        if (counter->is_saturated) emit_bool(emit, "saturated", true);
        emit_close(emit, '}');
    }
    emit_close(emit, '}');
}

static void write_value_histogram(struct emit *emit, const struct value *value)
{
    emit_open(emit, "histogram", '[');
    for (size_t i = 0; i < value->buckets_used; i++) {
        emit_open(emit, NULL, '[');
        emit_number(emit, NULL, value->buckets[i].low);
        emit_number(emit, NULL, value->buckets[i].high);
        emit_count(emit, NULL, value->buckets[i].count);
        emit_close(emit, ']');
    }
    emit_close(emit, ']');
}

static void write_value(struct emit *emit, const struct value *value)
{
    static const char *const keys[QUANTILES] = {"P50", "P90", "P95", "P99", "P99_9"};
    if (value->unit) emit_text(emit, "unit", value->unit);
    emit_count(emit, "Count", value->n);
    emit_number(emit, "Sum", value->sum);
    if (!value->has_spread || !value->n) return;
    emit_number(emit, "Avg", value->sum / (double)value->n);
    emit_number(emit, "Min", value->least);
    emit_number(emit, "Max", value->most);
    if (!value->buckets_used) return;
    for (int i = 0; i < QUANTILES; i++)
        emit_number(emit, keys[i], value_quantile(value, quantile_places[i]));
    emit_text(emit, "percentiles", "histogram");
    write_value_histogram(emit, value);
}

/* A second one of the name, of another unit, has the unit in its name. */
static void open_value(struct emit *emit, const struct value *value)
{
    char name[512];
    snprintf(name, sizeof name, "%s (%s)", value->name, value->unit ? value->unit : "no unit");
    emit_open(emit, value->is_second ? name : value->name, '{');
}

static void write_values(struct emit *emit, const struct extras *extras)
{
    if (!extras->values_used) return;
    emit_line(emit);
    emit_open(emit, "values", '{');
    for (size_t i = 0; i < extras->values_used; i++) {
        open_value(emit, &extras->values[i]);
        write_value(emit, &extras->values[i]);
        emit_close(emit, '}');
    }
    emit_close(emit, '}');
}

/* Frames. */

static void open_blame(struct merge_writer *writer, const struct blame *blame)
{
    struct emit *emit = &writer->emit;
    emit_open(emit, NULL, '{');
    if (blame->is_category)
        emit_text(emit, "category", writer->gather->categories.items[blame->item].name);
    else
        emit_count(emit, "function", writer->ids[blame->item]);
}

static void write_worst(struct merge_writer *writer, const struct worst *worst)
{
    struct emit *emit = &writer->emit;
    emit_open(emit, NULL, '{');
    emit_count(emit, "frame", worst->frame);
    emit_count(emit, "thread", worst->thread);
    emit_number(emit, "start_ms", worst->start_ms);
    emit_number(emit, "duration_ms", worst->duration_ms);
    emit_open(emit, "functions", '[');
    for (uint32_t i = 0; i < worst->blames_used; i++) {
        open_blame(writer, &worst->blames[i]);
        emit_number(emit, "self_ms", worst->blames[i].self_ms);
        emit_number(emit, "typical_ms", worst->blames[i].typical_ms);
        emit_number(emit, "excess_ms", worst->blames[i].excess_ms);
        emit_close(emit, '}');
    }
    emit_close(emit, ']');
    emit_close(emit, '}');
}

static void write_frames(struct merge_writer *writer, struct frames *frames)
{
    struct emit *emit = &writer->emit;
    frames_sort(frames);
    emit_line(emit);
    emit_open(emit, frames->total.name, '{');
    merge_write_statistics(emit, &frames->total, writer->flat);
    emit_number(emit, "budget_ms", frames->budget_ms);
    emit_count(emit, "missed", frames->missed);
    emit_open(emit, "series", '[');
    emit_close(emit, ']');
    emit_open(emit, "worst", '[');
    for (uint32_t i = 0; i < frames->worst_used; i++) write_worst(writer, &frames->worst[i]);
    emit_close(emit, ']');
    emit_open(emit, "blame", '[');
    for (size_t i = 0; i < frames->blames_used && i < EXTRAS_BLAME_ROWS; i++) {
        open_blame(writer, &frames->blames[i]);
        emit_number(emit, "excess_ms", frames->blames[i].excess_ms);
        emit_count(emit, "frames", frames->blames[i].frames);
        emit_close(emit, '}');
    }
    emit_close(emit, ']');
    emit_close(emit, '}');
}

void merge_write_extras(struct merge_writer *writer)
{
    const struct extras *extras = &writer->gather->extras;
    write_counters(&writer->emit, extras);
    write_values(&writer->emit, extras);
    if (!extras->frames_used) return;
    emit_line(&writer->emit);
    emit_open(&writer->emit, "frames", '{');
    for (size_t i = 0; i < extras->frames_used; i++) write_frames(writer, extras->frames[i]);
    emit_close(&writer->emit, '}');
}

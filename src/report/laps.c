/* SPDX-License-Identifier: MIT
 *
 * The kinds of laps, each with its parts in the threads, and their series. Everything in the store
 * is checked again: it may be damaged, or written meanwhile. Runs anywhere. */
#include "report/laps.h"

#include "report/worst.h"
#include "store/lap_layout.h"

#include <errno.h>
#include <string.h>

double laps_ms(const struct laps *laps, double ticks)
{
    return ticks * 1000 / laps->statistics->ticks_per_second;
}

static uint64_t least(uint64_t a, uint64_t b) { return a < b ? a : b; }

/* Finding them. */

static const struct store_lap *lap_at(const struct merged *merged, const store_ref *link)
{
    return view_at(merged->view, __atomic_load_n(link, __ATOMIC_ACQUIRE), sizeof(struct store_lap));
}

static struct laps_kind *kind_of(struct laps *laps, uint32_t function)
{
    for (uint32_t i = 0; i < laps->count; i++) {
        if (laps->kinds[i].function == function) return &laps->kinds[i];
    }
    return NULL;
}

static void add_open(struct part *part, const struct store_lap *record, uint64_t end_ticks)
{
    if (!__atomic_load_n(&record->is_open, __ATOMIC_ACQUIRE)) return;
    uint64_t start = record->start_ticks;
    part->sums.open++;
    part->sums.total_ticks =
        sums_plus(part->sums.total_ticks, end_ticks > start ? end_ticks - start : 0);
}

static int add_part(struct laps *laps, uint32_t thread, const struct store_lap *record)
{
    struct merged *merged = laps->merged;
    uint32_t at = index_find(&merged->part_by_ref, record->function);
    if (at == INDEX_NONE || merged->parts[at].thread != thread) return 0; /* damaged, or new */
    struct part *part = &merged->parts[at];
    if (!merged->functions[part->function].category) return 0;
    add_open(part, record, merged->threads[thread].end_ticks);
    struct lap_part *own = arena_alloc(merged->arena, sizeof *own);
    struct laps_kind *kind = kind_of(laps, part->function);
    if (!own) return -ENOMEM;
    if (!kind) {
        kind = &laps->kinds[laps->count++];
        *kind = (struct laps_kind){.name = merged->functions[part->function].category,
                                   .function = part->function};
    }
    *own = (struct lap_part){.record = record, .part = *part};
    own->count = __atomic_load_n(&record->count, __ATOMIC_ACQUIRE);
    own->part.next = NULL;
    own->part.leads = true;
    if (kind->last) {
        kind->last->next = own;
        kind->last->part.next = &own->part;
    } else {
        kind->parts = own;
    }
    kind->last = own;
    return 0;
}

int laps_init(struct laps *laps, struct merged *merged)
{
    *laps = (struct laps){.merged = merged,
                          .items_left = merged->view->bytes / sizeof(struct store_lap_self)};
    laps->kinds = arena_alloc(merged->arena, merged->function_count * sizeof *laps->kinds + 1);
    if (!laps->kinds) return -ENOMEM;
    for (uint32_t i = 0; i < merged->thread_count; i++) {
        const struct store_lap *record = lap_at(merged, &merged->threads[i].record->laps);
        for (; record && merge_is_new(merged, record); record = lap_at(merged, &record->next)) {
            int error = add_part(laps, i, record);
            if (error) return error;
        }
    }
    return 0;
}

/* The time series. */

static json_t *bucket_json(const struct laps *laps, const struct store_lap_bucket *bucket)
{
    uint64_t begin = view_head(laps->merged->view)->first_ticks, start = bucket->start_ticks;
    double mean = (double)bucket->sum_ticks / (double)bucket->laps;
    if (mean < (double)bucket->min_ticks) mean = (double)bucket->min_ticks; /* seen half changed */
    if (mean > (double)bucket->max_ticks) mean = (double)bucket->max_ticks;
    const double values[] = {start > begin ? (double)(start - begin) : 0, (double)bucket->min_ticks,
                             mean, (double)bucket->max_ticks};
    json_t *array = json_array();
    for (int i = 0; i < 4; i++) {
        (void)json_array_append_new(array, json_real(laps_ms(laps, values[i])));
        if (i == 0) (void)json_array_append_new(array, statistics_count(bucket->laps));
    }
    return array;
}

static void write_thread_series(struct laps *laps, const struct lap_part *own)
{
    const struct view *view = laps->merged->view;
    struct stream *stream = laps->statistics->stream;
    store_ref ref = __atomic_load_n(&own->record->series, __ATOMIC_ACQUIRE);
    const struct store_lap_series *series = view_at(view, ref, sizeof *series);
    if (!series) return;
    uint32_t used = __atomic_load_n(&series->used, __ATOMIC_ACQUIRE);
    if (used > series->capacity || used > STORE_LAP_BUCKETS || used > laps->items_left) return;
    if (!used || !series->laps_per_bucket) return;
    if (!view_at(view, ref, sizeof *series + used * sizeof series->buckets[0])) return;
    laps->items_left -= used;
    stream_open_line(stream, NULL, '{');
    stream_integer(stream, "thread", own->part.thread);
    stream_integer(stream, "frames_per_bucket", series->laps_per_bucket);
    stream_open_line(stream, "buckets", '[');
    /* What came after the laps were counted is the next report's. */
    uint64_t left = own->part.sums.ended;
    for (uint32_t i = 0; i < used; i++) {
        struct store_lap_bucket bucket = series->buckets[i];
        if (!bucket.laps || bucket.min_ticks > bucket.max_ticks) continue;
        if (bucket.laps > left) break;
        left -= bucket.laps;
        stream_value(stream, NULL, bucket_json(laps, &bucket));
    }
    stream_close(stream, ']');
    stream_close(stream, '}');
}

static void write_series(struct laps *laps, const struct laps_kind *kind)
{
    stream_open(laps->statistics->stream, "series", '[');
    for (const struct lap_part *own = kind->parts; own; own = own->next)
        write_thread_series(laps, own);
    stream_close(laps->statistics->stream, ']');
}

bool laps_is_told(const struct laps *laps, uint32_t function)
{
    const struct merged_function *found = &laps->merged->functions[function];
    return merge_was_called(found->parts, false);
}

static void write_kind(struct laps *laps, const struct laps_kind *kind)
{
    struct stream *stream = laps->statistics->stream;
    struct arena_mark mark = arena_mark(laps->merged->scratch);
    uint64_t missed = 0;
    for (const struct lap_part *own = kind->parts; own; own = own->next)
        missed = sums_plus(missed, least(own->record->missed, own->part.sums.ended));
    stream_open_entry(stream, kind->name, '{');
    statistics_write_all(laps->statistics, &kind->parts->part);
    double budget_ns = (double)view_head(laps->merged->view)->lap_budget_ns;
    stream_value(stream, "budget_ms", json_real(budget_ns / 1e6));
    stream_value(stream, "missed", statistics_count(missed));
    struct worst worst = worst_find(laps, kind);
    write_series(laps, kind);
    worst_write(laps, &worst);
    stream_close(stream, '}');
    arena_release(laps->merged->scratch, mark);
}

void laps_write(struct laps *laps, struct statistics *statistics)
{
    laps->statistics = statistics;
    uint32_t told = 0;
    for (uint32_t i = 0; i < laps->count; i++) told += laps_is_told(laps, laps->kinds[i].function);
    if (!told) return;
    stream_open(statistics->stream, "frames", '{');
    for (uint32_t i = 0; i < laps->count; i++) {
        if (laps_is_told(laps, laps->kinds[i].function)) write_kind(laps, &laps->kinds[i]);
    }
    stream_close(statistics->stream, '}');
}

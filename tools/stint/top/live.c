/* SPDX-License-Identifier: MIT
 *
 * The report's own merge, over the mapped file, and of its functions the first by Self. Names are
 * looked up once: symbol tables are large, and a page shows few. Runs in `stint`. */
#include "top/live.h"

#include "base/hash.h"
#include "clock/clock.h"
#include "report/merge.h"
#include "report/process.h"
#include "stats/hist.h"
#include "stats/order.h"
#include "stores/process.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BLOCK_BYTES = STORE_BLOCK_BUCKETS * sizeof(uint64_t) };

struct reading {
    struct live *live;
    struct merged merged;
    double ms_per_tick;
    struct live_past now; /* becomes the past */
};

static void copy_program(struct live *live)
{
    uint32_t bytes = 0;
    const char *path = view_text(&live->view, view_head(&live->view)->executable, &bytes);
    const char *slash = path && bytes ? memrchr(path, '/', bytes) : NULL;
    int length = slash ? (int)(path + bytes - slash - 1) : (int)bytes;
    snprintf(live->program, sizeof live->program, "%.*s", length, slash ? slash + 1 : path);
}

int live_open(struct live *live, const char *path, struct fault *fault)
{
    *live = (struct live){0};
    snprintf(live->path, sizeof live->path, "%s", path);
    int error = view_open(&live->view, path, fault);
    if (error) return error;
    live->pid = view_head(&live->view)->pid;
    live->process_start = view_head(&live->view)->process_start;
    copy_program(live);
    live->name_by_key.arena = &live->names_arena;
    return 0;
}

void live_fini(struct live *live)
{
    view_close(&live->view);
    arena_fini(&live->past.arena);
    arena_fini(&live->names_arena);
    free(live->names);
    free(live->rows);
}

/* The file as it is now, if it is still there and the same. */
static void map_again(struct live *live)
{
    struct view view;
    struct fault fault = {0};
    if (view_open(&view, live->path, &fault)) return;
    if (view_head(&view)->process_start != live->process_start) {
        view_close(&view);
        return;
    }
    view_close(&live->view);
    live->view = view;
}

/* Functions. */

static uint64_t key_of(struct merged *merged, const struct merged_function *function)
{
    char build_id[65];
    if (function->category) return hash_bytes(function->category, strlen(function->category));
    const char *module = names_module_path(&merged->names, function->place.module, build_id);
    uint64_t hash = module ? hash_bytes(module, strlen(module)) : 0;
    return hash_u64(hash ^ hash_u64(function->place.offset + 1));
}

static bool is_shown(const struct merged_function *function)
{
    if (function->category && function->kind != STORE_KIND_SCOPE) return false;
    return merge_was_called(function->parts, false);
}

static uint64_t calls_of(const struct merged_function *function)
{
    uint64_t calls = 0;
    for (const struct part *part = function->parts; part; part = part->next)
        calls += part->sums.ended + part->sums.open - part->sums.inherited;
    return calls;
}

static double ms_of(const struct reading *reading, const struct part *part, double value)
{
    return part->is_ns ? value / 1e6 : value * reading->ms_per_tick;
}

/* The fine buckets of all threads, as the report adds them; NaN where there are none. */
static double p99_of(const struct reading *reading, const struct merged_function *function)
{
    static uint64_t counts[STORE_BUCKETS];
    static double middles[STORE_BUCKETS];
    uint64_t n = 0;
    memset(counts, 0, sizeof counts);
    for (uint32_t i = 0; i < STORE_BUCKETS; i++) middles[i] = hist_representative(i);
    for (const struct part *part = function->parts; part; part = part->next) {
        for (uint32_t block = 0; block < STORE_BLOCKS; block++) {
            store_ref ref = __atomic_load_n(&part->record->blocks[block], __ATOMIC_ACQUIRE);
            const uint64_t *from = view_at(&reading->live->view, ref, BLOCK_BYTES);
            if (!from || part->is_ns != function->parts->is_ns) continue;
            for (uint32_t i = 0; i < STORE_BLOCK_BUCKETS; i++) {
                uint64_t count = from[i];
                counts[block * STORE_BLOCK_BUCKETS + i] += count;
                n += count;
            }
        }
    }
    if (!n) return NAN;
    double value = hist_quantile(counts, middles, STORE_BUCKETS, n, 0.99);
    return ms_of(reading, function->parts, value);
}

static const char *name_of(struct reading *reading, const struct merged_function *function)
{
    struct live *live = reading->live;
    uint64_t key = key_of(&reading->merged, function);
    uint32_t at = index_find(&live->name_by_key, key);
    if (at != INDEX_NONE) return live->names[at];
    const char *name = function->category
                           ? function->category
                           : names_of(&reading->merged.names, function->place, false).name;
    const char **names = realloc(live->names, (live->name_count + 1) * sizeof *names);
    const char *copy = arena_copy(&live->names_arena, name, strlen(name));
    if (!names || !copy) return "?";
    live->names = names;
    names[live->name_count] = copy;
    (void)index_put(&live->name_by_key, key, live->name_count++); /* else looked up again */
    return copy;
}

static double rate_of(const struct reading *reading, uint64_t now, uint64_t before)
{
    double ms = reading->now.at_ms - reading->live->past.at_ms;
    return ms > 0 && now > before ? (double)(now - before) * 1000 / ms : 0;
}

static uint64_t calls_before(const struct reading *reading, uint64_t key)
{
    const struct live_past *past = &reading->live->past;
    uint32_t at = index_find(&past->by_key, key);
    return at == INDEX_NONE ? 0 : past->calls[at];
}

static void fill_row(struct reading *reading, const struct merged_function *function,
                     struct live_row *row)
{
    double ended_ms = 0;
    uint64_t ended = 0;
    *row = (struct live_row){.calls = calls_of(function), .avg_ms = NAN};
    row->name = name_of(reading, function);
    uint64_t before = calls_before(reading, key_of(&reading->merged, function));
    row->calls_per_second = rate_of(reading, row->calls, before);
    row->self_ms = (double)function->self_ticks * reading->ms_per_tick;
    for (const struct part *part = function->parts; part; part = part->next) {
        row->total_ms += ms_of(reading, part, (double)part->sums.total_ticks);
        bool is_whole = part->sums.ended_ticks != UINT64_MAX; /* else its sum saturated */
        ended_ms += is_whole ? ms_of(reading, part, (double)part->sums.ended_ticks) : (double)NAN;
        ended += part->sums.ended;
    }
    if (ended) row->avg_ms = ended_ms / (double)ended;
    row->p99_ms = p99_of(reading, function);
}

/* Rows for the first of the shown functions, and the counts of all of them for next time. */
static int fill_rows(struct reading *reading, size_t most)
{
    struct live *live = reading->live;
    const struct merged *merged = &reading->merged;
    struct order_item *items =
        arena_alloc(merged->arena, merged->function_count * sizeof *items + 1);
    live->rows = realloc(live->rows, (most + 1) * sizeof *live->rows);
    if (!items || !live->rows) return -ENOMEM;
    uint32_t n = 0;
    live->self_ms = 0;
    for (uint32_t i = 0; i < merged->function_count; i++) {
        if (!is_shown(&merged->functions[i])) continue;
        items[n++] = (struct order_item){merged->functions[i].self_ticks, i};
        live->self_ms += (double)merged->functions[i].self_ticks * reading->ms_per_tick;
    }
    order_descending(items, n);
    live->functions = n;
    live->row_count = n < most ? n : most;
    for (size_t i = 0; i < live->row_count; i++)
        fill_row(reading, &merged->functions[items[i].item], &live->rows[i]);
    return 0;
}

static int keep_counts(struct reading *reading)
{
    struct live_past *now = &reading->now;
    struct merged *merged = &reading->merged;
    now->by_key.arena = &now->arena;
    now->calls = arena_alloc(&now->arena, merged->function_count * sizeof *now->calls + 1);
    if (!now->calls) return -ENOMEM;
    for (uint32_t i = 0; i < merged->function_count; i++) {
        uint64_t key = key_of(merged, &merged->functions[i]);
        now->calls[i] = calls_of(&merged->functions[i]);
        if (index_find(&now->by_key, key) == INDEX_NONE && index_put(&now->by_key, key, i))
            return -ENOMEM;
    }
    return 0;
}

static void fill_totals(struct reading *reading)
{
    struct live *live = reading->live;
    live->elapsed_ms = reading->now.at_ms;
    live->calls = reading->now.all_calls = reading->merged.calls;
    live->calls_per_second = rate_of(reading, live->calls, live->past.all_calls);
    live->threads = reading->merged.thread_count;
    live->running = 0;
    for (uint32_t i = 0; i < live->threads; i++)
        live->running += reading->merged.threads[i].record->state == STORE_THREAD_RUNNING;
}

static int read_all(struct reading *reading, size_t most, struct arena *arena,
                    struct arena *scratch)
{
    struct live *live = reading->live;
    const struct store_head *head = view_head(&live->view);
    uint64_t end = head->ending.kind ? head->ending.ticks : 0;
    uint64_t now = end ? end : clock_now((enum clock_source)head->clock_source);
    struct merge_options options = {.view = &live->view, .now_ticks = now};
    (void)arena_alloc(scratch, 1); /* so that its first block outlives each use of it */
    reading->ms_per_tick = 1000 / process_clock_rate(head).ticks_per_second;
    if (now > head->first_ticks)
        reading->now.at_ms = (double)(now - head->first_ticks) * reading->ms_per_tick;
    int error = merge_store(&reading->merged, &options, arena, scratch);
    if (!error) fill_totals(reading);
    if (!error) error = fill_rows(reading, most);
    if (!error) error = keep_counts(reading);
    names_fini(&reading->merged.names);
    return error;
}

int live_read(struct live *live, size_t most, struct fault *fault)
{
    struct arena arena = ARENA_INIT, scratch = ARENA_INIT;
    struct reading reading = {.live = live};
    map_again(live);
    int error = read_all(&reading, most, &arena, &scratch);
    arena_fini(&arena);
    arena_fini(&scratch);
    if (error) {
        arena_fini(&reading.now.arena);
        return fault_set(fault, error, "no memory to read it");
    }
    arena_fini(&live->past.arena);
    live->past = reading.now;
    live->past.by_key.arena = &live->past.arena;
    return 0;
}

static bool is_there(const struct live *live)
{
    struct stat status;
    return lstat(live->path, &status) == 0;
}

enum live_state live_state(const struct live *live, char text[256])
{
    const struct store_ending *ending = &view_head(&live->view)->ending;
    uint32_t kind = __atomic_load_n(&ending->kind, __ATOMIC_ACQUIRE);
    bool is_alive = process_is_alive(live->pid, live->process_start), was_there = is_there(live);
    if (is_alive && was_there) return LIVE_RUNS;
    if (kind == STORE_ENDING_EXIT)
        snprintf(text, 256, "has ended with status %d", ending->status);
    else if (kind == STORE_ENDING_SIGNAL)
        snprintf(text, 256, "was ended by signal %d (%s)", ending->signal,
                 sigdescr_np(ending->signal) ? sigdescr_np(ending->signal) : "unknown");
    else if (kind == STORE_ENDING_EXEC)
        snprintf(text, 256, "has become another program");
    else if (is_alive)
        snprintf(text, 256, "goes on, but its store was removed");
    else
        snprintf(text, 256, "was killed%s", was_there ? "; `stint recover` makes its report" : "");
    if (kind) return LIVE_ENDED;
    return is_alive ? LIVE_LOST : LIVE_KILLED;
}

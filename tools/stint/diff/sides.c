/* SPDX-License-Identifier: MIT
 *
 * Entries → rows by key → halves by side. Runs in `stint`. */
#include "diff/sides.h"

#include "base/hash.h"
#include "verb/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const column_keys[COLUMNS] = {"Count",  "Total_ms", "Self_ms", "Avg_ms",
                                          "Min_ms", "Max_ms",   "P50_ms",  "P90_ms",
                                          "P95_ms", "P99_ms",   "P99_9_ms"};

void sides_init(struct sides *sides)
{
    *sides = (struct sides){.strings = ARENA_INIT};
    sides->index.arena = &sides->strings;
}

void sides_fini(struct sides *sides)
{
    for (size_t i = 0; i < sides->used; i++) {
        for (int side = 0; side < SIDES; side++) {
            free(sides->rows[i].halves[side].runs);
            bins_fini(&sides->rows[i].halves[side].bins);
            bins_fini(&sides->rows[i].halves[side].newest);
        }
    }
    free(sides->rows);
    arena_fini(&sides->strings);
}

static const char *identity(const struct row *row)
{
    return row->raw_name ? row->raw_name : row->name;
}

static const char *keep(struct sides *sides, struct span text)
{
    if (!text.data) return NULL;
    const char *copy = arena_copy(&sides->strings, text.data, text.length);
    return copy ? copy : memory_text(text.data, text.length);
}

/* A function without a symbol is named module+0xoffset: nothing of it is the same in another
 * build, but it is all there is. */
static struct row *find_row(struct sides *sides, const struct intake_entry *entry, bool is_category)
{
    struct span name = entry->raw_name.data ? entry->raw_name : entry->name;
    struct span module = span_file_name(entry->module);
    uint64_t key = hash_u64(hash_bytes(name.data, name.length) + (is_category ? 1 : 0));
    key = hash_u64(key ^ hash_bytes(module.data ? module.data : "", module.length));
    uint32_t place = index_find(&sides->index, key);
    while (place != INDEX_NONE) {
        const struct row *row = &sides->rows[place];
        if (row->is_category == is_category && span_is_text(identity(row), name) &&
            span_is_text(row->module, module))
            return &sides->rows[place];
        key = hash_u64(key + 1);
        place = index_find(&sides->index, key);
    }
    sides->rows = memory_grow(sides->rows, sides->used, &sides->room, sizeof *sides->rows);
    struct row *row = &sides->rows[sides->used];
    *row = (struct row){.name = keep(sides, entry->name),
                        .raw_name = keep(sides, entry->raw_name),
                        .module = keep(sides, module),
                        .is_category = is_category};
    (void)index_put(&sides->index, key, (uint32_t)sides->used++);
    return row;
}

static struct run_values *values_of(struct half *half, uint32_t run)
{
    if (half->runs_used && half->runs[half->runs_used - 1].run == run)
        return &half->runs[half->runs_used - 1];
    half->runs = memory_grow(half->runs, half->runs_used, &half->runs_room, sizeof *half->runs);
    struct run_values *values = &half->runs[half->runs_used++];
    *values = (struct run_values){.run = run};
    for (int i = COLUMN_AVG; i < COLUMNS; i++) values->columns[i] = NAN;
    half->ended = half->ended_ms = 0;
    return values;
}

static void add_spread(struct half *half, struct run_values *values, const struct figures *figures)
{
    double *columns = values->columns, ended = (double)figures_ended(figures);
    half->ended += ended;
    half->ended_ms += figures->has_average ? figures->avg_ms * ended : (double)NAN;
    columns[COLUMN_AVG] = half->ended_ms / half->ended;
    columns[COLUMN_MIN] = fmin(columns[COLUMN_MIN], figures->min_ms); /* NAN gives way */
    columns[COLUMN_MAX] = fmax(columns[COLUMN_MAX], figures->max_ms);
    for (int i = 0; i < QUANTILES && figures->has_quantiles; i++)
        columns[COLUMN_QUANTILES + i] = figures->quantiles_ms[i];
}

static void add(struct sides *sides, const struct intake_entry *entry, bool is_category)
{
    const struct figures *figures = &entry->figures;
    struct row *row = find_row(sides, entry, is_category);
    struct half *half = &row->halves[sides->reading];
    struct run_values *values = values_of(half, sides->runs[sides->reading]);
    values->pieces++;
    row->has_self |= figures->has_self;
    values->columns[COLUMN_CALLS] += (double)figures->calls;
    values->columns[COLUMN_TOTAL] += figures->total_ms;
    values->columns[COLUMN_SELF] += figures->self_ms;
    if (figures->has_spread && figures_ended(figures)) add_spread(half, values, figures);
    for (uint32_t i = 0; i < figures->buckets_used; i++)
        bins_add(&half->newest, figures->buckets[i].bucket, figures->buckets[i].count);
}

static void take_function(void *context, const struct intake_entry *entry)
{
    add(context, entry, false);
}

static void take_category(void *context, const struct intake_entry *entry)
{
    add(context, entry, true);
}

const struct intake_takers sides_takers = {.function = take_function, .category = take_category};

/* The quantiles of functions of one name in one report come from their common histogram. */
static void settle(struct half *half, uint32_t run, struct bins_flat *flat)
{
    if (half->newest.n == 0) return;
    struct run_values *values = &half->runs[half->runs_used - 1];
    if (values->run == run && values->pieces > 1) {
        bins_flatten(&half->newest, flat);
        for (int i = 0; i < QUANTILES; i++) {
            double ms = bins_quantile_ms(flat, half->newest.n, quantile_places[i]);
            ms = fmax(ms, values->columns[COLUMN_MIN]);
            values->columns[COLUMN_QUANTILES + i] = fmin(ms, values->columns[COLUMN_MAX]);
        }
    }
    bins_add_all(&half->bins, &half->newest);
    bins_fini(&half->newest);
}

bool sides_read(struct sides *sides, struct intake *intake, int side, const char *path)
{
    sides->reading = side;
    if (!intake_file(intake, path)) return false;
    struct bins_flat *flat = memory_new(1, sizeof *flat);
    for (size_t i = 0; i < sides->used; i++)
        settle(&sides->rows[i].halves[side], sides->runs[side], flat);
    free(flat);
    sides->runs[side]++;
    return true;
}

/* Rows of one name of which each side lacks one. */
struct lonely {
    uint32_t rows[SIDES];
    uint32_t counts[SIDES];
};

static void join(struct row *row, struct row *other)
{
    row->halves[SIDE_NEW] = other->halves[SIDE_NEW];
    row->has_self |= other->has_self;
    row->module = other->module;
    other->halves[SIDE_NEW] = (struct half){.runs = NULL};
    other->is_gone = true;
}

void sides_match(struct sides *sides)
{
    struct index names = {.arena = &sides->strings};
    struct lonely *lonely = memory_new(sides->used, sizeof *lonely);
    uint32_t used = 0;
    for (uint32_t i = 0; i < sides->used; i++) {
        const struct row *row = &sides->rows[i];
        bool has_old = row->halves[SIDE_OLD].runs_used, has_new = row->halves[SIDE_NEW].runs_used;
        if (row->is_category || (has_old && has_new)) continue;
        uint64_t key = hash_u64(hash_bytes(identity(row), strlen(identity(row))));
        uint32_t place = index_find(&names, key);
        if (place == INDEX_NONE && index_put(&names, key, used) == 0) place = used++;
        if (place == INDEX_NONE) continue;
        lonely[place].rows[has_new] = i;
        lonely[place].counts[has_new]++;
    }
    for (uint32_t i = 0; i < used; i++) {
        struct row *old = &sides->rows[lonely[i].rows[SIDE_OLD]];
        struct row *new = &sides->rows[lonely[i].rows[SIDE_NEW]];
        bool is_pair = lonely[i].counts[SIDE_OLD] == 1 && lonely[i].counts[SIDE_NEW] == 1;
        if (is_pair && strcmp(identity(old), identity(new)) == 0) join(old, new);
    }
    free(lonely);
}

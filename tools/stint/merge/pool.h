/* SPDX-License-Identifier: MIT
 *
 * Functions or categories of many reports, each with its sums. Two of one name, module and build
 * are the same; the module counts by its file name where a build id tells them apart, since hosts
 * have it in other places. */
#pragma once

#include "base/arena.h"
#include "base/index.h"
#include "intake/intake.h"

/* What adds up; of functions, categories, frames and tree nodes. */
struct sum {
    uint64_t calls, open, ended;
    bool is_saturated, has_self, has_spread;
    double total_ms, self_ms;
    double ended_ms; /* of the ended ones, Avg × n; NaN where a part does not know its own */
    double min_ms, max_ms;
};
void sum_add(struct sum *sum, const struct figures *figures);

/* A process's share, for the columns over processes. */
struct share {
    double total_ms, self_ms, calls;
};
enum { SHARE_COLUMNS = 3 };

struct pooled {
    const char *name, *raw_name, *module, *build_id, *offset; /* NULL = not told */
    struct sum sum;
    struct bins bins;
    uint32_t sources; /* reports that it came from */
    bool is_exact, has_quantiles;
    double quantiles_ms[QUANTILES]; /* of the only source */
    uint64_t processes;
    struct intake_range ranges[SHARE_COLUMNS]; /* total, self, calls: over merged reports */
    bool has_ranges;
    struct share *shares; /* of each process, but those inside merged reports */
    size_t shares_used, shares_room;
    uint32_t last_report; /* that added to it; from 1 */
};

struct pool {
    struct arena *strings;
    struct index index;
    struct pooled *items;
    size_t used, room;
    uint64_t *shares_left; /* how many more shares may be kept, of all pools */
};

void pool_init(struct pool *pool, struct arena *strings, uint64_t *shares_left);
void pool_fini(struct pool *pool);

/* The place of the one with the entry's names; made where it is new. */
uint32_t pool_place(struct pool *pool, const struct intake_entry *entry);
/* Adds what report number `report` (from 1) says of it. Gives its place. */
uint32_t pool_add(struct pool *pool, const struct intake_entry *entry, uint32_t report);
void pooled_add(struct pooled *pooled, const struct intake_entry *entry, uint32_t report,
                uint64_t *shares_left);

/* Least, middle and most over the processes; the middle NAN where it is not known. */
struct column {
    double least, middle, most;
};
void pooled_columns(struct pooled *pooled, struct column columns[SHARE_COLUMNS]);

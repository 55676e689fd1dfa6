/* SPDX-License-Identifier: MIT
 *
 * The statistics of one function, category, frame or tree node as a report tells them, member by
 * member. */
#pragma once

#include "intake/bins.h"
#include "intake/pull.h"

struct figures_bucket {
    uint32_t bucket; /* of the report's grid */
    uint64_t count;
};

/* Where a report tells nothing the members are 0 and the has_… false. */
struct figures {
    uint64_t calls, open;
    bool is_saturated, has_self, has_spread, has_average, has_quantiles, is_exact;
    double total_ms, self_ms;
    double avg_ms;         /* has_average: not of a sum that saturated */
    double min_ms, max_ms; /* has_spread */
    double quantiles_ms[QUANTILES];
    uint32_t buckets_used;
    struct figures_bucket
        *buckets; /* room for HIST_NS_BUCKETS, the caller's, or NULL: none wanted */
};

/* Empties them, but keeps the buckets' memory. */
void figures_clear(struct figures *figures);

/* Takes the member where it is one of the statistics. *is_known tells. False after a fault. */
bool figures_member(struct pull *pull, struct span key, struct figures *figures, bool *is_known);

/* How many activations have ended: what the spread is over. */
uint64_t figures_ended(const struct figures *figures);

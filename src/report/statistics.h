/* SPDX-License-Identifier: MIT
 *
 * The statistics of a function, category or tree node: from sums, buckets and samples to the keys
 * that the report's page names. */
#pragma once

#include "report/merge.h"
#include "json/stream.h"

struct statistics {
    struct stream *stream;
    const struct view *view;
    struct arena *scratch;
    double ticks_per_second;
    uint64_t *counts; /* STORE_BUCKETS, all zero between uses */
    /* the non-empty buckets of what is being written, ascending: nanoseconds, or values */
    uint64_t *full_counts;
    double *full_ns;
    uint32_t full;
};

/* ticks_per_second > 0. The tables lie in `arena`; scratch is used and given back. 0 or −ENOMEM.
 * Context: any thread, signal-safe (so are all of this file). */
int statistics_init(struct statistics *statistics, struct arena *arena, struct arena *scratch,
                    double ticks_per_second);

/* Writes the members into the open object. Parts: from `first` on, all, or those of its thread. */
void statistics_write_all(struct statistics *statistics, const struct part *first);
void statistics_write_thread(struct statistics *statistics, const struct part *first);

/* The members of a tree node: those of `object`, then its sums; no percentiles, no histogram. */
void statistics_write_node(struct statistics *statistics, json_t *object, const struct sums *sums);

/* The samples that a part holds: where they are, and how many. *are_all becomes false where some of
 * what it counts have none. */
uint64_t statistics_samples(const struct statistics *statistics, const struct part *part,
                            const uint64_t **values, bool *are_all);

/* Makes the non-empty buckets add up to `ended`: a thread that runs on has counted more by the time
 * its buckets are read than when its sums were, and a cut store may have lost buckets. The shape
 * stays. */
void statistics_fit(struct statistics *statistics, uint64_t ended);

/* A count as a JSON integer: at most 2^63 − 1. */
json_t *statistics_count(uint64_t count);

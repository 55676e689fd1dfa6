/* SPDX-License-Identifier: MIT
 *
 * What is kept of the laps of a kind that have ended: their durations in the order of time, the
 * longest with what each function took of them, and what each took of all (store/lap_layout.h). */
#pragma once

#include "record/selves.h"

#include <stdbool.h>

/* Zeroed but for the record, it is ready. */
struct laplog {
    struct store_lap *record;
    store_ref spare_series; /* the array that the series was in before */
    uint32_t shortest;      /* of the longest ones, all of whose places are taken */
    bool knows_shortest;
};

/* Adds a lap to the series; left out without memory. Context: owner thread, while busy (so are all
 * of this file). */
void laplog_add(struct control *block, struct laplog *log, uint64_t start, uint64_t ticks);

/* Adds what the functions took between the lap's ends to the sums, and to its place where it is
 * among the longest. Its number is the record's count: it must not be counted yet. */
void laplog_add_selves(struct control *block, struct laplog *log,
                       const struct selves_change *change, uint64_t start, uint64_t ticks);

/* Adds counts, sums and the longest to those of `twin` in another recorder, and empties all; the
 * series is dropped. Context: record/lap.c. */
void laplog_fold(struct control *into, struct laplog *twin, const struct control *from,
                 struct laplog *log);

/* SPDX-License-Identifier: MIT
 *
 * The report's `frames` (laps, in here): how long they took, which of them took longest, and which
 * functions made those so long. */
#pragma once

#include "report/statistics.h"
#include "store/lap_layout.h"

/* A kind in one thread. */
struct lap_part {
    const struct store_lap *record;
    struct lap_part *next;
    struct part part; /* of the durations, linked to those of the other threads */
    uint64_t count;
};

/* A kind of lap, over all threads. */
struct laps_kind {
    const char *name;
    uint32_t function;
    struct lap_part *parts, *last;
};

struct laps {
    struct merged *merged;
    struct statistics *statistics;
    struct laps_kind *kinds;
    uint32_t count;
    /* what a store can hold at most, counted down: damaged records may share their arrays */
    uint64_t items_left;
};

/* Finds the kinds, in merged's arena, and adds the open laps to their categories' sums; so it comes
 * after merge_store and before anything is written. 0 or −ENOMEM. Context: any thread, signal-safe
 * (so are all of this file). */
int laps_init(struct laps *laps, struct merged *merged);

/* The member `frames` of the open object, where there are any. */
void laps_write(struct laps *laps, struct statistics *statistics);

/* For worst.c: ticks as milliseconds, and whether the report has that function. */
double laps_ms(const struct laps *laps, double ticks);
bool laps_is_told(const struct laps *laps, uint32_t function);

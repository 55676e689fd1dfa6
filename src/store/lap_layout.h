/* SPDX-License-Identifier: MIT
 *
 * The part of the store that holds laps (store/layout.h says how refs are read and published). A
 * lap is what the user calls a frame: a span of one thread's time, again and again, whose longest
 * are explained by what each function took of it. */
#pragma once

#include "store/layout.h"

/* One kind of lap in a recorder; the durations are the samples of `function`. */
struct store_lap {
    store_ref next;       /* release */
    store_ref function;   /* its name and durations: a record with STORE_FUNCTION_LAP */
    uint64_t count;       /* that have ended; release, after all that follows */
    uint64_t missed;      /* of them, longer than the budget */
    uint64_t total_ticks; /* sum of all durations */
    uint64_t start_ticks; /* of the one that is open */
    uint32_t is_open;     /* release */
    store_ref sums;       /* struct store_lap_sums; release */
    store_ref series;     /* struct store_lap_series; release */
    store_ref worst;      /* struct store_lap_worst[worst_capacity]; release */
    uint32_t worst_capacity, worst_used; /* used: release */
};

/* What each function took of all laps that have ended, without its callees. */
struct store_lap_sums {
    uint32_t capacity, reserved;
    uint64_t ticks[]; /* by the number of the function */
};

/* The durations in the order of time; each bucket holds that many laps, the last one perhaps fewer.
 */
struct store_lap_bucket {
    uint64_t start_ticks; /* of the first of them */
    uint64_t laps, sum_ticks, min_ticks, max_ticks;
};
enum { STORE_LAP_BUCKETS = 4096 }; /* at most; when they are full, neighbours become one */
struct store_lap_series {
    uint32_t laps_per_bucket, capacity;
    uint32_t used, reserved; /* release */
    struct store_lap_bucket buckets[];
};

/* One of the longest. Its place is used again for a longer one: `changes` is odd meanwhile, and
 * another afterwards. */
enum {
    STORE_LAP_SELVES = 1024, /* at most; the smallest are left out */
    STORE_LAP_WORST = 1024,  /* of a kind at most, as STINT_WORST_FRAMES allows */
};
struct store_lap_worst {
    uint32_t changes;
    store_ref selves; /* struct store_lap_self[capacity] */
    uint32_t capacity, used;
    uint64_t number; /* of the lap, from 0 */
    uint64_t start_ticks, ticks;
};
struct store_lap_self {
    store_ref function;
    uint32_t reserved;
    uint64_t ticks; /* without callees */
};

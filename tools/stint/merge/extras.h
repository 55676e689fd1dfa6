/* SPDX-License-Identifier: MIT
 *
 * Counters, values and frames of many reports. */
#pragma once

#include "merge/names.h"
#include "merge/pool.h"

enum { EXTRAS_WORST = 32, EXTRAS_BLAMED = 16, EXTRAS_BLAME_ROWS = 64 };

struct counter {
    const char *name;
    uint64_t calls;
    int64_t sum; /* saturates */
    bool is_saturated;
};

struct value_bucket {
    double low, high;
    uint64_t count;
};

struct value {
    const char *name, *unit; /* unit NULL = none */
    bool is_second;          /* another one, of another unit, had this name before */
    uint64_t n;
    double sum, least, most; /* sum NAN = beyond a double */
    bool has_spread;
    struct value_bucket *buckets; /* ascending */
    size_t buckets_used, buckets_room;
};

/* A function or category that made frames long; `item` is a place in its pool. */
struct blame {
    bool is_category;
    uint32_t item;
    double self_ms, typical_ms, excess_ms;
    uint64_t frames;
};

struct worst {
    uint64_t frame;
    uint32_t thread; /* in the merged list */
    double start_ms, duration_ms;
    struct blame blames[EXTRAS_BLAMED];
    uint32_t blames_used;
};

struct frames {
    struct pooled total;
    double budget_ms; /* the largest */
    bool has_budget;
    uint64_t missed;
    struct worst worst[EXTRAS_WORST]; /* longest first */
    uint32_t worst_used;
    struct blame *blames;
    size_t blames_used, blames_room;
    struct index blames_by_item;
};

/* extras_init to extras_fini. */
struct extras {
    struct arena *strings;
    struct names counter_names, value_names, value_titles, frame_names; /* titles: without units */
    struct counter *counters;
    size_t counters_used, counters_room;
    struct value *values;
    size_t values_used, values_room;
    struct frames **frames;
    size_t frames_used, frames_room;
};

void extras_init(struct extras *extras, struct arena *strings);
void extras_fini(struct extras *extras);

void extras_add_counter(struct extras *extras, struct span name,
                        const struct intake_counter *counter);

/* The value's place; values of one name and different units are two. */
size_t extras_add_value(struct extras *extras, struct span name, const struct intake_value *value);
void value_add_bucket(struct value *value, double low, double high, uint64_t count);
/* The quantile over the buckets' middles, within least and most. */
double value_quantile(const struct value *value, double q);

/* The frames of this name, made where new. */
struct frames *extras_frames(struct extras *extras, struct span name);
void frames_add(struct frames *frames, const struct intake_frames *more);
/* Keeps it where it is among the longest: then where its blames belong, else NULL. */
struct worst *frames_add_worst(struct frames *frames, const struct worst *worst);
void frames_add_blame(struct frames *frames, const struct blame *blame);
/* Largest excess first. */
void frames_sort(struct frames *frames);

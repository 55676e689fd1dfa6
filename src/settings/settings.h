/* SPDX-License-Identifier: MIT
 *
 * The STINT_* variables: one table (settings.c) from which the process reads its values, `stint
 * run` makes its options, `stint settings` prints and the man page is checked. Read once, before
 * anything else, and copied: programs overwrite argv and environ. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct settings {
    char out[4096];             /* STINT_OUT as given, placeholders still in it */
    char store[4096];           /* STINT_STORE: "auto", "none" or a directory */
    bool follow;                /* STINT_FOLLOW */
    uint32_t clock;             /* STINT_CLOCK: enum clock_wish */
    bool disable;               /* STINT_DISABLE */
    uint32_t max_samples;       /* STINT_MAX_SAMPLES */
    uint32_t function_samples;  /* STINT_FUNCTION_SAMPLES */
    uint64_t sample_bytes;      /* STINT_SAMPLE_BYTES */
    uint32_t max_nodes;         /* STINT_MAX_NODES, a thread */
    uint32_t max_depth;         /* STINT_MAX_DEPTH, a thread */
    uint32_t max_threads;       /* STINT_MAX_THREADS */
    bool thread_trees;          /* STINT_THREAD_TREES */
    uint64_t report_timeout_ns; /* STINT_REPORT_TIMEOUT */
    char frame_function[4096];  /* STINT_FRAME_FUNCTION: names and globs, comma-separated */
    uint64_t frame_budget_ns;   /* STINT_FRAME_BUDGET_MS */
    uint32_t worst_frames;      /* STINT_WORST_FRAMES, a kind of frame and thread */
    uint32_t snapshot_signal;   /* STINT_SNAPSHOT_SIGNAL, its number; 0 = none */
    uint64_t snapshot_every_ns; /* STINT_SNAPSHOT_EVERY; 0 = never */
};

enum settings_kind {
    SETTINGS_TEXT,
    SETTINGS_BOOL,
    SETTINGS_COUNT,
    SETTINGS_BYTES,
    SETTINGS_DURATION,
    SETTINGS_CHOICE,
    SETTINGS_MS, /* a duration, in milliseconds where it has no suffix */
    SETTINGS_SIGNAL,
};

/* One row: what a user may set. */
struct settings_row {
    const char *name; /* "STINT_OUT" */
    enum settings_kind kind;
    const char *choices;       /* "auto|tsc|monotonic", for SETTINGS_CHOICE */
    const char *default_value; /* as a user would write it */
    uint64_t least, most;      /* bounds of COUNT, BYTES, DURATION (ns) */
    size_t offset, size;       /* of its field in struct settings */
    const char *meaning;       /* one sentence, with the unit */
};

/* The table, and its length. Context: any thread, signal-safe. */
const struct settings_row *settings_rows(size_t *count);

/* Fills in the defaults, then what the environment says. `env` is an environ-like array. For each
 * bad value calls bad(row, value) and keeps the default. Unknown STINT_ variables are ignored
 * except that bad(NULL, "NAME") is called for them. Context: start-up. */
void settings_read(struct settings *settings, char *const *env,
                   void (*bad)(const struct settings_row *row, const char *value));

/* True where settings_read would take this value for the row. Context: any thread, with 8 KiB of
 * stack to spare. */
bool settings_accept(const struct settings_row *row, const char *value);

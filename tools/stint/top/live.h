/* SPDX-License-Identifier: MIT
 *
 * A running process as its store shows it now: read again and again, never written, the process
 * never asked. What is read may be of moments a little apart. */
#pragma once

#include "base/arena.h"
#include "base/fault.h"
#include "base/index.h"
#include "store/view.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A function or scope. Times that do not exist are NaN. */
struct live_row {
    const char *name; /* valid until live_fini */
    uint64_t calls;
    double calls_per_second; /* since the last reading; the first time, since the start */
    double self_ms, total_ms, avg_ms, p99_ms;
};

/* Counts of the last reading, by function. */
struct live_past {
    struct arena arena;
    struct index by_key;
    uint64_t *calls;
    uint64_t all_calls;
    double at_ms; /* since the start; 0 = nothing read yet */
};

struct live {
    char path[4096];
    struct view view;
    struct live_past past;
    struct arena names_arena;
    struct index name_by_key;
    const char **names;
    uint32_t name_count;
    /* what was read */
    char program[256];
    uint32_t pid;
    uint64_t process_start;
    double elapsed_ms, self_ms; /* self_ms: of all functions and threads together */
    uint64_t calls, functions;
    double calls_per_second;
    uint32_t threads, running;
    struct live_row *rows; /* the first by Self, largest first */
    size_t row_count;
};

/* Opens the store. 0 or −errno with the fault filled; live_fini is then not needed. */
int live_open(struct live *live, const char *path, struct fault *fault);

/* Reads all, for at most `most` rows. A store that has grown is mapped anew; one that is not there
 * any more is read as far as it was mapped. 0 or −errno with the fault filled. */
int live_read(struct live *live, size_t most, struct fault *fault);
void live_fini(struct live *live);

/* How it stands with the process: 0 = it goes on; else `text` says what became of it. */
enum live_state { LIVE_RUNS, LIVE_ENDED, LIVE_KILLED, LIVE_LOST };
enum live_state live_state(const struct live *live, char text[256]);

/* SPDX-License-Identifier: MIT
 *
 * What the reports put in so far add up to. */
#pragma once

#include "merge/extras.h"
#include "merge/trails.h"

enum {
    GATHER_SHARES = 1000000,         /* per-process values: 24 bytes each */
    GATHER_THREADS = 50000,          /* threads with a row of their own */
    GATHER_THREAD_FUNCTIONS = 100000 /* rows of functions below threads */
};

struct gather_process {
    uint64_t pid, parent_pid;
    const char *run, *executable, *host, *started_at;
    double duration_ms, cpu_ms;
    bool has_cpu;
    const char *ending, *signal, *code, *address;
    int64_t status;
    bool has_status;
};

struct gather_thread {
    uint64_t tid;
    uint32_t process, parent, generations; /* parent in this list, or TRAILS_NONE */
    const char *name, *start_routine, *state;
    double started_ms, lifetime_ms, cpu_ms;
    uint32_t functions_from, functions_used;
};

struct gather_thread_function {
    uint32_t function;
    struct sum sum;
};

struct gather_lost {
    const char *key;
    uint64_t count;
};

struct gather {
    struct arena strings;
    uint32_t reports;
    uint64_t shares_left;
    struct pool functions, categories;
    struct trails trails;
    struct extras extras;
    struct gather_process *processes;
    size_t processes_used, processes_room;
    struct gather_thread *threads;
    size_t threads_used, threads_room;
    uint64_t threads_left_out;
    struct gather_thread_function *thread_functions;
    size_t thread_functions_used, thread_functions_room;
    uint64_t thread_functions_left_out;
    struct names lost_names;
    struct gather_lost *lost;
    size_t lost_used, lost_room;
    const char *clock_source; /* the first one's */
    double ticks_per_second, error_ppm;
    uint64_t overhead_calls;
    double overhead_ms;
    bool overhead_is_unknown; /* of one report at least */
    /* of the report being read */
    uint32_t *function_places, *node_places;
    size_t functions_used, functions_room, nodes_used, nodes_room;
    size_t first_thread, first_process;
    bool has_members, thread_is_left_out;
    size_t value;
    struct frames *frames;
    struct worst *worst;
};

extern const struct intake_takers gather_takers; /* their context: struct gather */

void gather_init(struct gather *gather);
void gather_fini(struct gather *gather);
/* Before each report. */
void gather_begin(struct gather *gather);

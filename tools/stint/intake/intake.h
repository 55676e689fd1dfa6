/* SPDX-License-Identifier: MIT
 *
 * A report read in one pass and handed on piece by piece, for verbs that read many or large ones:
 * memory is the text and nothing else. What no taker is given for is checked to be JSON and left
 * out; functions come before threads, call tree and frames, wherever they stand. */
#pragma once

#include "intake/figures.h"
#include "intake/pull.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

enum { INTAKE_NONE = UINT32_MAX };

struct intake_ending {
    struct span kind, signal, code, address; /* data NULL where it is not told */
    int64_t status;
    bool has_status;
};

/* Of a report, or of one of the processes that a merged report lists. */
struct intake_process {
    uint64_t pid, parent_pid;
    struct span run, executable, host, started_at;
    double duration_ms, cpu_ms;
    bool has_cpu;
    struct intake_ending ending;
};

struct intake_clock {
    struct span source;
    double ticks_per_second, error_ppm;
};

struct intake_overhead {
    uint64_t calls;
    bool is_measured;
    double per_call_ns, total_ms;
};

/* A merged report's column over its processes: least and most. */
struct intake_range {
    double least, most;
};
struct intake_per_process {
    uint64_t processes; /* 0 = not told: one process */
    struct intake_range total_ms, self_ms, calls;
};

/* A function, category, or a thread's function (id alone). */
struct intake_entry {
    uint64_t id;
    struct span name, raw_name, module, build_id, offset;
    struct figures figures;
    struct intake_per_process per_process;
};

struct intake_thread {
    uint64_t tid, process; /* process: place in a merged report's list, else 0 */
    struct span name, start_routine, state;
    double started_ms, lifetime_ms, cpu_ms;
    uint32_t parent, generations;
};

struct intake_node {
    uint32_t parent, function; /* or INTAKE_NONE */
    struct span category;      /* data NULL = none */
    bool is_folded;
    struct figures figures;
};

struct intake_value {
    struct span unit;
    uint64_t n;
    double sum, least, most;
    bool has_sum, has_spread;
};

struct intake_counter {
    uint64_t calls;
    int64_t sum;
    bool is_saturated;
};

struct intake_blame { /* a function or category that made a frame long */
    uint32_t function;
    struct span category;
    double self_ms, typical_ms, excess_ms;
    uint64_t frames;
};

struct intake_worst {
    uint64_t frame;
    uint32_t thread;
    double start_ms, duration_ms;
};

struct intake_frames {
    double budget_ms;
    bool has_budget;
    uint64_t missed;
};

/* Every taker may be NULL. Spans live until the reading is over. Numbers of functions, nodes and
 * threads are places in the report's arrays, checked to be there. */
struct intake_takers {
    void (*process)(void *context, const struct intake_process *process);
    void (*member)(void *context, const struct intake_process *process); /* of a merged report */
    void (*clock)(void *context, const struct intake_clock *clock);
    void (*overhead)(void *context, const struct intake_overhead *overhead);
    void (*lost)(void *context, struct span key, uint64_t count);
    void (*function)(void *context, const struct intake_entry *function);
    void (*category)(void *context, const struct intake_entry *category);
    void (*thread)(void *context, const struct intake_thread *thread);
    /* of the thread taken last */
    void (*thread_function)(void *context, uint32_t function, const struct figures *figures);
    void (*node)(void *context, const struct intake_node *node);
    void (*counter)(void *context, struct span name, const struct intake_counter *counter);
    void (*value)(void *context, struct span name, const struct intake_value *value);
    void (*value_bucket)(void *context, double low, double high,
                         uint64_t count); /* of that value */
    void (*frames)(void *context, const struct intake_entry *total,
                   const struct intake_frames *frames);
    void (*worst)(void *context, const struct intake_worst *worst);       /* of those frames */
    void (*worst_blame)(void *context, const struct intake_blame *blame); /* of that frame */
    void (*blame)(void *context, const struct intake_blame *blame);       /* of those frames */
};

struct intake {
    const struct intake_takers *takers;
    void *context;
    struct arena strings;
    struct figures_bucket *buckets;
    char *text; /* of the file, kept for the next one */
    size_t room;
    uint32_t functions, nodes, threads; /* of this report */
    struct stat status;                 /* of this report's file */
};

/* To be ended by intake_fini. */
void intake_init(struct intake *intake, const struct intake_takers *takers, void *context);
void intake_fini(struct intake *intake);

/* Reads the file ("-": standard input) and hands it on. Tells what is wrong with it in one line,
 * with its place. False then; what was handed on before stays so. */
bool intake_file(struct intake *intake, const char *path);

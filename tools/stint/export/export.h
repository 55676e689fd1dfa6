/* SPDX-License-Identifier: MIT
 *
 * What each format's file gives to export.c's table, and what it is given: the report as arrays,
 * its call tree in the order of a flame graph, and the wishes of the command line. A format writes
 * to a stream and knows nothing of files. */
#pragma once

#include "base/arena.h"
#include "base/fault.h"
#include "export/paths.h"
#include "intake/document.h"

#include <stdio.h>

struct export_job {
    const struct document *document;
    const struct paths *paths; /* the whole call tree */
    struct arena *arena;       /* for as long as the export lasts */
    uint32_t most_rows;        /* functions at most, those with the largest Self; 0 = all */
    double least_percent;      /* of the whole time; smaller ones may be left out */
};

struct export_format {
    const char *name;
    int takes;           /* of the options that not all formats take: bits of export.c */
    uint32_t usual_rows; /* where --rows is not given; 0 = all */
    bool is_binary;      /* nothing for a terminal */
    /* 0 or −errno with the fault filled. Whether the stream took everything is looked at by the
     * caller. */
    int (*write)(const struct export_job *job, FILE *out, struct fault *fault);
};

int export_folded(const struct export_job *job, FILE *out, struct fault *fault);
int export_speedscope(const struct export_job *job, FILE *out, struct fault *fault);
int export_chrome(const struct export_job *job, FILE *out, struct fault *fault);
int export_callgrind(const struct export_job *job, FILE *out, struct fault *fault);
int export_pprof(const struct export_job *job, FILE *out, struct fault *fault);
int export_openmetrics(const struct export_job *job, FILE *out, struct fault *fault);
int export_csv(const struct export_job *job, FILE *out, struct fault *fault);
int export_dot(const struct export_job *job, FILE *out, struct fault *fault);

/* What the report says of the process: its program without the path, its pid, its start in
 * nanoseconds since 1970 (0 = not known). */
const char *export_program(const struct document *document);
long long export_pid(const struct document *document);
uint64_t export_started_ns(const struct document *document);

/* The name of a path's function as it is, for formats that can hold any: never empty. */
const char *export_name(const struct document *document, uint32_t function);

/* Stands for the calls that paths.told_depth leaves out. */
extern const char export_deeper[];

/* Fills the fault: there is no memory. Returns −ENOMEM. */
int export_no_memory(struct fault *fault);

/* The functions and categories to be told of, as places in document.functions, those with the
 * largest Self first, most_rows at most; NULL where there is no memory. */
const uint32_t *export_ranked(const struct export_job *job, uint32_t *count);

/* Calls visit for the merged tree, then for each thread's own where the report has them
 * (STINT_THREAD_TREES): thread = DOCUMENT_NONE, then its place. Stops at the first error and
 * returns it. */
struct export_tree {
    const struct paths *paths;
    uint32_t thread;
    const char *name; /* of the thread, or "all threads" */
    uint64_t number;  /* its tid; 0 for all threads */
};
int export_each_tree(const struct export_job *job, struct fault *fault,
                     int (*visit)(const struct export_tree *tree, void *context), void *context);

/* SPDX-License-Identifier: MIT
 *
 * What a report must be: valid by the shipped schema (asked of an independent validator),
 * consistent in itself, and true by what the target said of itself. Failures fail the cmocka test
 * that called. */
#pragma once

#include "run.h"

/* What need not hold of a report. */
enum check_leave {
    CHECK_ALL = 0,
    CHECK_RACING = 1, /* threads ran on while it was written: sums need not meet */
    CHECK_CHILD = 2,  /* a forked child's: inherited calls are Open without a Count */
    CHECK_FOLDED = 4, /* paths were folded: the tree's sums need not meet */
};

/* Loads `dir`/out/name, validated and consistent. To be freed by json_decref. */
json_t *report_load(const struct run *run, const char *name, int leave);
/* What `stint recover` makes of the one store that the run left. */
json_t *report_recover(const struct run *run, int leave);
/* A report anywhere else. */
json_t *report_load_path(const char *path, int leave);

/* Lines of the target: "calls NAME N" (Count of NAME is N and no function of the target is left
 * out), "calls scope NAME N" (of the category), "slept NAME MS" (Total_ms of NAME is at least
 * that), "open NAME N", "under CHILD PARENT" (in the tree). */
void check_truth(const json_t *report, const char *text);

/* The same where lost.KIND has what was not counted: each Count plus its share of that is what the
 * target told, and lost is at most `bound` of all. */
void check_truth_with_lost(const json_t *report, const char *text, const char *kind, double bound);

/* The function of this name, NULL if there is none; fails if several. */
const json_t *report_function(const json_t *report, const char *name);
/* Sum of Count (or another key) over all functions of this name; 0 if none. */
long long report_calls(const json_t *report, const char *name);
long long report_open(const json_t *report, const char *name);
/* Number of threads in the report with this name (NULL: all). */
size_t report_threads(const json_t *report, const char *name);
/* The first of them, NULL if none. */
const json_t *report_thread(const json_t *report, const char *name);
/* lost.NAME */
long long report_lost(const json_t *report, const char *name);
/* process.ending.KEY as text, or "" */
const char *report_ending(const json_t *report, const char *key);
/* The backtrace names this function. */
bool report_backtrace_has(const json_t *report, const char *name);

/* Members that must be there. */
double real_at(const json_t *object, const char *key);
long long integer_at(const json_t *object, const char *key);
const char *string_at(const json_t *object, const char *key);

/* Reports beside profiling_results.json: how many, and the i-th by name. To be freed by
 * json_decref. */
size_t report_others(const struct run *run);
json_t *report_load_other(const struct run *run, size_t i, int leave);

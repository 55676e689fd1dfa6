/* SPDX-License-Identifier: MIT
 *
 * Runs a target, plain or under stint, each time in a fresh directory: `work` is where it stands,
 * `out` is for its reports, `store` for its stores, so that whatever is left behind is seen. What
 * it wrote and how it ended is kept for comparison. Every failure here fails the cmocka test that
 * called. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

struct run_spec {
    const char *target;        /* name of a file in tests/targets, or an absolute path */
    const char *args[10];      /* beside argv[0], ended by NULL */
    const char *env[10];       /* NAME=value; later ones win; "NAME" alone removes it */
    const char *stint_env[10]; /* the same, under stint alone */
    const char *before;        /* preloaded before libstint.so, absolute or NULL */
    const char *after;         /* preloaded after it */
    const char *input;         /* what standard input holds; NULL = nothing */
    bool truth_varies;         /* lines that tell the truth may differ from run to run */
    bool no_preload;           /* the target or a command brings stint in by itself */
    bool says; /* stint's own lines on stderr are expected and left out of comparisons */
    void (*prepare)(void); /* in the child, before exec (limits, masks); stands in `work` */
    void (*arrange)(const char *dir); /* before the start, in the test: files that lie there */
};

struct run {
    char dir[100];
    int status; /* as waitpid has it */
    char *out, *err;
    bool under_stint;
};

enum { RUN_SCRATCH = 100 };

/* A name for mkdtemp in the directory that tap.sh made for this program (TMPDIR; else, or
 * where that is too long, /tmp). */
void run_scratch(char path[RUN_SCRATCH], const char *name);

/* Runs it to its end. */
void run_target(struct run *run, const struct run_spec *spec, bool under_stint);
/* Removes the directory and all that is in it; what is kept is freed. */
void run_fini(struct run *run);

/* `dir`/below, in a buffer that the next but three calls overwrite. */
const char *run_path(const struct run *run, const char *below);
/* Names in `dir`/below, sorted, joined by single blanks; to be freed. */
char *run_list(const struct run *run, const char *below);
/* The whole file, NUL-terminated, to be freed; NULL if it can't be read. */
char *run_read(const char *path);
/* Path of a target, in a buffer as above. */
const char *run_target_path(const char *name);
/* Paths that the build tells by environment variables: STINT_LIBRARY, STINT_COMMAND, … */
const char *run_setting(const char *name);

/* A plain run and one under stint, and the report of the latter. */
struct both {
    struct run plain, stint;
    json_t *report;
};

/* Runs both. Output, errors and wait status must be equal, the report valid and consistent, the
 * truth that the target told in it, and nothing else left behind. */
void both_run(struct both *both, const struct run_spec *spec);
/* The same without a report: for what dies without one or is expected to write none. */
void both_run_bare(struct both *both, const struct run_spec *spec);
void both_fini(struct both *both);
/* out holds exactly these names (blank-separated, sorted), store nothing, work the same as plain.
 */
void both_check_left(const struct both *both, const char *reports);

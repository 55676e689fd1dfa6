/* SPDX-License-Identifier: MIT
 *
 * The reports that one run wrote, found by the run's id inside them. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

struct report_found {
    char *path;
    char command[64]; /* its program and arguments, shortened; "" where they are not known */
    uint32_t pid;
    uint64_t bytes;
    double duration_ms; /* how long the process had run when it was made */
    bool is_exec;       /* of a life that ended by exec */
    bool is_snapshot;
};

struct reports {
    struct report_found *items;
    size_t count;
};

/* Those whose names come from `wish` (STINT_OUT: placeholders match anything, descendants' pids are
 * allowed for) and that are not older than `since`. reports_fini frees. */
void reports_find(struct reports *reports, const char *wish, const char *run, time_t since);
/* True where another run's report was written to the very name that the first process of a run
 * would take, after `since_ns` (of the wall clock). */
bool reports_is_taken(const char *wish, const char *run, uint64_t since_ns);
/* The largest first: with them a run is read. */
void reports_sort(struct reports *reports);
void reports_fini(struct reports *reports);

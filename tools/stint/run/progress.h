/* SPDX-License-Identifier: MIT
 *
 * The line that `stint run --progress` keeps on a terminal while the command is silent: how long it
 * runs, its calls and threads, read from the stores of the run. The command does not notice. */
#pragma once

#include "run/child.h"

#include <stdint.h>

struct progress {
    const char *beside; /* where stores may lie besides the usual places; NULL = here */
    uint64_t written;   /* by the command, at the last look */
    int silent_looks;
    int is_drawn;
    double started_s; /* CLOCK_MONOTONIC */
};

/* A look each second from now on; for child_run. */
struct child_watch progress_watch(struct progress *progress);

/* Takes the line away. */
void progress_end(struct progress *progress);

/* True where standard error is a terminal that may be written to. */
int progress_can_be_seen(void);

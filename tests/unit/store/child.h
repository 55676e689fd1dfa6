/* SPDX-License-Identifier: MIT
 *
 * Work in a process of its own, for limits and mounts that stay. */
#pragma once

#include <stdbool.h>
#include <sys/resource.h>

enum { CHILD_NOT_POSSIBLE = 77 }; /* here; the case is skipped */

/* Runs it in a child; the case fails unless it returns 0 and no signal comes. */
void child_run(int (*run)(void));

#define CHECK(condition)                                                                           \
    if (!(condition)) return __LINE__ % 70 + 1

/* Sets RLIMIT_FSIZE. */
int child_limit_files(rlim_t bytes);
/* No signal of a refused write waits. */
bool child_has_nothing_pending(void);

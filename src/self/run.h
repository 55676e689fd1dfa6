/* SPDX-License-Identifier: MIT
 *
 * Which run this process belongs to: its own, as the first of it, or an ancestor's. A run's name is
 * "<pid>:<start time>" of its first process. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { RUN_BYTES = 48 };

/* When its first process started, by the wall clock. Context: any thread, signal-safe. */
uint64_t run_started_unix_ns(const char run[RUN_BYTES]);

/* Fills `run` and returns whether this process, of that pid and start time, is its first. `told` is
 * STINT_ROOT's value or NULL. Without it the process may still be a descendant: system and popen
 * hand on the plain environment, so the ancestors are asked whether they have `library` loaded too.
 * Context: any thread, signal-safe. */
bool run_find(char run[RUN_BYTES], uint32_t pid, uint64_t start_time, const char *told,
              const char *library);

/* SPDX-License-Identifier: MIT
 *
 * Processes by (pid, start time), which names one for ever. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* True where this very process still runs: also where it has that pid in a PID namespace below
 * ours. A zombie is gone, unless threads of it run on. */
bool process_is_alive(uint32_t pid, uint64_t start_time);

/* True where some process has that pid. */
bool process_exists(uint32_t pid);

/* "<pid>:<start time>" of the calling process, as STINT_ROOT has it. False without /proc. */
bool process_own_run(char run[48]);

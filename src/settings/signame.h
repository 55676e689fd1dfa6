/* SPDX-License-Identifier: MIT
 *
 * Names of signals as a user writes them. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* "USR2", "SIGUSR2", "12", "RTMIN+3", "RTMAX-1" → the number; "none" → 0. Upper case only. False,
 * with the number untouched, where it is no signal, and for those that a program or stint cannot do
 * without: faults, job control, what ends programs, children, the C library's own. Context: any
 * thread, signal-safe. */
bool signame_parse(const char *text, uint64_t *number);

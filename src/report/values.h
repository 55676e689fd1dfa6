/* SPDX-License-Identifier: MIT
 *
 * What a program counted and measured beside time: the sections "counters" and "values". */
#pragma once

#include "report/statistics.h"

/* Writes the sections that have something in them into the open document. Context: any thread,
 * signal-safe. */
void values_write(const struct merged *merged, struct statistics *statistics);

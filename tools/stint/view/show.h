/* SPDX-License-Identifier: MIT
 *
 * A report on the screen, for the verbs that end with one. */
#pragma once

#include <stddef.h>
#include <stdio.h>

/* Reads the report and shows its head and table, at most that many rows, on the stream, within the
 * width of a terminal. Tells what is wrong in one line. Returns an exit status. */
int show_report(const char *path, size_t most_rows, FILE *file);

/* SPDX-License-Identifier: MIT
 *
 * A report on the screen, for the verbs that end with one. */
#pragma once

#include "report/summary.h"

/* Reads the report and writes its summary to the descriptor, within the width of a terminal. Tells
 * what is wrong in one line. Returns an exit status. */
int show_report(const char *path, const struct summary_options *wishes, int fd);

/* SPDX-License-Identifier: MIT
 *
 * A report's threads as a table, one a line, in the order of their starts. */
#pragma once

#include <jansson.h>

/* Prints it to standard output. The report is one of read_report. */
void threads_print(const json_t *report);

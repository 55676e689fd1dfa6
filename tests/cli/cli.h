/* SPDX-License-Identifier: MIT
 *
 * A line of shell as a user would type it, run in a fresh directory: $STINT is the command, $T
 * where the targets lie, $LIB the library, $REPORTS the reports of known content. Reports go to
 * `out` unless the line says otherwise, stores to `store` and nowhere else. */
#pragma once

#include "../e2e/cases.h"

#include <stdbool.h>

/* Runs it; its outputs and status are in the run, as run_target leaves them. */
void cli(struct run *run, const char *line);

/* Exit status of the line; fails the test where a signal ended it. */
int cli_status(const struct run *run);

bool cli_has(const char *text, const char *part);
/* Fails the test, with the text shown, where the part is not in it. */
void cli_expect(const char *text, const char *part);
/* Exactly one line, and all of `parts` (ended by NULL) in it. */
void cli_expect_line(const char *text, const char *const *parts);
#define CLI_LINE(text, ...) cli_expect_line(text, (const char *const[]){__VA_ARGS__, NULL})

/* How many lines begin with this, blanks left out. */
int cli_lines(const char *text, const char *begin);

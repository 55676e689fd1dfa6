/* SPDX-License-Identifier: MIT
 *
 * Texts and numbers as several formats want them. Names are what their authors wrote: anything, in
 * valid UTF-8, also nothing. */
#pragma once

#include "export/export.h"
#include "intake/document.h"

#include <stdio.h>

/* A JSON string, quotes included. */
void text_json(FILE *out, const char *text);

/* Nanoseconds as a decimal number of microseconds, none lost. */
void text_us(FILE *out, uint64_t ns);

/* A time of the report in whole nanoseconds; 0 for NaN and what is below it. */
uint64_t text_ns(double ms);

/* The 15 digits that a report has, with a point in every locale. The value is finite. */
void text_real(FILE *out, double value);

/* A copy on one line: what a terminal or a line-based format would act on (control characters,
 * separators of lines) is a '?', `also` (may be "") becomes `instead`. NULL where there is no
 * memory. */
char *text_flat(const char *text, const char *also, char instead, struct arena *arena);

/* The names of document.functions and of the root of the folded paths behind them, each by
 * text_flat; where `are_told_apart`, those of one name have module and offset in brackets.
 * NULL where there is no memory. */
char **text_names(const struct export_job *job, const char *also, char instead,
                  bool are_told_apart);

/* Abbreviates what text_names gave and is longer than this many bytes; what becomes equal by that
 * is told apart as there. False where there is no memory. */
bool text_shorten_names(const struct export_job *job, char **names, size_t most);

/* For each of document.functions, whether another one has its name and module. NULL where there is
 * no memory. */
const bool *text_twins(const struct export_job *job);

/* A name abbreviated and cut in the middle to at most this many characters. */
char *text_shortened(const char *text, size_t most, struct arena *arena);

/* SPDX-License-Identifier: MIT
 *
 * The table for the eye: a report's functions and categories, one a line. A column is a row of a
 * table in summary.c. */
#pragma once

#include <jansson.h>
#include <stddef.h>

enum summary_form { SUMMARY_TIME, SUMMARY_COUNT, SUMMARY_NAME, SUMMARY_MODULE };

struct summary_column {
    const char *name;  /* as a user asks for it */
    const char *title; /* over the column */
    const char *key;   /* in the report's statistics; NULL for texts */
    enum summary_form form;
};

/* The columns, left to right. Context: outside. */
const struct summary_column *summary_columns(size_t *count);

/* The column of that name, or NULL. Context: outside. */
const struct summary_column *summary_find_column(const char *name);

struct summary_options {
    const struct summary_column *sort; /* largest first, texts by alphabet; NULL = self */
    size_t most_rows;                  /* 0 = all */
    size_t width;                      /* of the terminal: names are shortened to it; 0 = whole */
};

/* Writes what a report (of read_report) says to a descriptor: what ran and how it ended, what was
 * lost, a crash's backtrace, the table. 0 or −errno. Context: outside. */
int summary_write(const json_t *report, const struct summary_options *options, int fd);

/* A duration as the table shows it: "47 ns", "1.25 µs", "312 ms", "12.0 s"; at most 15 bytes with
 * the NUL. Context: outside. */
void summary_time(double ms, char text[16]);

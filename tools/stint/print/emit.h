/* SPDX-License-Identifier: MIT
 *
 * JSON written to a stream as it comes: commas and escapes are seen to, nothing is kept. Numbers as
 * a report has them: 15 significant digits, no infinity, no NaN. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct emit {
    FILE *file;
    bool has_items; /* the open container */
    bool is_lined;  /* an item a line in the container that is open */
    int depth;
};

/* key NULL: an item of an array. */
void emit_open(struct emit *emit, const char *key, char bracket);
void emit_close(struct emit *emit, char bracket);
/* A line break before the next item. */
void emit_line(struct emit *emit);
void emit_text(struct emit *emit, const char *key, const char *text); /* NULL is null */
void emit_count(struct emit *emit, const char *key, uint64_t value);
void emit_integer(struct emit *emit, const char *key, int64_t value);
/* Left out where it is not finite. */
void emit_number(struct emit *emit, const char *key, double value);
void emit_bool(struct emit *emit, const char *key, bool value);
void emit_null(struct emit *emit, const char *key);

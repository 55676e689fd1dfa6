/* SPDX-License-Identifier: MIT
 *
 * JSON read by pulling: the caller asks for the next member or value, and what it does not ask for
 * is checked and skipped. Nothing is built, so that a report costs no memory but its text. After
 * the first fault every call gives false; loops end by themselves and the caller looks once. */
#pragma once

#include "base/arena.h"
#include "base/fault.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Letters in the text itself, or in pull's arena where they had escapes; not NUL-terminated. */
struct span {
    const char *data; /* NULL = none */
    size_t length;
};

struct pull {
    const char *text;
    size_t bytes, at;
    struct arena *strings; /* of texts with escapes */
    struct fault fault;    /* with its position */
    bool is_first;         /* no item of the open container has been read */
};

enum { PULL_DEPTH = 64 };

/* What the next value begins with: '{' '[' '"' 't' 'f' 'n', '0' for a number; 0 at the end or after
 * a fault. */
char pull_peek(struct pull *pull);

/* Goes into an object ('{') or array ('['). */
bool pull_enter(struct pull *pull, char bracket);
/* The next member's key, its value not yet read; false at the end, which is then behind us. */
bool pull_key(struct pull *pull, struct span *key);
/* The same in an array. */
bool pull_item(struct pull *pull);

bool pull_number(struct pull *pull, double *value);
/* One from 0 on. */
bool pull_time(struct pull *pull, double *value);
/* A whole number from 0 to 2^63 − 1. */
bool pull_count(struct pull *pull, uint64_t *value);
bool pull_integer(struct pull *pull, int64_t *value);
/* A text, checked to be UTF-8. */
bool pull_text(struct pull *pull, struct span *value);
bool pull_true_or_false(struct pull *pull, bool *value);
/* Any value, checked. */
bool pull_skip(struct pull *pull);
/* Nothing but blanks may follow. */
bool pull_end(struct pull *pull);

/* Notes what is wrong with the value before which, or in which, the reader stands. Gives false. */
bool pull_fault(struct pull *pull, const char *text);

bool span_is(struct span span, const char *text);
bool span_equal(struct span a, struct span b);
/* The same text, or both none. */
bool span_is_text(const char *text, struct span span);
/* What follows a path's last slash. */
struct span span_file_name(struct span path);

/* Line and column, from 1, of a byte. */
void pull_place(const char *text, size_t position, unsigned long *line, unsigned long *column);

/* SPDX-License-Identifier: MIT
 *
 * The report's name: from STINT_OUT's placeholders to the absolute name of one report. Between the
 * start and the report it is kept as a *pattern*, in which only %s (the snapshot's number) and %%
 * are left. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What the placeholders stand for. */
struct outname_values {
    const char *directory; /* what a relative name is put behind */
    const char *program, *host, *rank;
    uint32_t pid;
    bool is_descendant; /* the pid goes before the extension, unless %p is there */
    bool has_peers;     /* else the rank does, unless %p or %r is there */
};

/* Fills `pattern` from what the user wrote. False where it does not fit (pattern is then cut).
 * Context: any thread, signal-safe (so are all of this file). */
bool outname_pattern(const char *wish, const struct outname_values *values, char *pattern,
                     size_t capacity);

/* True where the user's name has %p. */
bool outname_has_pid(const char *wish);

/* Puts `insert` before the extension of the pattern's last part, in place. False where it does not
 * fit; then nothing is changed. */
bool outname_insert(char *pattern, size_t capacity, const char *insert);

/* The name itself: %s becomes `snapshot`. False where it does not fit. */
bool outname_fill(const char *pattern, uint32_t snapshot, char *name, size_t capacity);

/* The user's wish made absolute for a process that starts elsewhere: placeholders stay. False where
 * it does not fit. */
bool outname_absolute(const char *wish, const char *directory, char *absolute, size_t capacity);

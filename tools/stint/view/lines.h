/* SPDX-License-Identifier: MIT
 *
 * From a place in a module to a line of source, by the module's debug information: its own, or a
 * debug file's that is found by build-id or debuglink on this machine. lines-fallback.c finds
 * nothing, for builds without libdw. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lines;

struct lines_place {
    const char *module;   /* the path of the file that was mapped */
    const char *build_id; /* in hexadecimal digits, of that file; NULL = not known */
    uint64_t offset;      /* file virtual address */
};

/* A reader; NULL where there is no memory. It never asks a network unless may_ask_network: then
 * servers of debuginfod, as DEBUGINFOD_URLS names them. */
struct lines *lines_new(bool may_ask_network);
void lines_free(struct lines *lines);

/* "file:line" of the place, or false. The file is as the compiler was given it. */
bool lines_find(struct lines *lines, const struct lines_place *place, char *text, size_t capacity);

/* How many modules had no lines to give, and the name of one; why: one sentence's end. */
size_t lines_missing(const struct lines *lines, const char **module, const char **why);

/* False where stint was built without libdw. */
bool lines_supported(void);

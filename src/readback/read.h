/* SPDX-License-Identifier: MIT
 *
 * A report back from JSON, with one clear fault: what reads it afterwards need not look whether the
 * parts of the document are there and of their kind. */
#pragma once

#include "base/arena.h"
#include "base/fault.h"

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

/* The fault, and where the text itself is wrong (it is no JSON): line and column, from 1; 0 = the
 * document as a whole. fault.error is −EBADMSG where the content is at fault, else why the file
 * can't be read. */
struct read_fault {
    struct fault fault;
    int line, column;
};

/* Reads the file, a FIFO too, whole. On success *report is the document, to be freed with
 * json_decref. Every member that the report's page names and that is there is of its type, counts
 * and times are not negative; these are there: "process" with "ending.kind", "functions",
 * "categories", "threads", "call_tree". An id of a function, thread or node is its place in the
 * list; ids and categories' names point at something (but a thread's parent may be any thread, also
 * in a circle); a node's parent stands before it; histograms ascend. 0 or −errno with the fault
 * filled. Context: outside. */
int read_report(const char *path, json_t **report, struct read_fault *fault);

/* The file alone: its bytes, in the arena. 0 or −errno as above. Context: outside. */
int read_bytes(const char *path, struct arena *arena, char **text, size_t *bytes,
               struct read_fault *fault);

/* The same of text in memory. Context: outside. */
int read_text(const char *text, size_t bytes, json_t **report, struct read_fault *fault);

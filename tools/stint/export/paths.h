/* SPDX-License-Identifier: MIT
 *
 * A call tree in whole nanoseconds, in the order in which a flame graph is drawn: each path before
 * what it calls, the heaviest first. What lies below a path stands right behind it, so that a loop
 * over the array walks the tree. */
#pragma once

#include "base/arena.h"
#include "intake/document.h"

struct path {
    uint32_t parent;   /* its place; DOCUMENT_NONE = a root */
    uint32_t end;      /* place of the first path that is not below this one */
    uint32_t depth;    /* 0 = a root */
    uint32_t function; /* in document.functions; function_count = the root of the folded paths */
    uint64_t calls;
    uint64_t start_ns;          /* Self of all paths before this one */
    uint64_t self_ns, total_ns; /* total: Self of the path and of all below it, exactly */
};

struct paths {
    struct path *items;
    uint32_t count;
    uint32_t depth; /* paths on the longest way from a root */
    /* Formats with a whole stack a path would grow with the square of a recursion's depth: in them,
     * of what is deeper, the outermost calls stand, so many, export_deeper, and the path's own
     * function. */
    uint32_t told_depth;
    uint64_t total_ns;
};

/* told_depth is this, or so much less that all stacks together have PATHS_MOST_CALLS at most. */
enum { PATHS_TOLD_DEPTH = 1000, PATHS_LEAST_DEPTH = 16, PATHS_MOST_CALLS = 1 << 24 };

/* From nodes of document.h. Fractions of nanoseconds are carried from one path to the next, so that
 * no sum is off by more than one. 0 or −ENOMEM. */
int paths_init(struct paths *paths, const struct document *document,
               const struct document_node *nodes, uint32_t count, struct arena *arena);

/* SPDX-License-Identifier: MIT
 *
 * The call tree folded by function: who calls whom how often, and what that costs. Recursion is
 * counted once, as in the report. */
#pragma once

#include "export/paths.h"

struct edge {
    uint32_t from, to; /* functions, as in paths; from == DOCUMENT_NONE: `to` is a root */
    uint64_t calls;
    uint64_t ns; /* of the calls that are not within another call of `to` */
};

struct callgraph {
    uint64_t *self_ns, *total_ns, *calls; /* by function; function_count + 1 of each */
    struct edge *edges;                   /* by from (roots last), then heaviest first */
    size_t edge_count;
};

/* The ns of all edges to a function are its total_ns. 0 or −ENOMEM. */
int callgraph_init(struct callgraph *graph, const struct paths *paths, uint32_t functions,
                   struct arena *arena);

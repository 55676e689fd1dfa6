/* SPDX-License-Identifier: MIT
 *
 * Each path is one edge from its parent's function to its own; equal ones are added up after a
 * sort. Runs in `stint`. */
#include "export/callgraph.h"

#include <errno.h>
#include <stdlib.h>

static int by_ends(const void *a, const void *b)
{
    const struct edge *left = a, *right = b;
    if (left->from != right->from) return left->from < right->from ? -1 : 1;
    return left->to < right->to ? -1 : left->to > right->to;
}

static int by_weight(const void *a, const void *b)
{
    const struct edge *left = a, *right = b;
    if (left->from != right->from) return left->from < right->from ? -1 : 1;
    if (left->ns != right->ns) return left->ns > right->ns ? -1 : 1;
    return left->to < right->to ? -1 : left->to > right->to;
}

static void merge_edges(struct callgraph *graph)
{
    qsort(graph->edges, graph->edge_count, sizeof *graph->edges, by_ends);
    size_t kept = 0;
    for (size_t i = 0; i < graph->edge_count; i++) {
        struct edge *last = kept ? &graph->edges[kept - 1] : NULL;
        if (last && by_ends(last, &graph->edges[i]) == 0) {
            last->calls += graph->edges[i].calls;
            last->ns += graph->edges[i].ns;
        } else {
            graph->edges[kept++] = graph->edges[i];
        }
    }
    graph->edge_count = kept;
    qsort(graph->edges, kept, sizeof *graph->edges, by_weight);
}

int callgraph_init(struct callgraph *graph, const struct paths *paths, uint32_t functions,
                   struct arena *arena)
{
    size_t numbers = ((size_t)functions + 1) * sizeof(uint64_t);
    *graph = (struct callgraph){
        .self_ns = arena_alloc(arena, numbers),
        .total_ns = arena_alloc(arena, numbers),
        .calls = arena_alloc(arena, numbers),
        .edges = arena_alloc(arena, ((size_t)paths->count + 1) * sizeof *graph->edges)};
    /* of each function, the end of the outermost path that the walk is in */
    uint32_t *inside_until = arena_alloc(arena, ((size_t)functions + 1) * sizeof *inside_until);
    if (!graph->self_ns || !graph->total_ns || !graph->calls || !graph->edges || !inside_until)
        return -ENOMEM;
    for (uint32_t i = 0; i < paths->count; i++) {
        const struct path *path = &paths->items[i];
        uint32_t to = path->function;
        bool is_inner = i < inside_until[to];
        bool is_root = path->parent == DOCUMENT_NONE;
        if (!is_inner) inside_until[to] = path->end;
        graph->self_ns[to] += path->self_ns;
        graph->total_ns[to] += is_inner ? 0 : path->total_ns;
        graph->calls[to] += path->calls;
        graph->edges[graph->edge_count++] =
            (struct edge){.from = is_root ? DOCUMENT_NONE : paths->items[path->parent].function,
                          .to = to,
                          .calls = path->calls,
                          .ns = is_inner ? 0 : path->total_ns};
    }
    merge_edges(graph);
    return 0;
}

/* SPDX-License-Identifier: MIT
 *
 * Nodes → times of whole subtrees, from below; → each parent's children by that time; → the walk
 * from above, in which the sums are rounded. Runs in `stint`. */
#include "export/paths.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* 2^63 less what a sum of roundings may add: readers keep these numbers as int64. */
static const long double most_ns = 9.2e18L;

struct heavy {
    const struct document_node *nodes;
    long double *total_ns;
    uint32_t *first; /* of each node + 1: where its children begin in `children`; roots: first[0] */
    uint32_t *children;
    uint32_t count;
};

static long double self_of(const struct document_node *node)
{
    return node->self_ms > 0 ? (long double)node->self_ms * 1e6L : 0;
}

static uint32_t slot_of(uint32_t parent) { return parent == DOCUMENT_NONE ? 0 : parent + 1; }

static int by_weight(const void *a, const void *b, void *context)
{
    const long double *total_ns = context;
    uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
    if (total_ns[left] != total_ns[right]) return total_ns[left] > total_ns[right] ? -1 : 1;
    return left < right ? -1 : left > right;
}

/* Parents stand before their children in the document. */
static void add_up(struct heavy *heavy)
{
    for (uint32_t i = heavy->count; i-- > 0;) {
        heavy->total_ns[i] += self_of(&heavy->nodes[i]);
        if (heavy->nodes[i].parent != DOCUMENT_NONE)
            heavy->total_ns[heavy->nodes[i].parent] += heavy->total_ns[i];
    }
}

/* Children of one parent side by side, by counting; then each group by weight. */
static void sort_children(struct heavy *heavy)
{
    uint32_t count = heavy->count;
    for (uint32_t i = 0; i < count; i++) heavy->first[slot_of(heavy->nodes[i].parent) + 1]++;
    for (uint32_t i = 0; i <= count; i++) heavy->first[i + 1] += heavy->first[i];
    for (uint32_t i = count; i-- > 0;) {
        uint32_t slot = slot_of(heavy->nodes[i].parent);
        heavy->children[--heavy->first[slot + 1]] = i;
    }
    /* first[s + 1] has become the start of group s: one to the left puts it where it belongs */
    memmove(heavy->first, heavy->first + 1, (count + 1) * sizeof *heavy->first);
    heavy->first[count + 1] = count;
    for (uint32_t i = 0; i <= count; i++)
        qsort_r(heavy->children + heavy->first[i], heavy->first[i + 1] - heavy->first[i],
                sizeof *heavy->children, by_weight, heavy->total_ns);
}

struct walk {
    struct paths *paths;
    const struct document *document;
    long double sum_ns;
    uint64_t rounded_ns; /* of sum_ns */
};

static void append(struct walk *walk, const struct document_node *node, uint32_t parent)
{
    struct paths *paths = walk->paths;
    struct path *path = &paths->items[paths->count];
    bool is_root = parent == DOCUMENT_NONE;
    walk->sum_ns += self_of(node);
    if (walk->sum_ns > most_ns) walk->sum_ns = most_ns;
    uint64_t rounded = (uint64_t)(walk->sum_ns + 0.5L);
    *path = (struct path){
        .parent = parent,
        .end = paths->count + 1,
        .depth = is_root ? 0 : paths->items[parent].depth + 1,
        .function =
            node->function == DOCUMENT_NONE ? walk->document->function_count : node->function,
        .calls = node->count,
        .start_ns = walk->rounded_ns,
        .self_ns = rounded - walk->rounded_ns,
    };
    walk->rounded_ns = rounded;
    if (path->depth >= paths->depth) paths->depth = path->depth + 1;
    paths->count++;
}

/* A stack of places that are still to be visited: each group goes onto it backwards. */
static void walk_down(struct walk *walk, const struct heavy *heavy, uint32_t *stack,
                      uint32_t *place_of)
{
    uint32_t used = 0;
    for (uint32_t slot = 0, node;; slot = node + 1) {
        for (uint32_t i = heavy->first[slot + 1]; i-- > heavy->first[slot];)
            stack[used++] = heavy->children[i];
        if (!used) return;
        node = stack[--used];
        uint32_t parent = heavy->nodes[node].parent;
        place_of[node] = walk->paths->count;
        append(walk, &heavy->nodes[node], parent == DOCUMENT_NONE ? parent : place_of[parent]);
    }
}

/* From the last to the first each path's end and total are known when its parent's turn comes. */
static void close_paths(struct paths *paths)
{
    for (uint32_t i = paths->count; i-- > 0;) {
        struct path *path = &paths->items[i];
        path->total_ns += path->self_ns;
        if (path->parent == DOCUMENT_NONE) continue;
        struct path *parent = &paths->items[path->parent];
        parent->total_ns += path->total_ns;
        if (parent->end < path->end) parent->end = path->end;
    }
}

static uint64_t calls_of_stacks(const struct paths *paths, uint32_t depth)
{
    uint64_t calls = 0;
    for (uint32_t i = 0; i < paths->count; i++)
        calls += paths->items[i].depth < depth ? paths->items[i].depth + 1 : depth;
    return calls;
}

static uint32_t told_depth(const struct paths *paths)
{
    uint32_t depth = PATHS_TOLD_DEPTH;
    while (depth > PATHS_LEAST_DEPTH && calls_of_stacks(paths, depth) > PATHS_MOST_CALLS)
        depth /= 2;
    return depth;
}

int paths_init(struct paths *paths, const struct document *document,
               const struct document_node *nodes, uint32_t count, struct arena *arena)
{
    struct heavy heavy = {.nodes = nodes, .count = count};
    struct walk walk = {.paths = paths, .document = document};
    size_t size = (size_t)count + 2;
    *paths = (struct paths){.items = arena_alloc(arena, size * sizeof *paths->items)};
    heavy.total_ns = arena_alloc(arena, size * sizeof *heavy.total_ns);
    heavy.first = arena_alloc(arena, size * sizeof *heavy.first);
    heavy.children = arena_alloc(arena, size * sizeof *heavy.children);
    uint32_t *stack = arena_alloc(arena, size * sizeof *stack);
    uint32_t *place_of = arena_alloc(arena, size * sizeof *place_of);
    if (!paths->items || !heavy.total_ns || !heavy.first || !heavy.children || !stack || !place_of)
        return -ENOMEM;
    add_up(&heavy);
    sort_children(&heavy);
    walk_down(&walk, &heavy, stack, place_of);
    close_paths(paths);
    paths->total_ns = walk.rounded_ns;
    paths->told_depth = told_depth(paths);
    return 0;
}

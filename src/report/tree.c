/* SPDX-License-Identifier: MIT
 *
 * Nodes in one growing array, found by (parent, function); siblings stay in the order in which they
 * were met. Runs anywhere. */
#include "report/tree.h"

#include <string.h>

enum { FIRST_CAPACITY = 256 };

uint64_t sums_plus(uint64_t a, uint64_t b)
{
    uint64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

void sums_add(struct sums *to, const struct sums *more)
{
    to->ended = sums_plus(to->ended, more->ended);
    to->open = sums_plus(to->open, more->open);
    to->inherited = sums_plus(to->inherited, more->inherited);
    to->ended_ticks = sums_plus(to->ended_ticks, more->ended_ticks);
    to->total_ticks = sums_plus(to->total_ticks, more->total_ticks);
    to->self_ticks = sums_plus(to->self_ticks, more->self_ticks);
    if (more->min_ticks < to->min_ticks) to->min_ticks = more->min_ticks;
    if (more->max_ticks > to->max_ticks) to->max_ticks = more->max_ticks;
}

void tree_init(struct tree *tree, struct arena *arena)
{
    *tree = (struct tree){.arena = arena,
                          .first_root = INDEX_NONE,
                          .last_root = INDEX_NONE,
                          .index = {.arena = arena}};
}

static int grow(struct tree *tree)
{
    uint32_t capacity = tree->capacity ? tree->capacity * 2 : FIRST_CAPACITY;
    if (!capacity) return -1;
    struct tree_node *nodes = arena_alloc(tree->arena, capacity * sizeof *nodes);
    if (!nodes) return -1;
    if (tree->count) memcpy(nodes, tree->nodes, tree->count * sizeof *nodes);
    tree->nodes = nodes;
    tree->capacity = capacity;
    return 0;
}

static void hang(struct tree *tree, uint32_t parent, uint32_t child)
{
    struct tree_node *above = parent == INDEX_NONE ? NULL : &tree->nodes[parent];
    uint32_t *first = above ? &above->first_child : &tree->first_root;
    uint32_t *last = above ? &above->last_child : &tree->last_root;
    if (*last == INDEX_NONE)
        *first = child;
    else
        tree->nodes[*last].next_sibling = child;
    *last = child;
}

uint32_t tree_make_child(struct tree *tree, uint32_t parent, uint32_t function, bool is_folded)
{
    uint64_t key = (uint64_t)parent << 32 | function; /* folded ones have a parent of their own */
    uint32_t found = index_find(&tree->index, key);
    if (found != INDEX_NONE) return found;
    if (tree->count == tree->capacity && grow(tree)) return INDEX_NONE;
    if (index_put(&tree->index, key, tree->count)) return INDEX_NONE;
    tree->nodes[tree->count] = (struct tree_node){.parent = parent,
                                                  .first_child = INDEX_NONE,
                                                  .last_child = INDEX_NONE,
                                                  .next_sibling = INDEX_NONE,
                                                  .function = function,
                                                  .is_folded = is_folded,
                                                  .sums = SUMS_INIT};
    hang(tree, parent, tree->count);
    return tree->count++;
}

uint32_t tree_next(const struct tree *tree, uint32_t at)
{
    if (at == INDEX_NONE) return tree->first_root;
    if (tree->nodes[at].first_child != INDEX_NONE) return tree->nodes[at].first_child;
    for (; at != INDEX_NONE; at = tree->nodes[at].parent) {
        if (tree->nodes[at].next_sibling != INDEX_NONE) return tree->nodes[at].next_sibling;
    }
    return INDEX_NONE;
}

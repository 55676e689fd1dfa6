/* SPDX-License-Identifier: MIT
 *
 * Nodes sorted by total, then hung before their siblings from the smallest up. Runs in `stint`. */
#include "view/calltree.h"

#include <stdlib.h>

static int by_total(const void *a, const void *b, void *context)
{
    const struct document_node *nodes = context;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    double p = nodes[x].total_ms, q = nodes[y].total_ms;
    if (p != q) return p < q ? -1 : 1;
    return x < y ? 1 : -1; /* of equal ones the first is hung last, so it comes first */
}

static void hang(struct calltree *tree, uint32_t node)
{
    uint32_t parent = tree->nodes[node].parent;
    uint32_t *first = parent == DOCUMENT_NONE ? &tree->first_root : &tree->first_child[parent];
    tree->next_sibling[node] = *first;
    tree->rest_ms[node] = tree->nodes[node].total_ms;
    if (*first != DOCUMENT_NONE) tree->rest_ms[node] += tree->rest_ms[*first];
    *first = node;
}

bool calltree_init(struct calltree *tree, const struct document_node *nodes, uint32_t count)
{
    *tree = (struct calltree){.nodes = nodes, .count = count, .first_root = DOCUMENT_NONE};
    uint32_t *order = calloc(count + (size_t)1, sizeof *order);
    tree->first_child = calloc(count + (size_t)1, 3 * sizeof *tree->first_child);
    tree->rest_ms = calloc(count + (size_t)1, sizeof *tree->rest_ms);
    if (!order || !tree->first_child || !tree->rest_ms) {
        free(order);
        calltree_fini(tree);
        return false;
    }
    tree->next_sibling = tree->first_child + count;
    tree->depth = tree->next_sibling + count;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t parent = nodes[i].parent;
        order[i] = i;
        tree->first_child[i] = DOCUMENT_NONE;
        tree->depth[i] = parent == DOCUMENT_NONE ? 0 : tree->depth[parent] + 1;
        if (parent == DOCUMENT_NONE) tree->whole_ms += nodes[i].total_ms;
    }
    qsort_r(order, count, sizeof *order, by_total, (void *)(uintptr_t)nodes);
    for (uint32_t i = 0; i < count; i++) hang(tree, order[i]);
    free(order);
    return true;
}

void calltree_fini(struct calltree *tree)
{
    free(tree->first_child);
    free(tree->rest_ms);
}

uint32_t calltree_next(const struct calltree *tree, uint32_t at, bool may_descend)
{
    if (at == DOCUMENT_NONE) return tree->first_root;
    if (may_descend && tree->first_child[at] != DOCUMENT_NONE) return tree->first_child[at];
    while (at != DOCUMENT_NONE && tree->next_sibling[at] == DOCUMENT_NONE)
        at = tree->nodes[at].parent;
    return at == DOCUMENT_NONE ? at : tree->next_sibling[at];
}

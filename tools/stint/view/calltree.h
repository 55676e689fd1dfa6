/* SPDX-License-Identifier: MIT
 *
 * A report's call tree made ready for walks from the roots down: children by their total, largest
 * first. No walk recurses: a hostile tree is as deep as it is long. */
#pragma once

#include "intake/document.h"

struct calltree {
    const struct document_node *nodes;
    uint32_t count, first_root;
    uint32_t *first_child, *next_sibling, *depth; /* of each node; a root's depth is 0 */
    double *rest_ms;                              /* total of a node and its later siblings */
    double whole_ms;                              /* total of the roots */
};

/* False where there is no memory; then there is nothing to finish. */
bool calltree_init(struct calltree *tree, const struct document_node *nodes, uint32_t count);
void calltree_fini(struct calltree *tree);

/* The next node in preorder: a child where may_descend, else a sibling, else one of an ancestor.
 * DOCUMENT_NONE at the end. */
uint32_t calltree_next(const struct calltree *tree, uint32_t at, bool may_descend);

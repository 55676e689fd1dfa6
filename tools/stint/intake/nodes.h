/* SPDX-License-Identifier: MIT
 *
 * The call tree straight from a report's text: a tree of a million paths is by far the most of a
 * report, and as JSON in memory it takes ten times its text. */
#pragma once

#include "intake/document.h"
#include "intake/pull.h"

struct nodes_category; /* which node is of which category */

/* nodes_pull, nodes_settle; nodes_fini in any case. */
struct nodes {
    struct document_node *items;
    size_t count, room;
    size_t begin, end;  /* of the array in the text, with its brackets */
    uint64_t functions; /* the largest id of a function, and 1 */
    struct nodes_category *categories;
    size_t category_count, category_room;
    struct arena strings;
};

/* True where the text has a call tree that is in every way as stint writes it. False: readback must
 * look at it, which knows all that is allowed, and what to say of what is not. */
bool nodes_pull(struct nodes *nodes, const char *text, size_t bytes);

/* The text without the nodes, but with their lines; to be freed. NULL where there is no memory. */
char *nodes_cut(const struct nodes *nodes, const char *text, size_t *bytes);

/* Gives the document, made of the text that was cut, its nodes. False where they speak of functions
 * or categories that it does not have. */
bool nodes_settle(struct nodes *nodes, struct document *document);

void nodes_fini(struct nodes *nodes);

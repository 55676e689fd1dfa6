/* SPDX-License-Identifier: MIT
 *
 * A calling-context tree merged by path, and the sums that everything in a report has: functions,
 * their threads' parts, and the nodes of the tree. */
#pragma once

#include "base/index.h"

#include <stdbool.h>
#include <stdint.h>

/* Activations and their times, in ticks or, for categories that say so, nanoseconds. Sums stop at
 * their type's end. min > max while nothing has ended. */
struct sums {
    uint64_t ended;       /* activations that have ended */
    uint64_t open;        /* that have not, inherited ones included */
    uint64_t inherited;   /* of the open ones: entered before a fork */
    uint64_t ended_ticks; /* of all that ended, inner ones too */
    uint64_t total_ticks; /* inclusive, each moment counted once */
    uint64_t self_ticks;
    uint64_t min_ticks, max_ticks;
};
#define SUMS_INIT ((struct sums){.min_ticks = UINT64_MAX})

/* Context: any thread, signal-safe (so are all of this file). */
uint64_t sums_plus(uint64_t a, uint64_t b);
void sums_add(struct sums *to, const struct sums *more);

struct tree_node {
    uint32_t parent; /* INDEX_NONE = a root */
    uint32_t first_child, last_child, next_sibling;
    uint32_t function; /* INDEX_NONE = the node that all folded ones hang from */
    bool is_folded;    /* stands for every path of its function beyond the recorder's limit */
    struct sums sums;
};

struct tree {
    struct arena *arena;
    struct tree_node *nodes; /* parents first */
    uint32_t count, capacity;
    uint32_t first_root, last_root;
    struct index index;
};

void tree_init(struct tree *tree, struct arena *arena);

/* The child of a parent (INDEX_NONE: the root) for a function, made where it is missing. INDEX_NONE
 * when there is no memory. */
uint32_t tree_make_child(struct tree *tree, uint32_t parent, uint32_t function, bool is_folded);

/* The node after `at` in preorder (INDEX_NONE: the first), or INDEX_NONE. */
uint32_t tree_next(const struct tree *tree, uint32_t at);

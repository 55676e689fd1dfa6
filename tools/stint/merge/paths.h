/* SPDX-License-Identifier: MIT
 *
 * The call trees of many reports as one: two nodes are the same where all calls above them are.
 * Bounded: a path past the bound goes to a node of its function under [folded], as in the recorder,
 * and is counted. */
#pragma once

#include "merge/pool.h"

enum { PATHS_MOST = 262144, PATHS_NONE = UINT32_MAX };

enum path_kind { PATH_FUNCTION, PATH_CATEGORY, PATH_FOLDED };

struct path {
    uint32_t parent, first_child, last_child, next; /* or PATHS_NONE */
    uint32_t item;                                  /* place in the pool of its kind */
    uint8_t kind;
    bool is_folded;
    struct sum sum;
};

struct paths {
    struct index index;
    struct path *items;
    size_t used, room, most;
    uint32_t first_root, last_root, folded_root;
    uint64_t folded; /* nodes of reports that found no room */
};

/* most: PATHS_MOST, or fewer in tests. */
void paths_init(struct paths *paths, struct arena *arena, size_t most);
void paths_fini(struct paths *paths);

/* Adds a node under `parent` (a place here, or PATHS_NONE). Gives its place. */
uint32_t paths_add(struct paths *paths, uint32_t parent, enum path_kind kind, uint32_t item,
                   bool is_folded, const struct figures *figures);

/* The node after this one in preorder; PATHS_NONE at the end. Begins with first_root. */
uint32_t paths_next(const struct paths *paths, uint32_t place);

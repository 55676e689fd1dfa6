/* SPDX-License-Identifier: MIT
 *
 * The call trees of many reports as one: two nodes are the same where all calls above them are.
 * Bounded: a path past the bound goes to a node of its function under [folded], as in the recorder,
 * and is counted. */
#pragma once

#include "merge/pool.h"

enum { TRAILS_MOST = 262144, TRAILS_NONE = UINT32_MAX };

enum trail_kind { TRAIL_FUNCTION, TRAIL_CATEGORY, TRAIL_FOLDED };

struct trail {
    uint32_t parent, first_child, last_child, next; /* or TRAILS_NONE */
    uint32_t item;                                  /* place in the pool of its kind */
    uint8_t kind;
    bool is_folded;
    struct sum sum;
};

struct trails {
    struct index index;
    struct trail *items;
    size_t used, room, most;
    uint32_t first_root, last_root, folded_root;
    uint64_t folded; /* nodes of reports that found no room */
};

/* most: TRAILS_MOST, or fewer in tests. */
void trails_init(struct trails *trails, struct arena *arena, size_t most);
void trails_fini(struct trails *trails);

/* Adds a node under `parent` (a place here, or TRAILS_NONE). Gives its place. */
uint32_t trails_add(struct trails *trails, uint32_t parent, enum trail_kind kind, uint32_t item,
                    bool is_folded, const struct figures *figures);

/* The node after this one in preorder; TRAILS_NONE at the end. Begins with first_root. */
uint32_t trails_next(const struct trails *trails, uint32_t place);

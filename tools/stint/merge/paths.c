/* SPDX-License-Identifier: MIT
 *
 * (parent, what) → node. Runs in `stint`. */
#include "merge/paths.h"

#include "memory.h"

#include <stdlib.h>

void paths_init(struct paths *paths, struct arena *arena, size_t most)
{
    *paths = (struct paths){.index = {.arena = arena},
                            .most = most,
                            .first_root = PATHS_NONE,
                            .last_root = PATHS_NONE,
                            .folded_root = PATHS_NONE};
}

void paths_fini(struct paths *paths) { free(paths->items); }

/* Parents are fewer than 2^31, items than 2^29, so no two nodes have one key. */
static uint64_t key_of(uint32_t parent, enum path_kind kind, uint32_t item, bool is_folded)
{
    return (uint64_t)parent << 32 | (uint64_t)(item & 0x1fffffff) << 3 | (uint64_t)kind << 1 |
           is_folded;
}

static void link_under(struct paths *paths, uint32_t parent, uint32_t place)
{
    bool is_root = parent == PATHS_NONE;
    uint32_t *first = is_root ? &paths->first_root : &paths->items[parent].first_child;
    uint32_t *last = is_root ? &paths->last_root : &paths->items[parent].last_child;
    if (*first == PATHS_NONE)
        *first = place;
    else
        paths->items[*last].next = place;
    *last = place;
}

static uint32_t make(struct paths *paths, uint32_t parent, enum path_kind kind, uint32_t item,
                     bool is_folded)
{
    uint64_t key = key_of(parent, kind, item, is_folded);
    paths->items = memory_grow(paths->items, paths->used, &paths->room, sizeof *paths->items);
    uint32_t place = (uint32_t)paths->used++;
    paths->items[place] = (struct path){.parent = parent,
                                        .first_child = PATHS_NONE,
                                        .last_child = PATHS_NONE,
                                        .next = PATHS_NONE,
                                        .item = item,
                                        .kind = (uint8_t)kind,
                                        .is_folded = is_folded};
    link_under(paths, parent, place);
    (void)index_put(&paths->index, key, place); /* without memory it is not found again */
    if (kind == PATH_FOLDED && parent == PATHS_NONE) paths->folded_root = place;
    return place;
}

static uint32_t find(const struct paths *paths, uint32_t parent, enum path_kind kind, uint32_t item,
                     bool is_folded)
{
    return index_find(&paths->index, key_of(parent, kind, item, is_folded));
}

/* The node that stands for every path of this item that has none of its own. */
static uint32_t folded_place(struct paths *paths, enum path_kind kind, uint32_t item)
{
    if (paths->folded_root == PATHS_NONE) (void)make(paths, PATHS_NONE, PATH_FOLDED, 0, true);
    if (kind == PATH_FOLDED) return paths->folded_root;
    uint32_t place = find(paths, paths->folded_root, kind, item, true);
    return place != INDEX_NONE ? place : make(paths, paths->folded_root, kind, item, true);
}

uint32_t paths_add(struct paths *paths, uint32_t parent, enum path_kind kind, uint32_t item,
                   bool is_folded, const struct figures *figures)
{
    uint32_t place;
    /* below a folded node there are no paths */
    bool is_under_folded = parent != PATHS_NONE && parent != paths->folded_root &&
                           paths->items[parent].is_folded && paths->folded;
    if (is_under_folded) {
        place = folded_place(paths, kind, item);
    } else {
        place = find(paths, parent, kind, item, is_folded);
        if (place == INDEX_NONE && paths->used >= paths->most) {
            paths->folded++;
            place = folded_place(paths, kind, item);
        } else if (place == INDEX_NONE) {
            place = make(paths, parent, kind, item, is_folded);
        }
    }
    sum_add(&paths->items[place].sum, figures);
    return place;
}

uint32_t paths_next(const struct paths *paths, uint32_t place)
{
    if (place == PATHS_NONE) return paths->first_root;
    if (paths->items[place].first_child != PATHS_NONE) return paths->items[place].first_child;
    while (place != PATHS_NONE && paths->items[place].next == PATHS_NONE)
        place = paths->items[place].parent;
    return place == PATHS_NONE ? PATHS_NONE : paths->items[place].next;
}

/* SPDX-License-Identifier: MIT
 *
 * (parent, what) → node. Runs in `stint`. */
#include "merge/trails.h"

#include "verb/memory.h"

#include <stdlib.h>

void trails_init(struct trails *trails, struct arena *arena, size_t most)
{
    *trails = (struct trails){.index = {.arena = arena},
                              .most = most,
                              .first_root = TRAILS_NONE,
                              .last_root = TRAILS_NONE,
                              .folded_root = TRAILS_NONE};
}

void trails_fini(struct trails *trails) { free(trails->items); }

/* Parents are fewer than 2^31, items than 2^29, so no two nodes have one key. */
static uint64_t key_of(uint32_t parent, enum trail_kind kind, uint32_t item, bool is_folded)
{
    return (uint64_t)parent << 32 | (uint64_t)(item & 0x1fffffff) << 3 | (uint64_t)kind << 1 |
           is_folded;
}

static void link_under(struct trails *trails, uint32_t parent, uint32_t place)
{
    bool is_root = parent == TRAILS_NONE;
    uint32_t *first = is_root ? &trails->first_root : &trails->items[parent].first_child;
    uint32_t *last = is_root ? &trails->last_root : &trails->items[parent].last_child;
    if (*first == TRAILS_NONE)
        *first = place;
    else
        trails->items[*last].next = place;
    *last = place;
}

static uint32_t make(struct trails *trails, uint32_t parent, enum trail_kind kind, uint32_t item,
                     bool is_folded)
{
    uint64_t key = key_of(parent, kind, item, is_folded);
    trails->items = memory_grow(trails->items, trails->used, &trails->room, sizeof *trails->items);
    uint32_t place = (uint32_t)trails->used++;
    trails->items[place] = (struct trail){.parent = parent,
                                          .first_child = TRAILS_NONE,
                                          .last_child = TRAILS_NONE,
                                          .next = TRAILS_NONE,
                                          .item = item,
                                          .kind = (uint8_t)kind,
                                          .is_folded = is_folded};
    link_under(trails, parent, place);
    (void)index_put(&trails->index, key, place); /* without memory it is not found again */
    if (kind == TRAIL_FOLDED && parent == TRAILS_NONE) trails->folded_root = place;
    return place;
}

static uint32_t find(const struct trails *trails, uint32_t parent, enum trail_kind kind,
                     uint32_t item, bool is_folded)
{
    return index_find(&trails->index, key_of(parent, kind, item, is_folded));
}

/* The node that stands for every path of this item that has none of its own. */
static uint32_t folded_place(struct trails *trails, enum trail_kind kind, uint32_t item)
{
    if (trails->folded_root == TRAILS_NONE) (void)make(trails, TRAILS_NONE, TRAIL_FOLDED, 0, true);
    if (kind == TRAIL_FOLDED) return trails->folded_root;
    uint32_t place = find(trails, trails->folded_root, kind, item, true);
    return place != INDEX_NONE ? place : make(trails, trails->folded_root, kind, item, true);
}

uint32_t trails_add(struct trails *trails, uint32_t parent, enum trail_kind kind, uint32_t item,
                    bool is_folded, const struct figures *figures)
{
    uint32_t place;
    /* below a folded node there are no paths */
    bool is_under_folded = parent != TRAILS_NONE && parent != trails->folded_root &&
                           trails->items[parent].is_folded && trails->folded;
    if (is_under_folded) {
        place = folded_place(trails, kind, item);
    } else {
        place = find(trails, parent, kind, item, is_folded);
        if (place == INDEX_NONE && trails->used >= trails->most) {
            trails->folded++;
            place = folded_place(trails, kind, item);
        } else if (place == INDEX_NONE) {
            place = make(trails, parent, kind, item, is_folded);
        }
    }
    sum_add(&trails->items[place].sum, figures);
    return place;
}

uint32_t trails_next(const struct trails *trails, uint32_t place)
{
    if (place == TRAILS_NONE) return trails->first_root;
    if (trails->items[place].first_child != TRAILS_NONE) return trails->items[place].first_child;
    while (place != TRAILS_NONE && trails->items[place].next == TRAILS_NONE)
        place = trails->items[place].parent;
    return place == TRAILS_NONE ? TRAILS_NONE : trails->items[place].next;
}

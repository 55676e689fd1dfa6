/* SPDX-License-Identifier: MIT
 *
 * A recorder's own space in the store: extents that double, so that a thread takes little at first
 * and the store's lock rarely. */
#pragma once

#include "control/control.h"

/* Zeroed space of the block's recorder, aligned to 64 bytes; 0 when the store is full.
 * Context: owner thread, while busy or attaching. */
store_ref space_alloc(struct control *block, uint64_t bytes);

/* What lies there. */
static inline void *space_at(const struct control *block, store_ref ref)
{
    return block->base + (uint64_t)ref * STORE_UNIT;
}

/* The last segment of a list with room for one more item, made if needed; 0 when the store is full.
 * head: the list's first ref (in the recorder); tail: the newest (in the block); item_bytes: its
 * size; first, most: capacities of the first and the largest segment. Context: as above. */
struct space_list {
    store_ref *head, *tail;
    uint32_t kind, item_bytes, first, most;
};
store_ref space_next_item(struct control *block, const struct space_list *list);
/* Publishes the item that space_next_item gave. */
void space_publish(struct control *block, store_ref tail);

/* SPDX-License-Identifier: MIT
 *
 * Extents and segments. Space is never given back: a recorder outlives its thread and is handed on
 * whole. Runs on the owner's slow paths. */
#include "record/space.h"

#include "record/recorder.h"

enum { FIRST_EXTENT = 32 << 10, LARGEST_EXTENT = 128 << 10, LINE = 64 };

static store_ref own_extent(uint64_t bytes)
{
    return store_alloc(recorder_settings()->store, bytes, LINE);
}

store_ref space_alloc(struct control *block, uint64_t bytes)
{
    bytes = (bytes + LINE - 1) & ~(uint64_t)(LINE - 1);
    uint64_t room = (uint64_t)(block->extent_end - block->extent) * STORE_UNIT;
    if (bytes > room) {
        uint64_t next = block->extent_bytes ? (uint64_t)block->extent_bytes * 2 : FIRST_EXTENT;
        if (next > LARGEST_EXTENT) next = LARGEST_EXTENT;
        /* A large piece would waste the rest of an extent. */
        if (bytes > next / 2) return own_extent(bytes);
        store_ref extent = own_extent(next);
        if (!extent) return 0;
        block->extent = extent;
        block->extent_end = extent + (store_ref)(next / STORE_UNIT);
        block->extent_bytes = (uint32_t)next;
    }
    store_ref at = block->extent;
    block->extent += (store_ref)(bytes / STORE_UNIT);
    return at;
}

static struct store_segment *segment_at(const struct control *block, store_ref ref)
{
    return space_at(block, ref);
}

static store_ref add_segment(struct control *block, const struct space_list *list)
{
    uint32_t capacity = list->first;
    if (*list->tail) capacity = segment_at(block, *list->tail)->capacity * 2;
    if (capacity > list->most) capacity = list->most;
    uint64_t bytes = sizeof(struct store_segment) + (uint64_t)capacity * list->item_bytes;
    store_ref ref = space_alloc(block, bytes);
    if (!ref) return 0;
    struct store_segment *segment = segment_at(block, ref);
    segment->kind = list->kind;
    segment->capacity = capacity;
    /* Release pairs with the reader's acquire of the list (store/view.c). */
    store_ref *link = *list->tail ? &segment_at(block, *list->tail)->next : list->head;
    __atomic_store_n(link, ref, __ATOMIC_RELEASE);
    *list->tail = ref;
    return ref;
}

store_ref space_next_item(struct control *block, const struct space_list *list)
{
    store_ref tail = *list->tail;
    if (!tail || segment_at(block, tail)->used == segment_at(block, tail)->capacity) {
        tail = add_segment(block, list);
        if (!tail) return 0;
    }
    uint64_t offset =
        sizeof(struct store_segment) + (uint64_t)segment_at(block, tail)->used * list->item_bytes;
    return tail + (store_ref)(offset / STORE_UNIT);
}

void space_publish(struct control *block, store_ref tail)
{
    struct store_segment *segment = segment_at(block, tail);
    /* Release pairs with the acquire in store/view.c: the item is whole. */
    __atomic_store_n(&segment->used, segment->used + 1, __ATOMIC_RELEASE);
}

/* SPDX-License-Identifier: MIT
 *
 * Open addressing with linear probing, at most half full. Runs anywhere. */
#include "base/index.h"

#include "base/hash.h"

#include <errno.h>

struct index_slot {
    uint64_t key;
    uint32_t value_plus_1; /* 0 = free: fresh arena memory is an empty table */
    uint32_t pad;
};

enum { FIRST_CAPACITY = 64 };

static struct index_slot *slot_of(struct index_slot *slots, uint32_t capacity, uint64_t key)
{
    uint32_t at = (uint32_t)hash_u64(key) & (capacity - 1);
    while (slots[at].value_plus_1 && slots[at].key != key) at = (at + 1) & (capacity - 1);
    return &slots[at];
}

uint32_t index_find(const struct index *index, uint64_t key)
{
    if (!index->capacity) return INDEX_NONE;
    return slot_of(index->slots, index->capacity, key)->value_plus_1 - 1;
}

static int grow(struct index *index)
{
    uint32_t capacity = index->capacity ? index->capacity * 2 : FIRST_CAPACITY;
    if (!capacity) return -ENOMEM;
    struct index_slot *slots = arena_alloc(index->arena, capacity * sizeof *slots);
    if (!slots) return -ENOMEM;
    for (uint32_t i = 0; i < index->capacity; i++) {
        const struct index_slot *old = &index->slots[i];
        if (old->value_plus_1) *slot_of(slots, capacity, old->key) = *old;
    }
    index->slots = slots;
    index->capacity = capacity;
    return 0;
}

int index_put(struct index *index, uint64_t key, uint32_t value)
{
    if (index->used >= index->capacity / 2 && grow(index)) return -ENOMEM;
    struct index_slot *slot = slot_of(index->slots, index->capacity, key);
    slot->key = key;
    slot->value_plus_1 = value + 1;
    index->used++;
    return 0;
}

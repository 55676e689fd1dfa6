/* SPDX-License-Identifier: MIT
 *
 * Finding the node of a call: the parent's last child first, then the table. Inlined into the
 * hooks; its slow twin, which makes nodes, is tree.c. */
#pragma once

#include "control/control.h"

static ALWAYS_INLINE struct store_node *tree_node(const uint8_t *base, store_ref ref)
{
    return (struct store_node *)(void *)(base + (uint64_t)ref * STORE_UNIT);
}

/* Multiplicative hashing of the address (Knuth, TAOCP 3, 6.4: the upper half of the product mixes
 * all lower bits), while the parent's ref, whose nodes lie one behind the other, is still being
 * loaded. */
static ALWAYS_INLINE uint64_t tree_slot(store_ref parent, uint64_t address)
{
    return (address * UINT64_C(0x9e3779b97f4a7c15) >> 32) ^ parent / 8;
}

/* How far it goes on from a slot that is taken. The nodes of a recursion lie one behind the other,
 * thousands of them: the next slot would be another of theirs. Odd, so that all slots come; from
 * higher bits than the slot, so that who meets in one goes apart. */
static ALWAYS_INLINE uint64_t tree_stride(uint64_t address)
{
    return address * UINT64_C(0x9e3779b97f4a7c15) >> 41 | 1;
}

/* The node of (parent, address), or 0. Ends because the table is never full. Context: hot. */
static ALWAYS_INLINE store_ref tree_find(const struct control *block, store_ref parent,
                                         uint64_t address)
{
    const uint8_t *base = block->base;
    for (uint64_t i = tree_slot(parent, address);; i += tree_stride(address)) {
        store_ref ref = block->slots[i & block->slots_mask];
        if (!ref) return 0;
        const struct store_node *node = tree_node(base, ref);
        if (LIKELY(node->address == address) && LIKELY(node->parent == parent)) return ref;
    }
}

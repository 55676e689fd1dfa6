/* SPDX-License-Identifier: MIT
 *
 * Largest first, in place and without allocation. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct order_item {
    uint64_t key;
    uint32_t item; /* equal keys: the smaller first */
};

/* Sorts by descending key in O(n log n). Context: any thread, signal-safe. */
void order_descending(struct order_item *items, size_t n);

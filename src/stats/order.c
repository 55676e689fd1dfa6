/* SPDX-License-Identifier: MIT
 *
 * Heapsort: no memory, no bad case, and n is the number of functions. Runs anywhere. */
#include "stats/order.h"

#include <stdbool.h>

static bool comes_after(const struct order_item *a, const struct order_item *b)
{
    return a->key < b->key || (a->key == b->key && a->item > b->item);
}

static void swap(struct order_item *a, struct order_item *b)
{
    struct order_item held = *a;
    *a = *b;
    *b = held;
}

/* The heap's top is the item that comes last. */
static void sift_down(struct order_item *heap, size_t at, size_t n)
{
    for (size_t child; (child = 2 * at + 1) < n; at = child) {
        if (child + 1 < n && comes_after(&heap[child + 1], &heap[child])) child++;
        if (!comes_after(&heap[child], &heap[at])) return;
        swap(&heap[at], &heap[child]);
    }
}

void order_descending(struct order_item *items, size_t n)
{
    for (size_t i = n / 2; i-- > 0;) sift_down(items, i, n);
    while (n > 1) {
        swap(&items[0], &items[--n]);
        sift_down(items, 0, n);
    }
}

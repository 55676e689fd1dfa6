/* SPDX-License-Identifier: MIT
 *
 * Introsort (Musser 1997): quicksort until it goes too deep, then heapsort, so the worst case is
 * n log n and the stack small. libc's qsort allocates. Runs anywhere. */
#include "stats/exact.h"

enum { SMALL = 24, RANGES = 64 };

static void swap(uint64_t *a, uint64_t *b)
{
    uint64_t held = *a;
    *a = *b;
    *b = held;
}

static void sift_down(uint64_t *heap, size_t at, size_t n)
{
    for (size_t child; (child = 2 * at + 1) < n; at = child) {
        if (child + 1 < n && heap[child] < heap[child + 1]) child++;
        if (heap[at] >= heap[child]) return;
        swap(&heap[at], &heap[child]);
    }
}

static void heap_sort(uint64_t *values, size_t n)
{
    for (size_t i = n / 2; i-- > 0;) sift_down(values, i, n);
    while (n > 1) {
        swap(&values[0], &values[--n]);
        sift_down(values, 0, n);
    }
}

static void insertion_sort(uint64_t *values, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        uint64_t value = values[i];
        size_t at = i;
        for (; at > 0 && values[at - 1] > value; at--) values[at] = values[at - 1];
        values[at] = value;
    }
}

static uint64_t median_of_three(uint64_t a, uint64_t b, uint64_t c)
{
    uint64_t low = a < b ? a : b, high = a < b ? b : a;
    return c < low ? low : c > high ? high : c;
}

/* Hoare's partition: values[0 … result) <= values[result … n), both parts non-empty. */
static size_t partition(uint64_t *values, size_t n)
{
    uint64_t pivot = median_of_three(values[0], values[n / 2], values[n - 1]);
    size_t left = 0, right = n - 1;
    for (;;) {
        while (values[left] < pivot) left++;
        while (values[right] > pivot) right--;
        if (left >= right) return left ? left : 1;
        swap(&values[left++], &values[right--]);
    }
}

void exact_sort(uint64_t *values, size_t n)
{
    struct range {
        uint64_t *values;
        size_t n;
        unsigned depth;
    } ranges[RANGES]; /* the larger part waits, so never more than log2(n) of them */
    size_t waiting = 0;
    unsigned depth = n ? 2 * (64 - (unsigned)__builtin_clzll(n)) : 0;
    struct range now = {values, n, depth};
    for (;;) {
        while (now.n > SMALL && now.depth) {
            size_t cut = partition(now.values, now.n);
            struct range left = {now.values, cut, now.depth - 1};
            struct range right = {now.values + cut, now.n - cut, now.depth - 1};
            ranges[waiting++] = left.n > right.n ? left : right;
            now = left.n > right.n ? right : left;
        }
        if (now.n > SMALL)
            heap_sort(now.values, now.n);
        else
            insertion_sort(now.values, now.n);
        if (!waiting) return;
        now = ranges[--waiting];
    }
}

double exact_quantile(const uint64_t *sorted, size_t n, double q)
{
    double rank = q * (double)(n - 1);
    size_t low = (size_t)rank;
    if (low >= n - 1) return (double)sorted[n - 1];
    double part = rank - (double)low;
    return (double)sorted[low] + part * (double)(sorted[low + 1] - sorted[low]);
}

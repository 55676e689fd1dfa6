/* SPDX-License-Identifier: MIT
 *
 * Counts in blocks, and what is asked of them. Runs in `stint`. */
#include "intake/bins.h"

#include "verb/memory.h"

#include <stdlib.h>

const double quantile_places[QUANTILES] = {0.5, 0.9, 0.95, 0.99, 0.999};
const char *const quantile_keys[QUANTILES] = {"P50_ms", "P90_ms", "P95_ms", "P99_ms", "P99_9_ms"};

uint64_t bins_plus(uint64_t a, uint64_t b)
{
    return a > INT64_MAX - b || b > INT64_MAX ? INT64_MAX : a + b;
}

void bins_add(struct bins *bins, uint32_t bucket, uint64_t count)
{
    uint64_t **block = &bins->blocks[bucket / BINS_BLOCK];
    if (!*block) *block = memory_new(BINS_BLOCK, sizeof **block);
    uint64_t *to = &(*block)[bucket % BINS_BLOCK];
    *to = bins_plus(*to, count);
    bins->n = bins_plus(bins->n, count);
}

void bins_add_all(struct bins *bins, const struct bins *more)
{
    for (uint32_t i = 0; i < HIST_NS_BUCKETS; i++) {
        const uint64_t *block = more->blocks[i / BINS_BLOCK];
        if (block && block[i % BINS_BLOCK]) bins_add(bins, i, block[i % BINS_BLOCK]);
    }
}

void bins_flatten(const struct bins *bins, struct bins_flat *flat)
{
    flat->used = 0;
    for (uint32_t i = 0; i < HIST_NS_BUCKETS; i++) {
        const uint64_t *block = bins->blocks[i / BINS_BLOCK];
        if (!block || !block[i % BINS_BLOCK]) continue;
        flat->buckets[flat->used] = i;
        flat->counts[flat->used] = block[i % BINS_BLOCK];
        flat->ns[flat->used++] = hist_ns_representative(i);
    }
}

double bins_quantile_ms(const struct bins_flat *flat, uint64_t n, double q)
{
    return hist_quantile(flat->counts, flat->ns, flat->used, n, q) / 1e6;
}

void bins_fini(struct bins *bins)
{
    for (int i = 0; i < BINS_BLOCKS; i++) free(bins->blocks[i]);
    *bins = (struct bins){.n = 0};
}

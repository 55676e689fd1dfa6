/* SPDX-License-Identifier: MIT
 *
 * One more sample into a ring that has room: the straight line of record/ring.h. */
#pragma once

#include "base/compiler.h"
#include "store/layout.h"

#include <stdbool.h>

/* Claims a place and tells it together with the capacity that bounded it: a handler that made room
 * afterwards has given the places beyond that bound away anew. One instruction, which a signal
 * handler of this thread can't split, and not locked: nobody else writes. */
static ALWAYS_INLINE uint64_t ring_claim(struct store_ring *ring)
{
#if defined(__x86_64__)
    uint64_t places = 1;
    __asm__ volatile("xaddq %0, %1" : "+r"(places), "+m"(ring->places)::"memory", "cc");
    return places;
#else
    return __atomic_fetch_add(&ring->places, 1, __ATOMIC_RELAXED);
#endif
}

/* False where the array is full: ring_add makes room. Context: hot, owner thread; while busy too.
 */
static ALWAYS_INLINE bool ring_try_add(uint8_t *base, store_ref ref, uint64_t sample)
{
    struct store_ring *ring = (struct store_ring *)(void *)(base + (uint64_t)ref * STORE_UNIT);
    uint64_t claim = ring_claim(ring);
    uint32_t at = (uint32_t)claim;
    if (UNLIKELY(at >= claim >> 32)) return false;
    store_ref samples;
    do { /* a handler that came in between may have moved them */
        samples = __atomic_load_n(&ring->samples, __ATOMIC_RELAXED);
        __atomic_store_n((uint64_t *)(void *)(base + (uint64_t)samples * STORE_UNIT) + at, sample,
                         __ATOMIC_RELAXED);
        SIGNAL_FENCE();
    } while (UNLIKELY(samples != __atomic_load_n(&ring->samples, __ATOMIC_RELAXED)));
    return true;
}

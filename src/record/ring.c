/* SPDX-License-Identifier: MIT
 *
 * A ring that starts small and doubles. Old arrays stay where they are: a reader may hold their
 * ref. Runs on the owner's slow paths. */
#include "record/ring.h"

#include "record/recorder.h"
#include "record/space.h"

#include <string.h>

enum { FIRST_SAMPLES = 64 };

static void *at(const struct control *block, store_ref ref)
{
    return block->base + (uint64_t)ref * STORE_UNIT;
}

/* Takes bytes from what all rings may have together. */
static bool may_take(uint64_t bytes)
{
    struct control_process *process = control_process();
    if (!process) return false;
    uint64_t taken = __atomic_add_fetch(&process->ring_bytes, bytes, __ATOMIC_RELAXED);
    if (taken <= recorder_settings()->sample_bytes) return true;
    (void)__atomic_sub_fetch(&process->ring_bytes, bytes, __ATOMIC_RELAXED);
    return false;
}

static bool grow(struct control *block, struct store_ring *ring)
{
    uint32_t capacity = ring->capacity ? ring->capacity * 2 : FIRST_SAMPLES;
    if (capacity > ring->limit) capacity = ring->limit;
    uint64_t bytes = (uint64_t)capacity * sizeof(uint64_t);
    if (!may_take(bytes)) return false;
    store_ref samples = space_alloc(block, bytes);
    if (!samples) return false;
    if (ring->samples) {
        memcpy(at(block, samples), at(block, ring->samples), ring->capacity * sizeof(uint64_t));
    }
    __atomic_store_n(&ring->samples, samples, __ATOMIC_RELEASE);
    __atomic_store_n(&ring->capacity, capacity, __ATOMIC_RELEASE);
    return true;
}

static struct store_ring *make(struct control *block, struct store_function *function,
                               uint32_t limit)
{
    store_ref ref = space_alloc(block, sizeof(struct store_ring));
    if (!ref) return NULL;
    ((struct store_ring *)at(block, ref))->limit = limit;
    __atomic_store_n(&function->ring, ref, __ATOMIC_RELEASE);
    return at(block, ref);
}

void ring_add(struct control *block, struct store_function *function, uint64_t value,
              uint32_t limit)
{
    struct store_ring *ring =
        function->ring ? at(block, function->ring) : make(block, function, limit);
    if (!ring) return;
    bool is_full = ring->written == ring->capacity && ring->capacity < ring->limit;
    /* Where it may not grow, what it has is its size from now on. */
    if (is_full && !grow(block, ring)) ring->limit = ring->capacity;
    if (!ring->capacity) return;
    uint64_t *samples = at(block, ring->samples);
    samples[ring->written % ring->capacity] = value;
    __atomic_store_n(&ring->written, ring->written + 1, __ATOMIC_RELEASE);
}

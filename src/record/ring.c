/* SPDX-License-Identifier: MIT
 *
 * A ring that starts small and doubles. Old arrays stay where they are: a reader may hold their
 * ref. Runs on the owner's slow paths. */
#include "record/ring.h"

#include "record/recorder.h"
#include "record/ring_hot.h"
#include "record/space.h"

#include <string.h>

enum { FIRST_SAMPLES = 64 };

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

/* Both in one store, so that no handler finds one without the other. */
static void set_next_and_capacity(struct store_ring *ring, uint32_t next, uint32_t capacity)
{
    __atomic_store_n(&ring->places, (uint64_t)capacity << 32 | next, __ATOMIC_RELEASE);
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
        memcpy(space_at(block, samples), space_at(block, ring->samples),
               ring->capacity * sizeof(uint64_t));
    }
    __atomic_store_n(&ring->samples, samples, __ATOMIC_RELEASE);
    /* Claims of places beyond the end are forgotten. */
    set_next_and_capacity(ring, ring->capacity, capacity);
    return true;
}

static void begin_lap(struct store_ring *ring)
{
    __atomic_store_n(&ring->lapped, ring->lapped + ring->capacity, __ATOMIC_RELEASE);
    set_next_and_capacity(ring, 0, ring->capacity);
}

static struct store_ring *make(struct control *block, struct store_function *function,
                               uint32_t limit)
{
    store_ref ref = space_alloc(block, sizeof(struct store_ring));
    if (!ref) return NULL;
    ((struct store_ring *)space_at(block, ref))->limit = limit;
    __atomic_store_n(&function->ring, ref, __ATOMIC_RELEASE);
    return space_at(block, ref);
}

void ring_add(struct control *block, struct store_function *function, uint64_t value,
              uint32_t limit)
{
    struct store_ring *ring =
        function->ring ? space_at(block, function->ring) : make(block, function, limit);
    /* Again where a handler took the room that was made. */
    while (ring && !(ring->capacity && ring_try_add(block->base, function->ring, value))) {
        if (ring->capacity < ring->limit && grow(block, ring)) continue;
        /* Where it may not grow, what it has is its size from now on. */
        ring->limit = ring->capacity;
        if (!ring->capacity) return;
        begin_lap(ring);
    }
}

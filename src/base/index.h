/* SPDX-License-Identifier: MIT
 *
 * A number found by a 64-bit key, in an arena. Grows by doubling; what it outgrows stays in the
 * arena until that is released. */
#pragma once

#include "base/arena.h"

#include <stdint.h>

enum { INDEX_NONE = UINT32_MAX };

struct index_slot;

/* Zero-initialised is an empty index, once `arena` is set. */
struct index {
    struct arena *arena;
    struct index_slot *slots;
    uint32_t capacity, used;
};

/* The number under a key, or INDEX_NONE. Context: any thread, signal-safe (so are all of this
 * file). */
uint32_t index_find(const struct index *index, uint64_t key);

/* Puts a number (not INDEX_NONE) under a key that is not there yet. 0 or −ENOMEM. */
int index_put(struct index *index, uint64_t key, uint32_t value);

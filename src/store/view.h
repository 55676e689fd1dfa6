/* SPDX-License-Identifier: MIT
 *
 * Reading a store: one's own, still being written, or a file left by a process that is gone,
 * perhaps cut or damaged. No ref is followed unchecked and no list walked without a bound, so any
 * bytes are safe. */
#pragma once

#include "base/fault.h"
#include "store/layout.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct view {
    const uint8_t *base;
    uint64_t bytes; /* readable */
    void *mapping;  /* non-NULL: view_close unmaps */
    uint64_t mapped_bytes;
    bool is_live; /* of this very process: what it allocates meanwhile is readable too */
};

/* A view of a store in memory. Checks the head (magic, version, byte order, record sizes). 0 or
 * −errno with the fault filled. Context: any thread, signal-safe. */
int view_init(struct view *view, const void *base, uint64_t bytes, struct fault *fault);

/* Maps a store file read-only (private) and checks it likewise; a file shorter than used_bytes is
 * read up to its end. Context: outside a target. */
int view_open(struct view *view, const char *path, struct fault *fault);
void view_close(struct view *view);

/* The record of `bytes` bytes at ref, or NULL if ref is 0 or any of it lies outside. Aligned to 8.
 * Context: any thread, signal-safe (so are all below). */
const void *view_at(const struct view *view, store_ref ref, uint64_t bytes);
const struct store_head *view_head(const struct view *view);
/* A text, or NULL; *bytes is its length, cut to what is readable. */
const char *view_text(const struct view *view, store_ref ref, uint32_t *bytes);

/* The next module/recorder/stack after `previous` (NULL: the first), or NULL at the end. A walk
 * ends after as many steps as records fit the file, so a circle ends too: the caller passes a step
 * counter that starts at 0. */
const struct store_module *view_next_module(const struct view *view,
                                            const struct store_module *previous, uint64_t *steps);
const struct store_recorder *
view_next_recorder(const struct view *view, const struct store_recorder *previous, uint64_t *steps);
const struct store_stack *view_next_stack(const struct view *view,
                                          const struct store_recorder *recorder,
                                          const struct store_stack *previous, uint64_t *steps);

/* All published items of a list of segments, in order. Start with {.segment = first ref}. `ref` is
 * the current item's. Returns NULL at the end. */
struct view_items {
    store_ref segment;
    uint32_t index;
    uint64_t steps;
    store_ref ref;
};
const struct store_node *view_next_node(const struct view *view, struct view_items *items);
const struct store_function *view_next_function(const struct view *view, struct view_items *items);

/* Open frames of a stack, bottom first: how many, and the array (frames[1] is the outermost call,
 * as store_stack says). NULL and 0 where there are none. */
const struct store_frame *view_frames(const struct view *view, const struct store_stack *stack,
                                      uint32_t *open);

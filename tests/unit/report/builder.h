/* SPDX-License-Identifier: MIT
 *
 * A store laid out by hand in memory, record by record, as layout.h describes it; no part of the
 * recorder takes part. */
#pragma once

#include "store/layout.h"

#include <stddef.h>
#include <stdint.h>

struct builder {
    uint8_t *base; /* page-aligned, zeroed */
    uint64_t capacity;
    store_ref last_module, last_recorder;
};

/* An empty store of process 4242 whose clock counts nanoseconds from 0. All of this file aborts
 * where its room is used up. */
void builder_init(struct builder *builder, uint64_t capacity);
void builder_fini(struct builder *builder);
struct store_head *builder_head(const struct builder *builder);
void *builder_at(const struct builder *builder, store_ref ref);
uint64_t builder_used(const struct builder *builder);

store_ref builder_alloc(struct builder *builder, uint64_t bytes);
store_ref builder_text(struct builder *builder, const char *text, uint32_t bytes);

/* A module over [low, high), where its file addresses begin at 0. */
struct store_module *builder_module(struct builder *builder, const char *path, uint64_t low,
                                    uint64_t high);

/* A running recorder, with its root and room for this many records. */
struct store_recorder *builder_recorder(struct builder *builder, uint32_t nodes,
                                        uint32_t functions);

store_ref builder_function(struct builder *builder, struct store_recorder *recorder,
                           uint64_t address);
store_ref builder_category(struct builder *builder, struct store_recorder *recorder,
                           const char *name);

/* The record of a category of another kind than a scope (enum store_kind). */
store_ref builder_kind(struct builder *builder, struct store_recorder *recorder, const char *name,
                       uint32_t kind);

/* A node under parent (a ref; 0 = outside the tree) that nothing has called yet. */
store_ref builder_node(struct builder *builder, struct store_recorder *recorder, store_ref parent,
                       store_ref function);
/* An ended call of the node: its sums and its function's histogram. */
void builder_call(struct builder *builder, store_ref node, uint64_t duration);
/* A sample into the function's ring of `limit` places, made when missing. */
void builder_sample(struct builder *builder, store_ref function, uint64_t value, uint32_t limit);
/* The node all folded ones hang from, made when missing; and a folded node. */
store_ref builder_folded_root(struct builder *builder, struct store_recorder *recorder);
store_ref builder_folded(struct builder *builder, struct store_recorder *recorder,
                         store_ref function);
void builder_add_folded_children(struct builder *builder, store_ref node, uint64_t ticks);

store_ref builder_stack(struct builder *builder, struct store_recorder *recorder,
                        uint32_t capacity);
void builder_frame(struct builder *builder, store_ref stack, store_ref node, uint64_t start);

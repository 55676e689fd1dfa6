/* SPDX-License-Identifier: MIT
 *
 * The members of a merged report, for write.c and the files beside it. */
#pragma once

#include "merge/gather.h"
#include "print/emit.h"

struct merge_writer {
    struct emit emit;
    struct gather *gather;
    struct bins_flat *flat;
    uint32_t *ids;      /* of functions: place → id */
    uint32_t *node_ids; /* of paths */
};

/* Into the open object. */
void merge_write_sum(struct emit *emit, const struct sum *sum);
void merge_write_statistics(struct emit *emit, struct pooled *pooled, struct bins_flat *flat);

void merge_write_head(struct merge_writer *writer); /* process … lost */
void merge_write_threads(struct merge_writer *writer);
void merge_write_tree(struct merge_writer *writer);
void merge_write_extras(struct merge_writer *writer); /* counters, values, frames */

/* SPDX-License-Identifier: MIT
 *
 * A store as the report sees it: the recorders' functions united over threads and loads, with their
 * sums, and one call tree. */
#pragma once

#include "report/names.h"
#include "report/tree.h"

/* A function record of one thread. */
struct part {
    const struct store_function *record;
    struct part *next; /* of the same function; those of one thread stand together */
    uint32_t function, thread;
    bool is_ns;                       /* its values are nanoseconds */
    bool in_tree;                     /* has nodes in the tree, so Self means something */
    bool leads;                       /* first of its function in its thread */
    const struct store_node *outside; /* of a counter or value, with its sums; NULL = none yet */
    struct sums sums;
};

struct merged_function {
    struct names_place place;
    const char *category; /* valid UTF-8; NULL = a function */
    enum store_kind kind; /* of a category; scopes and nanoseconds are one, STORE_KIND_SCOPE */
    struct part *parts, *last_part;
    uint64_t self_ticks;
    uint32_t id; /* rank by Self, 0 = most; categories have none */
    /* scratch while one thread is merged: activations of it above the node, newest stack seen on */
    uint32_t active, seen_on;
};

struct merged_thread {
    const struct store_recorder *record;
    uint64_t end_ticks; /* its open calls are timed up to here */
    uint32_t first_part, parts;
    uint32_t *open_calls; /* functions, outermost first */
    uint32_t open_count;
    struct tree *tree; /* its own, where asked for */
};

struct merged {
    struct arena *arena, *scratch;
    const struct view *view;
    uint64_t now_ticks;
    bool has_thread_trees;
    struct names names;
    struct part *parts;
    uint32_t part_count, part_capacity;
    struct merged_function *functions;
    uint32_t function_count, function_capacity;
    uint32_t *by_rank; /* functions, not categories, by descending Self */
    uint32_t ranked;
    struct merged_thread *threads;
    uint32_t thread_count;
    struct tree tree;
    uint64_t calls; /* that went through the hooks or scopes */
    /* what a store can hold at most, counted down: damaged lists may share their items */
    uint64_t items_left, frames_left;
    struct index part_by_ref, function_by_key, seen;
    uint32_t stack_serial;
};

struct merge_options {
    const struct view *view;
    uint64_t now_ticks;
    bool has_thread_trees;
};

/* Merges everything. `arena` keeps the result; `scratch` is used and given back. 0 or −ENOMEM.
 * Context: any thread, signal-safe; the store may be written meanwhile. */
int merge_store(struct merged *merged, const struct merge_options *options, struct arena *arena,
                struct arena *scratch);

/* True where a node says anything of these parts (all from `first` on, or those of its thread): a
 * record alone, made just before a death or for the recorder's own use, is no function of the
 * report. Context: as above. */
bool merge_was_called(const struct part *first, bool in_one_thread);

/* A function of the report's list of categories, not of functions, counters or values. */
static inline bool merge_is_category(const struct merged_function *function)
{
    return function->category && function->kind == STORE_KIND_SCOPE;
}

/* True the first time that a record at this place is asked about. Context: as above. */
bool merge_is_new(struct merged *merged, const void *record);

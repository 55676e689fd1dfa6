/* SPDX-License-Identifier: MIT
 *
 * One thread's recorder over a store in memory, with every dial in reach: made-up functions,
 * stack addresses and clock readings go in, and what was recorded is found again by walking the
 * segments, without the recorder's own tables. */
#pragma once

#include "control/control.h"
#include "record/recorder.h"
#include "store/store.h"

/* Bounds of the machine stack that the recorder believes to be on. */
enum { LAB_LOW = 0x100000, LAB_HIGH = 0x200000 };

struct lab {
    struct store store;
    struct control *block; /* the calling thread's */
    uint64_t reserved_bytes;
};
extern struct lab lab;

/* A store and a recorder for the calling thread; where a wanted option is 0, it is ample. */
void lab_open(struct recorder_options wanted);
/* The same on the stack that the thread really runs on, whatever its bounds. */
void lab_open_here(struct recorder_options wanted);
/* Only the store: no thread is attached. */
void lab_open_store(struct recorder_options wanted);
/* Teardown of a case: as if nothing had ever recorded in this process. */
int lab_close(void **state);

/* No allocation succeeds until the memory is back. */
void lab_exhaust(void);
void lab_replenish(void);

/* A call, with the clock's reading at its start and end. */
void lab_enter(uint64_t address, uintptr_t sp, uint64_t start);
void lab_exit(uint64_t address, uintptr_t sp, uint64_t now);
/* Calls open on the current stack, unfinished slots included. */
uint32_t lab_depth(void);
uint64_t lab_lost(enum lost_kind kind);

/* The node of a path of addresses from the root, or NULL; fails where there are two. */
#define LAB_NODE(...)                                                                              \
    lab_node(lab.block, (const uint64_t[]){__VA_ARGS__},                                           \
             sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t))
const struct store_node *lab_node(const struct control *block, const uint64_t *path, size_t length);
/* The folded node of a function, or NULL. */
const struct store_node *lab_folded(const struct control *block, uint64_t address);
/* The i-th node or function of a recorder in the order of their making, or NULL. */
const struct store_node *lab_nth_node(const struct control *block, uint32_t i);
const struct store_function *lab_nth_function(const struct control *block, uint32_t i);
/* The record of a function; fails where there are two. */
const struct store_function *lab_function(const struct control *block, uint64_t address);
/* What stands in a function's histogram: in all, or in one bucket. */
uint64_t lab_histogram_sum(const struct control *block, const struct store_function *function);
uint64_t lab_bucket(const struct control *block, const struct store_function *function,
                    uint32_t bucket);
/* The bucket of a duration, by the formula of store/layout.h. */
uint32_t lab_bucket_of(uint64_t ticks);
const void *lab_at(const struct control *block, store_ref ref);

#define LAB_CASE(name) cmocka_unit_test_teardown(name, lab_close)

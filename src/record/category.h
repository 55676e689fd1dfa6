/* SPDX-License-Identifier: MIT
 *
 * Names that a program gives to its own work: found by content, process-wide, for good. A category
 * may be used as a scope (a node of the call tree), for durations in nanoseconds, as a counter and
 * for values; each kind has a record of its own in each thread. Pointers stay valid in forked
 * children, whose store is another: what depends on the store is made afresh there. */
#pragma once

#include "control/control.h"

enum { CATEGORY_MOST = 16384, CATEGORY_NAME_BYTES = 4096 };
/* Where the names beyond CATEGORY_MOST go. */
#define CATEGORY_OTHERS "[other categories]"

struct category {
    uint64_t
        addresses[STORE_KINDS]; /* in the present store; the name's ref is 0 until it is used */
    uint32_t number;            /* dense, from 0 */
    uint32_t bytes;             /* of the name */
    store_ref text, unit_text;  /* in the present store; 0 = not there yet */
    const char *unit;           /* of its values; NULL until one came with a unit */
    uint64_t hash;
    char name[]; /* ends with NUL */
};

/* What a thread has of a category; zeros until it is used. In the thread's part of the store. */
struct category_own {
    store_ref nodes[STORE_KINDS];        /* not of scopes */
    store_ref scope_samples, ns_samples; /* rings; 0 = none, or none yet */
    store_ref reserved[2];
};

/* The category of this name, found or made; beyond CATEGORY_MOST names, the one for all others.
 * Compared by content, cut to CATEGORY_NAME_BYTES. NULL without memory or name. Lives as long as
 * the process. Context: any thread, signal-safe. */
struct category *category_make(const char *name);

/* What stands for it in the nodes and records of the present store. Without memory there its name
 * is missing in the report. Context: any thread with a recorder, signal-safe. */
uint64_t category_address(struct category *category, enum store_kind kind);

/* For the calls that a fork takes along: an address as it is meant in any store (a function's is
 * itself), and what that is in the present one. Context: any thread, signal-safe. */
uint64_t category_portable(uint64_t address);
uint64_t category_from_portable(uint64_t address);

/* The store is a new one: no name is in it yet. Context: start-up, before any thread records. */
void category_forget_store(void);

/* Number in the process of a category's address + 1; 0 = unknown, or a function's. */
static inline uint32_t category_number_after(uint64_t address)
{
    return address & STORE_MARK_CATEGORY
               ? (uint32_t)((address & STORE_ADDRESS_MASK) >> STORE_NUMBER_SHIFT)
               : 0;
}

static inline enum store_kind category_kind(uint64_t address)
{
    return (enum store_kind)(address >> STORE_KIND_SHIFT & (STORE_KINDS - 1));
}

/* The node of a category outside the tree, found or made; 0 without memory.
 * Context: owner thread, while busy. */
store_ref category_node(struct control *block, uint64_t address);

/* The samples of a category are kept in a ring now: the straight line may use it. Context: as
 * above. */
void category_note_ring(struct control *block, const struct store_function *function);

/* Keeps a scope's duration, in ticks, that is counted already. Context: owner thread, while busy.
 */
void category_add_sample(struct control *block, struct category *category, uint64_t ticks);

/* Records one event: a duration; n more (the sum stops at the ends of its type); a value in a unit
 * (a text, or NULL; the first of a category counts), whose bits are a double's: what is not finite
 * is dropped and counted as LOST_VALUES_NOT_FINITE. The straight lines are in scope_hot.h, the
 * way here from a thread that may not be attached in hook/scope.h. Context: owner thread, while
 * busy. */
void category_add_ns(struct control *block, struct category *category, uint64_t ns);
void category_add_count(struct control *block, struct category *category, int64_t n);
void category_add_value(struct control *block, struct category *category, const char *unit,
                        uint64_t bits);

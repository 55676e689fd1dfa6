/* SPDX-License-Identifier: MIT
 *
 * The functions that one recorder has met: address → record with its histogram. */
#pragma once

#include "control/control.h"

static ALWAYS_INLINE struct store_function *func_at(const uint8_t *base, store_ref ref)
{
    return (struct store_function *)(void *)(base + (uint64_t)ref * STORE_UNIT);
}

/* The record of a function, found or made; `address` with its mark for categories. 0 when there is
 * no memory. Context: owner thread, while busy. */
store_ref func_make(struct control *block, uint64_t address);

/* A record that func_make does not find, with these flags. 0 when there is no memory. Context: as
 * above. */
store_ref func_make_apart(struct control *block, uint64_t address, uint32_t flags);

/* Counts one duration, and keeps it where samples are asked for. Context: owner thread, while busy.
 */
void func_record(struct control *block, store_ref function, uint64_t ticks);

/* One more in a bucket. Context: as above. */
void func_count(struct control *block, struct store_function *function, uint32_t bucket);

/* A block of counters of a function, made if it is missing; NULL when there is no memory.
 * Context: owner thread, while busy. */
uint64_t *func_counters(struct control *block, struct store_function *function, uint32_t number);

/* Marks every function in [low, high) as unloaded. Context: see recorder_forget_code. */
void func_forget(struct control *block, uint64_t low, uint64_t high);

/* Functions of which each call is a lap (record/lap.h), by ascending address. */
struct func_lap {
    uint64_t address;
    const char *name; /* of the laps' kind; lives as long as the process */
};
struct func_laps {
    uint32_t count;
    struct func_lap items[];
};

/* From now on those are they; the list, and those before it, live as long as the process. Context:
 * any thread, signal-safe. */
void func_watch(const struct func_laps *laps);

/* The address with STORE_MARK_LAP where its calls are laps; and the name of those laps, or NULL.
 * Context: slow path, signal-safe. */
uint64_t func_mark(uint64_t address);
const char *func_lap_name(uint64_t address);

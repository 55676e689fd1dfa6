/* SPDX-License-Identifier: MIT
 *
 * Where the hooks go when the straight line does not serve: a thread without a recorder, a busy
 * recorder, and all that record/frames.h handles. errno survives. */
#pragma once

#include "base/compiler.h"
#include "record/category.h"

#include <stdint.h>

/* Context: any thread, also in a signal handler, before our constructor and after our end. */
void slow_enter(uint64_t address, uintptr_t sp) COLD;
void slow_exit(uint64_t address, uintptr_t sp, uint64_t now) COLD;

/* The same for a scope, whose address is asked for when the thread is attached; it is left by
 * slow_exit. Context: as above. */
void slow_enter_scope(struct category *category, uintptr_t sp) COLD;

/* What a program says of a category: nanoseconds, an int64_t, or a double's bits; of a scope, the
 * ticks of one that is counted already, for its samples. Context: as above. */
struct slow_event {
    struct category *category;
    enum store_kind kind;
    uint64_t value;
    const char *unit;
};
void slow_record(const struct slow_event *event, uintptr_t sp) COLD;

/* A jump to a frame whose calls stand below `landing` ends all of them. Context: any thread, also
 * in a signal handler; before the jump. */
void slow_jump(uintptr_t landing) COLD;

/* A lap begins (not while paused), or ends at `now`. Context: as above. */
void slow_lap_begin(struct category *category, uintptr_t sp) COLD;
void slow_lap_end(struct category *category, uintptr_t sp, uint64_t now) COLD;

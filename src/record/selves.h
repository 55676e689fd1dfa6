/* SPDX-License-Identifier: MIT
 *
 * What every function of a recorder has taken up to a moment without its callees, from the totals
 * of its nodes and the frames that are open then. The difference of two moments says where the time
 * between them went. */
#pragma once

#include "control/control.h"
#include "store/lap_layout.h"

#include <stdbool.h>

/* Place 0 is the thread outside of any function; the function with number n has place n + 1. Sums
 * wrap: only differences mean something. Places beyond `count` are 0. */
struct selves {
    uint64_t *ticks;
    uint32_t count, capacity;
};

/* Whose time a node's is, and whose it is not: kept beside the nodes, in their order. */
struct selves_link {
    uint32_t own, outer;
};
struct selves_map {
    struct selves_link *links;
    uint32_t nodes, capacity;
};

/* Measures at `now`, in one pass over nodes and open frames. Zeroed structs are ready; their memory
 * is the recorder's space, which is not given back. False without memory: `out` is as it was.
 * Context: owner thread, while busy. */
bool selves_measure(struct control *block, struct selves_map *map, struct selves *out,
                    uint64_t now);

/* The place of the innermost open function of the current stack. Context: as above. */
uint32_t selves_innermost(const struct control *block);

/* Two moments, one after the other. */
struct selves_change {
    const struct selves *before, *now;
};

/* What the function of a place took between them; a time that ran backwards is 0. */
static inline uint64_t selves_between(const struct selves_change *change, uint32_t place)
{
    uint64_t before = place < change->before->count ? change->before->ticks[place] : 0;
    uint64_t ticks = change->now->ticks[place] - before;
    return (int64_t)ticks > 0 ? ticks : 0;
}

/* Puts what the functions took into a lap's place: all of it or, past STORE_LAP_SELVES, the
 * largest. Context: as above. */
void selves_keep(struct control *block, struct store_lap_worst *place,
                 const struct selves_change *change);

/* The same from a place of another recorder, which is retired. Context: record/laplog.c. */
void selves_copy(struct control *into, struct store_lap_worst *place, const struct control *from,
                 const struct store_lap_worst *old);

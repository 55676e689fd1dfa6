/* SPDX-License-Identifier: MIT
 *
 * The functions of a report that cost more to time than they run, and how gcc can be told to leave
 * them out without leaving out others: its list goes by parts of names. */
#pragma once

#include "advise/gccname.h"
#include "intake/intake.h"

struct cheap {
    char *name, *raw_name;
    uint64_t calls;
    double self_ns; /* a call, on average */
    double p50_ns;  /* of whole calls; NAN = not known */
    bool is_cheap;
    char *gcc_name, *pattern; /* NULL where gcc's writing, or a part of it, is not known */
    uint32_t part;            /* the pattern's number while patterns are compared */
    size_t also;              /* functions to be kept that the pattern would take too */
    const char *also_one;     /* one of them */
    bool is_covered;          /* a pattern that is listed takes it already */
};

struct cheaps {
    struct cheap *items; /* of all functions; is_cheap ones first, by cost */
    size_t used, room, cheap;
    double per_call_ns; /* 0 = not measured */
    double overhead_calls;
};

extern const struct intake_takers cheaps_takers; /* their context: struct cheaps */

/* Judges all functions by what a call costs (ns). least_part: those that make less of all recorded
 * calls are not worth it. */
void cheaps_judge(struct cheaps *cheaps, double cost_ns, double least_part);
void cheaps_fini(struct cheaps *cheaps);

/* Whether gcc's list should have it. */
bool cheap_is_listed(const struct cheap *cheap);

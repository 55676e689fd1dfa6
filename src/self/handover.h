/* SPDX-License-Identifier: MIT
 *
 * The environment that a program started by this one gets: our own entry in LD_PRELOAD and
 * STINT_OUT made absolute, STINT_ROOT added, nothing else changed. An environment without our
 * entry, an empty one above all, stays as it is: its program is not followed. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* What this process hands on. */
struct handover_self {
    const char *library;   /* absolute path of libstint.so, "" = unknown */
    const char *directory; /* what a relative STINT_OUT stands behind */
    const char *out;       /* STINT_OUT for an environment without one */
    const char *run;       /* STINT_ROOT's value */
};

/* What is to be changed in one environment. */
struct handover {
    const struct handover_self *self;
    char *const *environment;
    size_t entries;          /* of the environment, without the NULL */
    const char *preload;     /* the LD_PRELOAD entry */
    const char *own_preload; /* in it: where our entry begins … */
    size_t own_bytes;        /* … and how long it is; 0 = leave LD_PRELOAD alone */
    const char *out;         /* the STINT_OUT entry, NULL = absent */
    size_t bytes;            /* space that handover_build needs */
};

/* Looks at an environment; *self must outlive the plan. False where it is to be handed over
 * unchanged. Context: any thread, signal-safe; also in a child of vfork. */
bool handover_plan(struct handover *plan, const struct handover_self *self,
                   char *const *environment);

/* Builds the new environment in space[0 … plan->bytes), aligned for a pointer. Unchanged entries
 * are shared. Context: as above. */
char *const *handover_build(const struct handover *plan, void *space);

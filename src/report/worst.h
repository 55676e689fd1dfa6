/* SPDX-License-Identifier: MIT
 *
 * The longest laps of a kind, explained by what their functions took beyond what is typical. */
#pragma once

#include "report/laps.h"

struct worst_lap;

struct worst {
    struct worst_lap *laps;
    uint32_t count;
    double typical_ticks; /* mean duration of the others */
};

/* The longest of all threads, in scratch. Context: any thread, signal-safe (so is worst_write). */
struct worst worst_find(struct laps *laps, const struct laps_kind *kind);

/* The members `worst` and `blame` of the open object. */
void worst_write(const struct laps *laps, const struct worst *worst);

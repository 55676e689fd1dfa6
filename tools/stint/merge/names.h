/* SPDX-License-Identifier: MIT
 *
 * Where a thing of some name stands in a list: a look-up by hash, so that a report of many names
 * costs no more a name than one of few. */
#pragma once

#include "base/index.h"
#include "intake/pull.h"

/* Zero-initialised, once places.arena is set. */
struct names {
    struct index places;
};

/* Whether the thing at a place of the list is called so; the unit is a part of the name, where
 * there is one (else .data is NULL). */
typedef bool names_is(const void *list, uint32_t place, struct span name, struct span unit);

/* The place in the list; where none is called so, `next` is put there and given. */
uint32_t names_place(struct names *names, const void *list, names_is *is, struct span name,
                     struct span unit, size_t next);

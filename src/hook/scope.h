/* SPDX-License-Identifier: MIT
 *
 * What a program says of its own work, by a category (record/category.h) or by its name: the
 * functions behind the public header. They attach the thread if need be; errno survives. A category
 * that is NULL (there was no memory for it) records nothing. */
#pragma once

#include "record/category.h"

/* As category_make, and quick for a name from the same address again. Context (of all of this
 * file): any thread, also in a signal handler, before our constructor and after our end. */
struct category *scope_category(const char *name);

/* A scope: a callee like any function. An exit closes what is still open inside it. */
void scope_enter(struct category *category);
void scope_exit(struct category *category);

/* A duration in nanoseconds that the program measured. */
void scope_record(struct category *category, uint64_t ns);
void scope_record_named(const char *name, uint64_t ns);

/* A lap of this kind (record/lap.h) begins or ends in the calling thread. */
void scope_lap_begin_named(const char *name);
void scope_lap_end_named(const char *name);

/* n more of something; n may be negative. */
void scope_count(struct category *category, int64_t n);
void scope_count_named(const char *name, int64_t n);

/* A value; bits: a double's (this room is compiled without the registers for doubles). */
void scope_value(struct category *category, const char *unit, uint64_t bits);
void scope_value_named(const char *name, const char *unit, uint64_t bits);

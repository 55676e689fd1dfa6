/* SPDX-License-Identifier: MIT
 *
 * The readers of a report's parts, for intake.c alone. Each reads one value, hands it on, and gives
 * false after a fault. */
#pragma once

#include "intake/intake.h"

bool intake_read_process(struct intake *intake, struct pull *pull);
bool intake_read_members(struct intake *intake, struct pull *pull);
bool intake_read_clock(struct intake *intake, struct pull *pull);
bool intake_read_overhead(struct intake *intake, struct pull *pull);
bool intake_read_lost(struct intake *intake, struct pull *pull);
bool intake_read_categories(struct intake *intake, struct pull *pull);
bool intake_read_functions(struct intake *intake, struct pull *pull);
bool intake_read_threads(struct intake *intake, struct pull *pull);
bool intake_read_tree(struct intake *intake, struct pull *pull);
bool intake_read_counters(struct intake *intake, struct pull *pull);
bool intake_read_values(struct intake *intake, struct pull *pull);
bool intake_read_frames(struct intake *intake, struct pull *pull);

/* An entry's members from an object: statistics, names, per_process; `other` may take more, and
 * gives true where it has. */
typedef bool intake_other(void *context, struct pull *pull, struct span key);
bool intake_read_entry(struct intake *intake, struct pull *pull, struct intake_entry *entry,
                       intake_other *other, void *context);

/* A number that is a place in an array of `count`, or null (where allowed): INTAKE_NONE. */
bool intake_read_place(struct pull *pull, uint32_t count, bool may_be_null, uint32_t *place);

/* A text, or null: data NULL. */
bool intake_read_text_or_null(struct pull *pull, struct span *text);

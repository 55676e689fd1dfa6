/* SPDX-License-Identifier: MIT
 *
 * Laps: what users call frames (the word means an open call in here). A lap is a span of its
 * thread's time, of a kind; several kinds may be open at once. Its duration is a sample of the
 * category that names the kind, and what each function took of it is measured at its two ends, so
 * that calls cost nothing for it. What the report needs lies in the store (store/lap_layout.h). */
#pragma once

#include "control/control.h"

#include <stdbool.h>

enum { LAP_KINDS = 256 }; /* at most, in a recorder */

struct lap;

/* Begins a lap. kind: the address of the category that names it (the ref of its name, with
 * STORE_MARK_CATEGORY). Where one of this kind is open in the thread, that one ends here first: a
 * loop may say nothing but where its frames begin. Without memory, or past LAP_KINDS, the lap
 * counts as LOST_LAPS. Context: owner thread, while busy. */
void lap_begin(struct control *block, uint64_t kind);

/* Ends the thread's open lap of the kind at `now`, a clock reading from before all of this; where
 * none is open, that counts as LOST_LAPS. Context: as above. */
void lap_end(struct control *block, uint64_t kind, uint64_t now);

/* lap_begin in two halves: what was taken so far is measured at `opened`, the lap begins at `now`,
 * and what lies between is the innermost call's. lap_open gives NULL where nothing was opened.
 * Context: as above. */
struct lap *lap_open(struct control *block, uint64_t kind, uint64_t opened);
void lap_start(struct control *block, struct lap *lap, uint64_t now);

/* A call of a function whose calls are laps (func_mark) is about to be pushed, above the current
 * top; once it is, lap_start gets its start. NULL where it begins no lap: inside another one of
 * that name, or without memory. Context: as above. */
struct lap *lap_enter(struct control *block, uint64_t address);

/* Such a call has ended, `ticks` after `start`; it stood at `depth` of the current frames. The lap
 * that it began ends. Context: as above. */
void lap_leave(struct control *block, uint32_t depth, uint64_t start, uint64_t ticks);

/* Drops the open laps of a thread that is gone. Context: owner thread, attaching. */
void lap_drop_all(struct control *block);

/* Adds a retired recorder's laps to `into`, and empties them, but for what lies in lap_twin's
 * records. Their time series is dropped. Context: record/fold.c. */
void lap_fold(struct control *into, const struct control *from);

/* The record in `into`, with its node, for a record with STORE_FUNCTION_LAP; 0 without memory.
 * Context: as above. */
store_ref lap_twin(struct control *into, const struct store_function *function, store_ref *node);

/* SPDX-License-Identifier: MIT
 *
 * A companion that writes a line instead of a report, and does on request what a bad one would.
 * Each case runs in a forked child, where stint starts afresh; what it leaves is looked at from
 * outside. */
#pragma once

#include "store/layout.h"

#include <stddef.h>

enum fake_write { FAKE_WRITES, FAKE_FAILS, FAKE_HANGS, FAKE_FAULTS, FAKE_RAISES };
enum fake_walk { FAKE_WALKS, FAKE_WALK_HANGS, FAKE_WALK_FAULTS };
extern enum fake_write fake_write;
extern enum fake_walk fake_walk;
extern int fake_is_closed;

/* Makes and removes a directory for reports and stores; as cmocka's set-up and tear-down. */
int fake_set_up(void **state);
int fake_tear_down(void **state);

/* Runs `run` in a child that records into the directory; stderr is silent. Returns its wait status.
 */
int fake_child(void (*run)(void));

/* In the child: the first event. */
void fake_record(void);

/* The newest report whose name holds `part`: "<ending kind> <status> <signal> <frames> <times
 * written by that process>"; "" if there is none. */
const char *fake_report(const char *part);

/* How many files in the directory have a name with `part` in it. */
int fake_files(const char *part);

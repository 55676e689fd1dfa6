/* SPDX-License-Identifier: MIT
 *
 * The loaded objects, with generations: a list in private memory, kept up to date where the loader
 * may be asked (start, dlopen, dlclose, normal end), and copied to the store when there is one. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Compares the list with what is loaded now: new objects are appended, those that went are marked,
 * in the store too where there is one, and their functions forgotten by the recorders. Context: any
 * thread, not in a signal handler: asks the loader. */
void modules_rescan(void);

/* True when an object that imports the hooks or stint's API has been seen. Context: signal-safe. */
bool modules_can_record(void);

/* Such an object has said so itself. Context: start-up of that object. */
void modules_announce(void);

/* Notes that objects may have come which modules_rescan has not seen. Context: signal-safe. */
void modules_note_change(void);

/* modules_rescan, if a change was noted. Context: as modules_rescan. */
void modules_catch_up(void);

/* Writes all objects that the store does not have yet. Called by start_recording, again in a forked
 * child, and before a report. Context: any thread, signal-safe. */
void modules_store(void);

/* The list's objects count as unwritten again: the store is a new one. Context: a child's start. */
void modules_forget_store(void);

/* The i-th object seen, in the order of their coming; false past the last. Its texts live as long
 * as the process. Context: any thread, signal-safe. */
struct modules_object {
    const char *path;
    const uint8_t *build_id;
    uint64_t bias;
    uint32_t build_id_bytes;
    bool is_gone, can_record;
};
bool modules_object(uint32_t i, struct modules_object *object);

/* True when the result of dlopen(name) may depend on which object calls it from `caller`: a name
 * without slash searched along a RUNPATH or RPATH, or one with $ORIGIN and kin.
 * Context: any thread, signal-safe. */
bool modules_caller_matters(const char *name, uintptr_t caller);

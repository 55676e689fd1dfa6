/* SPDX-License-Identifier: MIT
 *
 * A forked child's fresh start: its control page reads as zeros, so its first event comes here for
 * a store of its own. What was open at the fork is handed over, marked as not its own. vfork is
 * left alone: its child shares everything and is told by its pid. */
#pragma once

#include "record/recorder.h"

#include <stdbool.h>
#include <stdint.h>

/* The open calls of the forking thread: on the wrapper's stack, or mapped where they are many. */
enum { FORK_FEW_CALLS = 64 };
struct fork_notes {
    struct recorder_open_call few[FORK_FEW_CALLS];
    struct recorder_open_call *calls; /* few, or the mapping */
    uint64_t mapped_bytes;
    uint32_t count;
    bool hands_on; /* the forking child's own, still unused, are for its child */
};

/* Around the real fork, in the thread that forks; notes live until fork_parent or fork_child (also
 * when the fork failed: fork_parent). errno is kept. Context: owner thread, signal-safe. */
void fork_prepare(struct fork_notes *notes);
void fork_parent(struct fork_notes *notes);
void fork_child(struct fork_notes *notes);

/* True where `process` describes the parent and this is a forked child that has not recorded yet.
 * Context: any thread, signal-safe. */
bool fork_is_fresh_child(void);

/* The first event of a forked child, which came at sp: forgets the parent's store and starts
 * recording afresh. False where children are not followed, memory is short, or the caller
 * interrupted just this. Context: slow path, any thread, signal-safe. */
bool fork_child_start(uintptr_t sp);

/* Puts the calls that were open at the fork on the recorder of the child's first thread; nothing in
 * any other. Context: owner thread, right after recorder_attach. */
void fork_inherit(void);

/* SPDX-License-Identifier: MIT
 *
 * Enter and exit in full: everything that the straight line of frames_hot.h leaves to others. */
#pragma once

#include "control/control.h"

/* Opens a call. Handles stale frames, other stacks, new nodes, growth, the depth limit.
 * Context: owner thread, while busy. */
void frames_enter(struct control *block, uint64_t address, uintptr_t sp);

/* Closes the newest open call of the function, and all above it; counts an exit without one.
 * now: the clock at the exit. Context: owner thread, while busy. */
void frames_exit(struct control *block, uint64_t address, uintptr_t sp, uint64_t now);

/* Closes every open call whose frame lies strictly below sp on the current stack.
 * Context: owner thread, while busy. */
void frames_close_below(struct control *block, uintptr_t sp, uint64_t now);

/* Closes every open call of the current stack but inherited ones. Context: as above. */
void frames_close_all(struct control *block, uint64_t now);

/* Makes the frames current of the stack that sp lies in, and closes the stale ones on it. Context:
 * as above. */
void frames_arrive(struct control *block, uintptr_t sp);

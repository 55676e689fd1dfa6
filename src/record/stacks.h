/* SPDX-License-Identifier: MIT
 *
 * A frame stack for each machine stack that a thread runs on: its own, those of coroutines,
 * alternate signal stacks. */
#pragma once

#include "control/control.h"

enum { STACKS_MOST = 4096 }; /* of one thread; beyond, the one idle longest is dropped */

/* Does sp lie in the machine stack whose frames are current? A fiber that the thread is on comes
 * before what it was carved out of. Context: owner thread, signal-safe. */
bool stacks_contains(const struct control *block, uintptr_t sp);

/* Does sp lie in any stack that the thread was seen on? Context: owner thread, while busy. */
bool stacks_knows(struct control *block, uintptr_t sp);

/* Do both addresses lie in one machine stack that the thread was seen on? Context: owner thread,
 * signal-safe. */
bool stacks_share(const struct control *block, uintptr_t one, uintptr_t other);

/* Makes the thread's first stack current. high: end of the machine stack. 0 or −ENOMEM.
 * Context: owner thread, attaching. */
int stacks_init(struct control *block, uintptr_t low, uintptr_t high);

/* Ends every open call of every stack, as the thread ends; the thread's own stack is current then.
 * Context: owner thread, while busy. */
void stacks_close_all(struct control *block);

/* Gives the stack of a thread that is gone to its successor. Context: owner thread, attaching. */
void stacks_reuse(struct control *block, uintptr_t low, uintptr_t high);

/* Makes the frame stack of the machine stack that contains sp current, new if it was never seen.
 * Nothing changes when sp lies in the current one, or when there is no memory. Context: owner
 * thread, while busy. */
void stacks_switch(struct control *block, uintptr_t sp);

/* The thread runs on the stack [low, high), which may be part of another; low == high: on no such
 * stack any more. It may be there already or come there next: its address tells. 0 or −ENOMEM.
 * Context: owner thread, while busy. */
int stacks_set_fiber(struct control *block, uintptr_t low, uintptr_t high, uintptr_t sp);

/* The top back into the current frames: a handler that interrupted a hook between loading and
 * storing the top may have had them moved, or changed stacks. Context: owner thread, while busy. */
void stacks_settle(struct control *block);

/* Doubles the current frame stack. False at STINT_MAX_DEPTH or without memory.
 * Context: owner thread, while busy. */
bool stacks_grow(struct control *block);

/* The current stack's frames; frames[0] is the floor. Context: owner thread. */
static inline struct store_frame *stacks_frames(const struct control *block)
{
    return (struct store_frame *)(void *)(block->base +
                                          (uint64_t)block->stack->frames * STORE_UNIT);
}

/* Open calls no longer expect a callee in [low, high). Context: see recorder_forget_code. */
void stacks_forget(struct control *block, uintptr_t low, uintptr_t high);

/* Remembers where a machine stack lies. Context: owner thread, signal-safe. */
void stacks_note(uintptr_t low, uintptr_t high);

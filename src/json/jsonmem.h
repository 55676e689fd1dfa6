/* SPDX-License-Identifier: MIT
 *
 * jansson on an arena, for the reporting thread alone. The target may use the same libjansson at
 * the same moment: its threads get the functions that stood there before. */
#pragma once

#include "base/arena.h"

/* From here on jansson allocates for the calling thread from the arena; what it frees stays there
 * until the arena is released. One user at a time. Context: any thread, signal-safe. */
void jsonmem_begin(struct arena *arena);

/* Puts back what stood there before, unless somebody else has put his own there meanwhile.
 * Context: the thread that began. */
void jsonmem_end(void);

/* SPDX-License-Identifier: MIT
 *
 * What dead threads recorded, added up in one recorder, "[other threads]". */
#pragma once

#include "control/control.h"

/* Adds all that a retired recorder holds to "[other threads]" (made at the first call) and empties
 * it: its nodes and functions stay, with counts of zero. What finds no memory there stays in
 * the recorder. Context: the owner of block, attaching; not while busy. */
void fold_into_others(struct control *block);

/* SPDX-License-Identifier: MIT
 *
 * One thread's nodes and open frames, turned into the sums of its functions and added to the tree.
 */
#pragma once

#include "report/merge.h"

/* Merges the nodes and frames of thread number `thread`, whose parts are there already. Uses the
 * scratch arena without giving it back. 0 or −ENOMEM. Context: any thread, signal-safe. */
int calls_merge(struct merged *merged, uint32_t thread);

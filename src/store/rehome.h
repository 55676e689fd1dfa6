/* SPDX-License-Identifier: MIT
 *
 * A store whose file was removed gets another: what an exec does that fails after its report. */
#pragma once

#include "store/store.h"

/* Copies what is mapped from the removed file into a new one of that path (exclusively made, 0600)
 * and maps that in its place. Where that fails, or alone is false, the head says from now on that
 * the store is memory. alone: no other thread writes to the store; what one wrote between the copy
 * and the mapping would be lost. Context: any thread, signal-safe. */
void store_rehome(struct store *store, const char *path, bool alone);

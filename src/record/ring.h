/* SPDX-License-Identifier: MIT
 *
 * The newest raw durations of a function or category, for exact percentiles; ring_hot.h has the
 * way where there is room. */
#pragma once

#include "control/control.h"

/* Keeps a sample: memory grows with the samples, up to `limit` of them and to the bound on all
 * rings together (STINT_SAMPLE_BYTES); from then on the oldest is replaced. Context: owner thread,
 * while busy. */
void ring_add(struct control *block, struct store_function *function, uint64_t value,
              uint32_t limit);

/* SPDX-License-Identifier: MIT
 *
 * The other half of halves-gcc.c. */
#include "truth.h"

void this_half(int depth);

NOINLINE void other_half(int depth)
{
    CALLED(other_half);
    if (depth) this_half(depth - 1);
}

PLAIN void other_half_tells(void) { truth_tell(); }

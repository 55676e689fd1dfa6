/* SPDX-License-Identifier: MIT
 *
 * One half of a program; the other is built by another compiler. */
#include "truth.h"

void other_half(int depth);
PLAIN void other_half_tells(void);

NOINLINE void this_half(int depth)
{
    CALLED(this_half);
    if (depth) other_half(depth - 1);
}

int main(void)
{
    CALLED(main);
    for (int i = 0; i < 500; i++) this_half(i % 20);
    truth_tell();
    other_half_tells();
    return 0;
}

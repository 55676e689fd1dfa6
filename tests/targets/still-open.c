/* SPDX-License-Identifier: MIT
 *
 * exit from within three open calls that have slept a known time. */
#include "truth.h"

NOINLINE static void leaves(void)
{
    CALLED(leaves);
    sleep_ms(15);
    truth_tell();
    truth_line(1, "open", "main", 1);
    truth_line(1, "open", "nested", 3);
    truth_line(1, "open", "leaves", 1);
    truth_line(1, "slept", "main", 15);
    truth_line(1, "slept", "nested", 15);
    exit(0);
}

NOINLINE static void nested(int depth)
{
    CALLED(nested);
    if (depth)
        nested(depth - 1);
    else
        leaves();
    __asm__ volatile("");
}

int main(void)
{
    CALLED(main);
    nested(2);
    return 0;
}

/* SPDX-License-Identifier: MIT
 *
 * A loop that calls one function, which never returns: each call stands at exactly the height of
 * the one that was left before, and by the compiler's own jump, of which no library hears. */
#include "truth.h"

static void *back[5];

NOINLINE static void leaves(void)
{
    CALLED(leaves);
    __builtin_longjmp(back, 1);
}

int main(void)
{
    CALLED(main);
    for (volatile int i = 0; i < 100000; i++)
        if (!__builtin_setjmp(back)) leaves();
    truth_tell();
    return 0;
}

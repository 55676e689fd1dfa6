/* SPDX-License-Identifier: MIT
 *
 * A loop that calls one function, which never returns: each call stands at exactly the height of
 * the one that was left before. */
#include "truth.h"

#include <setjmp.h>

static jmp_buf back;

NOINLINE static void leaves(void)
{
    CALLED(leaves);
    longjmp(back, 1);
}

int main(void)
{
    CALLED(main);
    for (volatile int i = 0; i < 100000; i++)
        if (!setjmp(back)) leaves();
    truth_tell();
    return 0;
}

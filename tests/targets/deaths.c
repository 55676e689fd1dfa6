/* SPDX-License-Identifier: MIT
 *
 * Sleeps for ever after it has told the truth; who started it kills it. */
#include "truth.h"

#include <signal.h>

NOINLINE static void step(void)
{
    CALLED(step);
    __asm__ volatile("");
}

NOINLINE static void waits(void)
{
    CALLED(waits);
    truth_tell();
    kill(getpid(), SIGKILL);
    for (;;) pause();
}

int main(void)
{
    CALLED(main);
    for (int i = 0; i < 1234; i++) step();
    waits();
    return 0;
}

/* SPDX-License-Identifier: MIT
 *
 * Functions that sleep or spin for known times. */
#include "truth.h"

NOINLINE static void sleeps(void)
{
    CALLED(sleeps);
    sleep_ms(10);
}

NOINLINE static void spins(void)
{
    CALLED(spins);
    spin_ms(10);
}

NOINLINE static void calls_both(void)
{
    CALLED(calls_both);
    sleeps();
    spins();
}

int main(void)
{
    CALLED(main);
    for (int i = 0; i < 5; i++) calls_both();
    truth_tell();
    truth_line(1, "slept", "sleeps", 50);
    truth_line(1, "slept", "spins", 50);
    truth_line(1, "slept", "calls_both", 100);
    truth_line(1, "slept", "main", 100);
    return 0;
}

/* SPDX-License-Identifier: MIT
 *
 * Recursion of one function and of two that call each other, with sleeps at the bottom, so that
 * counting inner activations twice would show. */
#include "truth.h"

NOINLINE static void down(int n)
{
    CALLED(down);
    if (n) {
        down(n - 1);
        __asm__ volatile("");
    } else {
        sleep_ms(20);
    }
}

static void odd(int n);

NOINLINE static void even(int n)
{
    CALLED(even);
    if (n)
        odd(n - 1);
    else
        sleep_ms(20);
    __asm__ volatile("");
}

NOINLINE static void odd(int n)
{
    CALLED(odd);
    even(n - 1);
    __asm__ volatile("");
}

int main(void)
{
    CALLED(main);
    down(100);
    even(60);
    truth_tell();
    truth_line(1, "slept", "down", 20);
    truth_line(1, "slept", "even", 20);
    truth_line(1, "slept", "odd", 20);
    return 0;
}

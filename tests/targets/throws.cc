/* SPDX-License-Identifier: MIT
 *
 * C++ exceptions through instrumented frames, with destructors that are instrumented, rethrown, and
 * out of a constructor. */
#include "truth.h"

struct Guard {
    NOINLINE ~Guard()
    {
        CALLED_AS("Guard::~Guard()");
        __asm__ volatile("");
    }
};

NOINLINE static void thrower(int depth)
{
    CALLED_AS("thrower(int)");
    Guard guard;
    if (!depth) throw depth;
    thrower(depth - 1);
    __asm__ volatile("");
}

/* A larger frame than recovers(): see longjmps.c. */
NOINLINE static void rethrower(int depth)
{
    volatile char room[200];
    __asm__ volatile("" ::"r"(room) : "memory");
    CALLED_AS("rethrower(int)");
    try {
        thrower(depth);
    } catch (int) {
        throw;
    }
}

NOINLINE static void recovers()
{
    CALLED_AS("recovers()");
    __asm__ volatile("");
}

NOINLINE static void catcher(int depth)
{
    CALLED_AS("catcher(int)");
    try {
        rethrower(depth);
    } catch (int) {
        recovers();
    }
    recovers();
    __asm__ volatile("");
}

NOINLINE static void afterwards()
{
    CALLED_AS("afterwards()");
    sleep_ms(20);
}

int main()
{
    CALLED(main);
    for (int i = 0; i < 2000; i++) catcher(i % 7);
    afterwards();
    truth_tell();
    truth_under("recovers()", "catcher(int)");
    truth_under("afterwards()", "main");
    truth_line(1, "open", "thrower(int)", 0);
    truth_line(1, "open", "catcher(int)", 0);
    return 0;
}

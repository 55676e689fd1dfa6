/* SPDX-License-Identifier: MIT
 *
 * Scopes in C++, ended by exceptions: at once, through several functions, and rethrown; the class
 * for names that are not literals. */
#include "truth.h"

#include <stint/stint.h>

#define SCOPED(name)                                                                               \
    STINT_SCOPE(name);                                                                             \
    CALLED_AS("scope " name)

NOINLINE static void leaf()
{
    CALLED_AS("leaf()");
    SCOPED("In_Leaf");
    __asm__ volatile("");
}

NOINLINE static void throws(int depth)
{
    CALLED_AS("throws(int)");
    SCOPED("Throws");
    leaf();
    if (!depth) throw depth;
    STINT_MEASURE("Throws_Below")
    {
        CALLED_AS("scope Throws_Below");
        throws(depth - 1);
    }
}

NOINLINE static void catches(int depth)
{
    CALLED_AS("catches(int)");
    SCOPED("Catches");
    try {
        SCOPED("Tries");
        throws(depth);
    } catch (int) {
        SCOPED("Caught");
        leaf();
    }
}

NOINLINE static void rethrows(int depth)
{
    CALLED_AS("rethrows(int)");
    stint::scope named(depth % 2 ? "Odd" : "Even");
    if (depth % 2)
        CALLED_AS("scope Odd");
    else
        CALLED_AS("scope Even");
    try {
        catches(depth);
        throws(depth);
    } catch (int) {
        stint::scope by_handle(stint_category("By_Handle"));
        CALLED_AS("scope By_Handle");
        throw;
    }
}

NOINLINE static void swallows(int depth)
{
    CALLED_AS("swallows(int)");
    SCOPED("Swallows");
    try {
        rethrows(depth);
    } catch (int) {
    }
    leaf();
}

NOINLINE static void sleeps_in_a_scope()
{
    CALLED_AS("sleeps_in_a_scope()");
    SCOPED("Asleep");
    sleep_ms(20);
}

int main()
{
    CALLED(main);
    for (int i = 0; i < 50; i++) swallows(i % 5);
    sleeps_in_a_scope();
    truth_tell();
    truth_under("In_Leaf", "leaf()");
    truth_under("Asleep", "sleeps_in_a_scope()");
    return 0;
}

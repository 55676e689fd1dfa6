/* SPDX-License-Identifier: MIT
 *
 * A module's C++ half, which shares the pointer of the C half. */
#include <stint/stint.h>

#include <exception>

struct left : std::exception {
};

extern "C" int work_in_cc(int rounds);

/* What the macros keep for a place must not bind an inline function's module to others. */
struct inlined {
    void works(void)
    {
        STINT_SCOPE("Binding_Inline");
        volatile int work = 0;
        (void)work;
    }
};

static void one_round(int i)
{
    inlined().works();
    stint::scope scope("Binding_Work");
    stint_count("Binding_Rounds", 2);
    if (i % 2) throw left();
}

int work_in_cc(int rounds)
{
    for (int i = 0; i < rounds; i++) try {
            one_round(i);
        } catch (const left &) {
        }
    return rounds;
}

/* SPDX-License-Identifier: MIT
 *
 * A module's C half: rounds that the program counts itself. */
#include <stint/stint.h>

int work_in_c(int rounds);
int work_in_cc(int rounds);
int work(int rounds);

int work_in_c(int rounds)
{
    for (int i = 0; i < rounds; i++) {
        STINT_SCOPE("Binding_Work");
        stint_count("Binding_Rounds", 2);
        stint_record("Binding_Duration", 1000);
    }
    return rounds;
}

/* The one function that is seen from outside. */
__attribute__((visibility("default"))) int work(int rounds)
{
    return work_in_c(rounds) + work_in_cc(rounds + 1);
}

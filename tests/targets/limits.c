/* SPDX-License-Identifier: MIT
 *
 * Four thousand distinct paths, hence more nodes than a small STINT_MAX_NODES allows: folding must
 * keep every count. Also spends some time in each, so sums can be compared. */
#include "truth.h"

NOINLINE static void leaf_a(void)
{
    CALLED(leaf_a);
    __asm__ volatile("");
}

NOINLINE static void leaf_b(void)
{
    CALLED(leaf_b);
    __asm__ volatile("");
}

static void branch(int bits, int depth);

NOINLINE static void left(int bits, int depth)
{
    CALLED(left);
    branch(bits >> 1, depth - 1);
    __asm__ volatile("");
}

NOINLINE static void right(int bits, int depth)
{
    CALLED(right);
    branch(bits >> 1, depth - 1);
    __asm__ volatile("");
}

NOINLINE static void branch(int bits, int depth)
{
    CALLED(branch);
    if (!depth) {
        leaf_a();
        leaf_b();
    } else if (bits & 1) {
        left(bits, depth);
    } else {
        right(bits, depth);
    }
    __asm__ volatile("");
}

int main(void)
{
    CALLED(main);
    for (int round = 0; round < 3; round++)
        for (int bits = 0; bits < 1024; bits++) branch(bits, 10);
    truth_tell();
    return 0;
}

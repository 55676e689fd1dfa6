/* SPDX-License-Identifier: MIT
 *
 * Functions called a known number of times: leaf, chain, inlined, static, through a pointer. */
#include "truth.h"

static volatile int sink;

#ifndef INLINED
#define INLINED inline __attribute__((always_inline))
#endif

static INLINED void inlined(void)
{
    CALLED(inlined);
    sink++;
}

NOINLINE static void leaf(void)
{
    CALLED(leaf);
    inlined();
}

NOINLINE void middle(int n)
{
    CALLED(middle);
    for (int i = 0; i < n; i++) leaf();
}

NOINLINE static int compare(const void *a, const void *b)
{
    CALLED(compare);
    return *(const int *)a - *(const int *)b;
}

static void (*volatile pointer)(int) = middle;

int main(void)
{
    CALLED(main);
    int numbers[100];
    for (int i = 0; i < 100; i++) numbers[i] = i * 7919 % 101;
    qsort(numbers, 100, sizeof *numbers, compare);
    for (int i = 0; i < 1000; i++) pointer(i % 10);
    truth_tell();
    truth_under("middle", "main");
    truth_under("compare", "main");
    truth_line(1, "lowest free descriptor:", "", (unsigned long)dup(1));
    return 0;
}

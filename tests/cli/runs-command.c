/* SPDX-License-Identifier: MIT
 *
 * Records a call, then runs a line of shell while it is alive itself. */
#include <stdlib.h>

__attribute__((noinline)) static void step(void) { __asm__ volatile(""); }

int main(int argc, char **argv)
{
    step();
    return argc > 1 ? system(argv[1]) >> 8 : 0;
}

/* SPDX-License-Identifier: MIT
 *
 * Recursion two million deep, then an ordinary call: enter and exit must still be balanced. */
#include "truth.h"

#include <sys/resource.h>

NOINLINE static void deeper(unsigned n)
{
    CALLED(deeper);
    if (n) deeper(n - 1);
    __asm__ volatile("");
}

NOINLINE static void afterwards(void)
{
    CALLED(afterwards);
    sleep_ms(1);
}

int main(int argc, char **argv)
{
    CALLED(main);
    deeper(argc > 1 ? (unsigned)atoi(argv[1]) : 1999999);
    afterwards();
    deeper(3);
    truth_tell();
    return 0;
}

/* SPDX-License-Identifier: MIT
 *
 * Functions that say on which lines they stand, so that the tests need not know. With an argument
 * it crashes, on the third line that it says. */
#include <signal.h>
#include <stdio.h>

__attribute__((noinline)) static int first_line(void) { return __LINE__; }

__attribute__((noinline)) static int other_line(void) { return __LINE__; }

__attribute__((noinline)) static int crash_line(int is_wanted)
{
    int line = __LINE__ + 1;
    if (is_wanted) raise(SIGSEGV);
    return line;
}

int main(int argc, char **argv)
{
    (void)argv;
    printf("%d %d %d\n", first_line(), other_line(), crash_line(0));
    fflush(stdout);
    return crash_line(argc > 1) == 0;
}

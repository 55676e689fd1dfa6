/* SPDX-License-Identifier: MIT
 *
 * Functions whose lines the tests know, because a function says its own. With an argument it
 * crashes. */
#include <signal.h>
#include <stdio.h>

__attribute__((noinline)) static int first_line(void) { return __LINE__ - 1; }

__attribute__((noinline)) static int crash_line(int is_wanted)
{
    if (is_wanted) raise(SIGSEGV); /* line 17, which the tests look for */
    return __LINE__ - 3;
}

int main(int argc, char **argv)
{
    (void)argv;
    int first = first_line(), crash = crash_line(argc > 1);
    printf("%d %d\n", first, crash);
    return 0;
}

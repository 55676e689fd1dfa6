/* SPDX-License-Identifier: MIT
 *
 * Takes away every mapping of the files whose names hold the argument, then crashes: what handles
 * the crash meets another. */
#define _GNU_SOURCE
#include "truth.h"

#include <sys/mman.h>

static char *volatile nowhere;

NOINLINE static void step(void)
{
    CALLED(step);
    __asm__ volatile("");
}

PLAIN static void take_away(const char *name)
{
    static char text[1 << 17];
    static unsigned long ranges[400][2];
    FILE *maps = fopen("/proc/self/maps", "r");
    int count = 0;
    if (!maps) exit(90);
    while (fgets(text, sizeof text, maps) && count < 400) {
        unsigned long *range = ranges[count];
        if (strstr(text, name) && sscanf(text, "%lx-%lx", &range[0], &range[1]) == 2) count++;
    }
    fclose(maps);
    for (int i = 0; i < count; i++)
        mprotect((void *)ranges[i][0], ranges[i][1] - ranges[i][0], PROT_NONE);
    *nowhere = 1;
}

int main(int argc, char **argv)
{
    CALLED(main);
    for (int i = 0; i < 1000; i++) step();
    truth_tell();
    take_away(argv[1]);
    return 0;
}

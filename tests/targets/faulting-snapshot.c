/* SPDX-License-Identifier: MIT
 *
 * Asks for a report while stint's constants can't be read, and once more when they can. Exits with
 * another status where the first one does not fail by that, or the second one fails. */
#define _GNU_SOURCE
#include "truth.h"

#include <stint/stint.h>
#include <sys/mman.h>

NOINLINE static void step(void)
{
    CALLED(step);
    __asm__ volatile("");
}

/* What follows the code of libstint-report.so; 0 = there is none. */
PLAIN static unsigned long constants(size_t *bytes)
{
    static char text[1 << 16];
    unsigned long begin, end;
    char rights[8] = "";
    int is_behind_code = 0;
    FILE *maps = fopen("/proc/self/maps", "r");
    if (!maps) exit(90);
    while (fgets(text, sizeof text, maps)) {
        if (!strstr(text, "libstint-report.so")) continue;
        if (sscanf(text, "%lx-%lx %7s", &begin, &end, rights) != 3) continue;
        if (is_behind_code) break;
        is_behind_code = rights[2] == 'x';
    }
    fclose(maps);
    *bytes = end - begin;
    return is_behind_code ? begin : 0;
}

int main(void)
{
    CALLED(main);
    for (int i = 0; i < 1000; i++) step();
    size_t bytes = 0;
    unsigned long at = constants(&bytes);
    if (at) {
        mprotect((void *)at, bytes, PROT_NONE);
        if (stint_save_report("../out/faulted.json") != -EFAULT) return 91;
        mprotect((void *)at, bytes, PROT_READ);
        if (stint_save_report("../out/saved.json") != 0) return 92;
    }
    for (int i = 0; i < 10; i++) step();
    truth_tell();
    return 3;
}

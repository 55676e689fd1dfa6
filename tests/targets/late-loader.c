/* SPDX-License-Identifier: MIT
 *
 * Opens the library named by its argument in the midst of its life, as a program might that is not
 * preloaded: nothing of it may hurt. */
#include "truth.h"

#include <dlfcn.h>

NOINLINE static void step(void)
{
    CALLED(step);
    __asm__ volatile("");
}

int main(int argc, char **argv)
{
    CALLED(main);
    for (int i = 0; i < 10; i++) step();
    if (argc > 1 && !dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL)) {
        fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    for (int i = 0; i < 10; i++) step();
    truth_tell();
    return 0;
}

/* SPDX-License-Identifier: MIT
 *
 * Says which of the names given it finds in the global scope. */
#define _GNU_SOURCE
#include "truth.h"

#include <dlfcn.h>

NOINLINE static void looks_up(const char *name)
{
    CALLED(looks_up);
    printf("%s: %s\n", name, dlsym(RTLD_DEFAULT, name) ? "there" : "not there");
}

int main(int argc, char **argv)
{
    CALLED(main);
    for (int i = 1; i < argc; i++) looks_up(argv[i]);
    fflush(stdout);
    truth_tell();
    return 0;
}

/* SPDX-License-Identifier: MIT
 *
 * Opens and closes the two plugins in turn, so that they come to lie at one address; with "dlmopen"
 * in namespaces of their own; tells how often an address was met again on stderr only where it
 * never was. */
#define _GNU_SOURCE
#include "truth.h"

#include <dlfcn.h>
#include <link.h>

static unsigned long entered, same;

NOINLINE static void visit(const char *path, int own_namespace)
{
    CALLED(visit);
    static void *last;
    void *plugin = own_namespace ? dlmopen(LM_ID_NEWLM, path, RTLD_NOW) : dlopen(path, RTLD_NOW);
    if (!plugin) {
        fprintf(stderr, "%s\n", dlerror());
        exit(1);
    }
    void (*entry)(void);
    *(void **)&entry = dlsym(plugin, "plugin_entry");
    same += (void *)entry == last;
    last = (void *)entry;
    entry();
    entered++;
    if (dlclose(plugin)) exit(2);
}

int main(int argc, char **argv)
{
    CALLED(main);
    int own_namespace = argc > 4, rounds = atoi(argv[3]);
    for (int i = 0; i < rounds; i++) {
        visit(argv[1], own_namespace);
        visit(argv[2], own_namespace);
    }
    if (!own_namespace && !same) fprintf(stderr, "never the same address\n");
    truth_tell();
    unsigned long each = (unsigned long)rounds;
    truth_line(1, "calls", "one_starts", each);
    truth_line(1, "calls", "one_works", each * 3);
    truth_line(1, "calls", "two_starts", each);
    truth_line(1, "calls", "two_works", each * 5);
    truth_line(1, "calls", "plugin_entry", entered);
    return 0;
}

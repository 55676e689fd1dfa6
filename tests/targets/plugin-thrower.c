/* SPDX-License-Identifier: MIT
 *
 * A C program that opens a C++ plugin; the plugin's exceptions are the plugin's own. */
#include "truth.h"

#include <dlfcn.h>

int main(int argc, char **argv)
{
    CALLED(main);
    void *plugin = dlopen(argv[1], RTLD_NOW);
    if (!plugin) return 1;
    int (*plugin_throws)(int);
    *(void **)&plugin_throws = dlsym(plugin, "plugin_throws");
    printf("caught %d\n", plugin_throws(10));
    fflush(stdout);
    truth_tell();
    truth_line(1, "calls", "plugin_throws", 1);
    return 0;
}

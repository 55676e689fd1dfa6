/* SPDX-License-Identifier: MIT
 *
 * Works itself, where it is built with OWN_WORK, and has the plugins work that it is given. Says
 * what each module returned, and whether the loader has an error to tell that is not its own. */
#include <dlfcn.h>
#include <stdio.h>

#ifdef OWN_WORK
int work(int rounds);
#endif

int main(int count, char **arguments)
{
#ifndef STATIC
    const char *error = dlerror();
    if (error) printf("an error that is not ours: %s\n", error);
#endif
#ifdef OWN_WORK
    printf("worked %d\n", work(3));
#endif
#ifndef STATIC
    for (int i = 1; i < count; i++) {
        void *plugin = dlopen(arguments[i], RTLD_NOW | RTLD_LOCAL);
        int (*of_plugin)(int) = plugin ? (int (*)(int))dlsym(plugin, "work") : NULL;
        if (!of_plugin) return printf("%s\n", dlerror()), 1;
        printf("plugin worked %d\n", of_plugin(3));
        if (i % 2) dlclose(plugin);
        if (i % 2 && dlopen(arguments[i], RTLD_NOW | RTLD_NOLOAD)) return puts("not unloaded"), 1;
    }
#endif
    return 0;
}

/* SPDX-License-Identifier: MIT
 *
 * Asks stint for a table as a header of some later day would. */
#include <dlfcn.h>
#include <stdio.h>

int main(void)
{
    void *(*bind)(unsigned, unsigned) = (void *(*)(unsigned, unsigned))dlsym(NULL, "stint_bind");
    if (bind && (bind(99, 8) || bind(1, 4000))) printf("a table that is too small\n");
    return 0;
}

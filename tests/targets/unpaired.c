/* SPDX-License-Identifier: MIT
 *
 * A program that calls the hooks by hand and not in pairs: exits without an enter, an enter without
 * an exit. */
#include "truth.h"

void __cyg_profile_func_enter(void *function, void *caller);
void __cyg_profile_func_exit(void *function, void *caller);

NOINLINE static void counted(void)
{
    CALLED(counted);
    __asm__ volatile("");
}

NOINLINE PLAIN static void never_entered(void) { __asm__ volatile(""); }

int main(void)
{
    CALLED(main);
    for (int i = 0; i < 1000; i++) __cyg_profile_func_exit((void *)never_entered, NULL);
    for (int i = 0; i < 100; i++) counted();
    __cyg_profile_func_exit((void *)counted, NULL);
    counted();
    truth_tell();
    return 0;
}

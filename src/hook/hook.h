/* SPDX-License-Identifier: MIT
 *
 * The names that compilers call at the start and the end of every instrumented function
 * (-finstrument-functions). */
#pragma once

void __cyg_profile_func_enter(void *function, void *call_site);
void __cyg_profile_func_exit(void *function, void *call_site);

/* The same by names that nobody can interpose. Context: as the hooks. */
void hook_enter(void *function, void *call_site);
void hook_exit(void *function, void *call_site);

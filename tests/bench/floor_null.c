/* SPDX-License-Identifier: MIT
 *
 * Hooks that do nothing: what the instrumentation itself costs. */
void __cyg_profile_func_enter(void *function, void *call_site);
void __cyg_profile_func_exit(void *function, void *call_site);

#define EXPORTED __attribute__((visibility("default")))

EXPORTED void __cyg_profile_func_enter(void *function, void *call_site)
{
    (void)function;
    (void)call_site;
}

EXPORTED void __cyg_profile_func_exit(void *function, void *call_site)
{
    (void)function;
    (void)call_site;
}

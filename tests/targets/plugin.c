/* SPDX-License-Identifier: MIT
 *
 * A plugin whose one function is named by the build (PLUGIN_NAME), with an instrumented
 * constructor. */
#define NAME_(a, b) a##b
#define NAME(a, b) NAME_(a, b)

static volatile int sink;

__attribute__((constructor, noinline)) static void NAME(PLUGIN_NAME, _starts)(void) { sink++; }

__attribute__((noinline)) static void NAME(PLUGIN_NAME, _works)(void) { sink++; }

void plugin_entry(void);
void plugin_entry(void)
{
    for (int i = 0; i < PLUGIN_CALLS; i++) NAME(PLUGIN_NAME, _works)();
}

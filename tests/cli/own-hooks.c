/* SPDX-License-Identifier: MIT
 *
 * A program with hooks of its own: no preloaded library gets a call. */
#define PLAIN __attribute__((no_instrument_function))

void __cyg_profile_func_enter(void *function, void *caller);
void __cyg_profile_func_exit(void *function, void *caller);

static int calls;

PLAIN void __cyg_profile_func_enter(void *function, void *caller) { calls++; }

PLAIN void __cyg_profile_func_exit(void *function, void *caller) { calls++; }

int main(void) { return calls != 1; }

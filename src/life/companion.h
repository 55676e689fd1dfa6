/* SPDX-License-Identifier: MIT
 *
 * libstint-report.so: found beside ourselves, opened from safe places only, asked for its table. */
#pragma once

#include "contract/report.h"

/* What the demangler may take for the longest name it accepts is 2 MiB (symbols/demangle.h); pages
 * that nobody touches cost nothing. */
enum { COMPANION_STACK_BYTES = 4 << 20 };

/* Opens it, unless that was tried before; a failure is told once. errno is kept.
 * Context: constructor, dlopen and pthread_create wrappers, exit; never a hook or a signal handler.
 */
void companion_open(void);

/* Opens it if an object that can record has been loaded meanwhile. Context: as companion_open. */
void companion_prepare(void);

/* Its table, or NULL when it is not open. Context: any thread, signal-safe. */
const struct report_table *companion_table(void);

/* Top of the stack on which it is to be called: COMPANION_STACK_BYTES with a guard page below. NULL
 * when it is not open. Its users take turns (one ending at a time). Context: signal-safe. */
void *companion_stack_top(void);

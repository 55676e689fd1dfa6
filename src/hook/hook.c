/* SPDX-License-Identifier: MIT
 *
 * The hooks: nothing but the straight line. From here a call's data goes to the frame stack, at its
 * exit to its node and histogram in the store. Runs everywhere: any thread, signal handlers, before
 * our constructor and after our end. */
#include "hook/hook.h"

#include "base/compiler.h"
#include "hook/slow.h"
#include "hook/stack_hot.h"
#include "record/frames_hot.h"

EXPORT HOT void __cyg_profile_func_enter(void *function, void *call_site)
{
    (void)call_site;
    uintptr_t sp = stack_address();
    if (LIKELY(frames_try_enter(control, (uintptr_t)function, sp))) return;
    slow_enter((uintptr_t)function, sp);
}

EXPORT HOT void __cyg_profile_func_exit(void *function, void *call_site)
{
    (void)call_site;
    uint64_t now = clock_counter();
    uintptr_t sp = stack_address();
    if (LIKELY(frames_try_exit(control, (uintptr_t)function, sp, now))) return;
    slow_exit((uintptr_t)function, sp, now);
}

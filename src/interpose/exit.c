/* SPDX-License-Identifier: MIT
 *
 * The ends that libc does not tell on_exit of. Handlers of quick_exit run in it and cannot be seen
 * from outside; ours is registered first and so runs last, and is told the status here. */
#include "base/compiler.h"
#include "life/finish.h"
#include "real/real.h"

#include <stdlib.h>
#include <unistd.h>

EXPORT void _exit(int status)
{
    finish_process(STORE_ENDING_EXIT, status & 0xff);
    real()->_exit(status);
    __builtin_unreachable();
}

EXPORT void _Exit(int status)
{
    finish_process(STORE_ENDING_EXIT, status & 0xff);
    real()->_Exit(status);
    __builtin_unreachable();
}

EXPORT void quick_exit(int status)
{
    finish_note_quick_exit(status);
    real()->quick_exit(status);
    __builtin_unreachable();
}

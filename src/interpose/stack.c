/* SPDX-License-Identifier: MIT
 *
 * makecontext: tells where a coroutine's stack lies. It takes unnamed arguments, so the real one is
 * jumped to (jump.h). */
#include "interpose/jump.h"
#include "life/start.h"
#include "life/thread.h"
#include "real/real.h"

#include <errno.h>
#include <stdint.h>
#include <ucontext.h>

void *jump_makecontext(void *context, void *function, int count, void *caller)
{
    const stack_t *stack = &((const ucontext_t *)context)->uc_stack;
    int saved = errno;
    if (!process.is_off && stack->ss_sp && stack->ss_size)
        thread_note_stack((uintptr_t)stack->ss_sp, (uintptr_t)stack->ss_sp + stack->ss_size);
    errno = saved;
    return (void *)real()->makecontext;
}

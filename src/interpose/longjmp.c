/* SPDX-License-Identifier: MIT
 *
 * longjmp and its kin end calls without their exit hooks. What is left is told by where the jump
 * lands; a later call from the same frame would stand exactly where the one before it stood. libc
 * must see its caller's stack as it was, so it is jumped to (jump.h). */
#include "base/compiler.h"
#include "base/stack_hot.h"
#include "hook/slow.h"
#include "interpose/jump.h"
#include "real/real.h"

#include <setjmp.h>
#include <stdint.h>
#include <string.h>

/* glibc keeps the stack pointer in this word of a jmp_buf, turned left by so many bits after it was
 * mixed with a secret of the process (sysdeps/x86_64/jmpbuf-offsets.h and
 * sysdeps/unix/sysv/linux/x86_64/pointer_guard.h; aarch64: the same files there). */
#if defined(__x86_64__)
enum { SP_WORD = 6, TURNED = 17 };
#else
enum { SP_WORD = 13, TURNED = 0 };
#endif

static uintptr_t sp_word(const struct __jmp_buf_tag *buffer)
{
    uintptr_t word;
    memcpy(&word, (const char *)buffer->__jmpbuf + SP_WORD * sizeof word, sizeof word);
    return word;
}

static uintptr_t turned_back(uintptr_t word)
{
    return TURNED ? word >> TURNED | word << (64 - TURNED) : word;
}

/* A buffer filled here has the same secret in it: it goes out of the difference. */
static NOINLINE uintptr_t landing_of(const struct __jmp_buf_tag *buffer)
{
    jmp_buf here;
    uintptr_t sp = stack_address_anew();
    (void)_setjmp(here); /* nobody jumps to it */
    return turned_back(sp_word(buffer) ^ sp_word(here)) ^ sp;
}

/* The frame that is landed in calls hooks from less than 16 bytes below its stack pointer (a return
 * address), its callees from at least as many (the alignment of stacks). */
static void leave(const struct __jmp_buf_tag *buffer)
{
    enum { CALLEES = 16 };
    slow_jump(landing_of(buffer) - CALLEES + 1);
}

void *jump_longjmp(struct __jmp_buf_tag *buffer)
{
    leave(buffer);
    return (void *)real()->longjmp;
}

void *jump__longjmp(struct __jmp_buf_tag *buffer)
{
    leave(buffer);
    return (void *)real()->_longjmp;
}

void *jump_siglongjmp(struct __jmp_buf_tag *buffer)
{
    leave(buffer);
    return (void *)real()->siglongjmp;
}

void *jump___longjmp_chk(struct __jmp_buf_tag *buffer)
{
    leave(buffer);
    return (void *)real()->__longjmp_chk;
}

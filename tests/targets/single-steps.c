/* SPDX-License-Identifier: MIT
 *
 * EFLAGS.TF is set, so an instrumented SIGTRAP handler runs at every instruction boundary of the
 * code and of the hooks that it calls. */
#define _GNU_SOURCE
#include "truth.h"

#include <signal.h>

NOINLINE static void handler_leaf(void)
{
    CALLED(handler_leaf);
    __asm__ volatile("");
}

static void on_trap(int number)
{
    CALLED(on_trap);
    handler_leaf();
}

NOINLINE static void stepped_leaf(void)
{
    CALLED(stepped_leaf);
    __asm__ volatile("");
}

NOINLINE static void stepped(void)
{
    CALLED(stepped);
    for (int i = 0; i < 3; i++) stepped_leaf();
}

int main(void)
{
    CALLED(main);
    signal(SIGTRAP, on_trap);
    stepped();
    raise(SIGTRAP);
    for (int i = 0; i < 5; i++) {
        __asm__ volatile("pushf; orq $0x100, (%%rsp); popf" ::: "memory", "cc");
        stepped();
        __asm__ volatile("pushf; andq $~0x100, (%%rsp); popf" ::: "memory", "cc");
    }
    signal(SIGTRAP, SIG_DFL);
    truth_tell();
    return 0;
}

/* SPDX-License-Identifier: MIT
 *
 * longjmp out of nested calls, again and again, and siglongjmp out of a signal handler. What is
 * called afterwards stands at exactly the height of what was jumped out of. */
#include "truth.h"

#include <setjmp.h>
#include <signal.h>

static jmp_buf back;
static sigjmp_buf back_from_signal;

static sigjmp_buf back_with_signals;

NOINLINE static void jumps(int depth)
{
    CALLED(jumps);
    if (depth)
        jumps(depth - 1);
    else
        longjmp(back, 1);
    __asm__ volatile("");
}

NOINLINE static void landed(void)
{
    CALLED(landed);
    __asm__ volatile("");
}

NOINLINE static void lands(void)
{
    CALLED(lands);
    if (!setjmp(back)) jumps(5);
    landed();
    landed();
}

NOINLINE static void leaves(int way)
{
    CALLED(leaves);
    if (way) _longjmp(back, 1);
    siglongjmp(back_with_signals, 1);
}

NOINLINE static void stays(void)
{
    CALLED(stays);
    __asm__ volatile("");
}

NOINLINE static void lands_in_place(void)
{
    CALLED(lands_in_place);
    if (!_setjmp(back)) leaves(1);
    stays();
    if (!sigsetjmp(back_with_signals, 1)) leaves(0);
    stays();
}

NOINLINE static void rests(void)
{
    CALLED(rests);
    sleep_ms(30);
}

/* The rest is nobody's that was jumped out of. */
NOINLINE static void lands_and_rests(void)
{
    CALLED(lands_and_rests);
    if (!setjmp(back)) jumps(5);
    rests();
}

static void handler(int number)
{
    CALLED(handler);
    siglongjmp(back_from_signal, 1);
}

NOINLINE static void raises(void)
{
    CALLED(raises);
    raise(SIGUSR1);
}

NOINLINE static void lands_from_signal(void)
{
    CALLED(lands_from_signal);
    if (!sigsetjmp(back_from_signal, 1)) raises();
}

NOINLINE static void afterwards(void)
{
    CALLED(afterwards);
    sleep_ms(30);
}

int main(int argc, char **argv)
{
    CALLED(main);
    signal(SIGUSR1, handler);
    for (int i = argc > 1 ? atoi(argv[1]) : 20000; i; i--) lands();
    for (int i = 0; i < 1000; i++) lands_in_place();
    for (int i = 0; i < 1000; i++) lands_from_signal();
    lands_and_rests();
    afterwards();
    truth_tell();
    truth_under("landed", "lands");
    truth_under("stays", "lands_in_place");
    truth_under("leaves", "lands_in_place");
    truth_under("raises", "lands_from_signal");
    truth_under("rests", "lands_and_rests");
    truth_under("afterwards", "main");
    truth_line(1, "open", "jumps", 0);
    truth_line(1, "open", "lands", 0);
    return 0;
}

/* SPDX-License-Identifier: MIT
 *
 * Instrumented handlers at 10 kHz over instrumented code, until a number of them have run. Each
 * side counts its own calls. */
#define _GNU_SOURCE
#include "truth.h"

#include <signal.h>

static volatile sig_atomic_t ticks;

NOINLINE static void handler_leaf(void)
{
    CALLED(handler_leaf);
    __asm__ volatile("");
}

static void handler(int number)
{
    CALLED(handler);
    handler_leaf();
    ticks++;
}

NOINLINE static void main_leaf(void)
{
    CALLED(main_leaf);
    __asm__ volatile("");
}

NOINLINE static void main_middle(void)
{
    CALLED(main_middle);
    for (int i = 0; i < 10; i++) main_leaf();
}

int main(int argc, char **argv)
{
    CALLED(main);
    timer_t timer;
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
    struct itimerspec rate = {{0, 100000}, {0, 100000}}, off = {{0, 0}, {0, 0}};
    signal(SIGUSR1, handler);
    if (timer_create(CLOCK_MONOTONIC, &event, &timer)) return 1;
    timer_settime(timer, 0, &rate, NULL);
    while (ticks < (argc > 1 ? atoi(argv[1]) : 5000)) main_middle();
    timer_settime(timer, 0, &off, NULL);
    signal(SIGUSR1, SIG_IGN);
    truth_tell();
    return 0;
}

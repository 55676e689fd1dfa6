/* SPDX-License-Identifier: MIT
 *
 * The program's own handlers are in charge and it sees only its own view of them. */
#define _GNU_SOURCE
#include "truth.h"

#include <signal.h>

static const char *way;

static void on_signal(int number)
{
    CALLED(on_signal);
    static const char text[] = "own handler\n";
    if (write(1, text, sizeof text - 1) < 0) _exit(98);
    if (!strcmp(way, "returns")) return;
    truth_tell();
    if (!strcmp(way, "reraises")) {
        signal(number, SIG_DFL);
        raise(number);
        sigset_t set;
        sigemptyset(&set);
        sigaddset(&set, number);
        sigprocmask(SIG_UNBLOCK, &set, NULL);
    }
    _exit(21);
}

NOINLINE static void look(int number)
{
    CALLED(look);
    struct sigaction seen;
    memset(&seen, 0xaa, sizeof seen);
    int result = sigaction(number, NULL, &seen);
    const char *what = seen.sa_handler == SIG_DFL     ? "default"
                       : seen.sa_handler == SIG_IGN   ? "ignored"
                       : seen.sa_handler == on_signal ? "own"
                                                      : "foreign";
    printf("%d: %d %s flags %#x\n", number, result, what, (unsigned)seen.sa_flags & ~0x04000000u);
}

NOINLINE static void play(int number)
{
    CALLED(play);
    look(number);
    struct sigaction own = {.sa_handler = on_signal, .sa_flags = SA_NODEFER}, old;
    sigaction(number, &own, &old);
    printf("was %s\n", old.sa_handler == SIG_DFL ? "default" : "other");
    look(number);
    printf("signal gave %s\n", signal(number, SIG_IGN) == on_signal ? "own" : "other");
    look(number);
    printf("sysv_signal gave %s\n", sysv_signal(number, SIG_DFL) == SIG_IGN ? "ignored" : "other");
    look(number);
    printf("sigset gave %s\n", sigset(number, on_signal) == SIG_DFL ? "default" : "other");
    look(number);
    siginterrupt(number, 1);
    look(number);
    printf("sigset gave %s\n", sigset(number, SIG_HOLD) == on_signal ? "own" : "other");
    sigset(number, SIG_DFL);
    look(number);
    signal(number, on_signal);
    look(number);
}

int main(int argc, char **argv)
{
    CALLED(main);
    way = argv[1];
    int number = atoi(argv[2]);
    play(number);
    fflush(stdout);
    raise(number);
    truth_tell();
    return 22;
}

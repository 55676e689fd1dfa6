/* SPDX-License-Identifier: MIT
 *
 * The program has a small alternate stack of its own: it sees that one alone, and its handler runs
 * there. */
#define _GNU_SOURCE
#include "truth.h"

#include <signal.h>

static char memory[16384]; /* room for a frame with AVX-512 and for truth_tell */

static void on_alternate(int number)
{
    CALLED(on_alternate);
    char here;
    stack_t now;
    sigaltstack(NULL, &now);
    const char *where = &here >= memory && &here < memory + sizeof memory ? "own" : "other";
    if (write(1, where, strlen(where)) < 0 || write(1, now.ss_sp == memory ? "+\n" : "-\n", 2) < 0)
        _exit(1);
    if (number == SIGUSR1) return;
    truth_tell();
    _exit(23);
}

int main(int argc, char **argv)
{
    CALLED(main);
    stack_t before, own = {.ss_sp = memory, .ss_size = sizeof memory};
    sigaltstack(NULL, &before);
    printf("before: %d\n", (int)before.ss_flags);
    sigaltstack(&own, NULL);
    fflush(stdout);
    struct sigaction action = {.sa_handler = on_alternate, .sa_flags = SA_ONSTACK};
    sigaction(SIGUSR1, &action, NULL);
    raise(SIGUSR1);
    if (!strcmp(argv[1], "handled"))
        sigaction(SIGSEGV, &action, NULL);
    else
        truth_tell();
    *(volatile char *)NULL = 1;
    return 0;
}

/* SPDX-License-Identifier: MIT
 *
 * The processor's counter is forbidden for a while, and each reading of it, which faults, gets ten
 * ticks more than the last: so every duration is known to the tick. */
#define _GNU_SOURCE
#include "truth.h"

#include <signal.h>
#include <sys/prctl.h>
#include <ucontext.h>
#include <x86intrin.h>

enum { STEP = 10, LEAVES = 7, ROUNDS = 500 };

static unsigned long long counter;
static unsigned long readings;

PLAIN static void handler(int number, siginfo_t *info, void *context)
{
    greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
    const unsigned char *code = (const unsigned char *)registers[REG_RIP];
    if (code[0] == 0x0f && code[1] == 0x31)
        registers[REG_RIP] += 2; /* rdtsc */
    else if (code[0] == 0x0f && code[1] == 0x01 && code[2] == 0xf9)
        registers[REG_RIP] += 3; /* rdtscp */
    else
        _exit(90);
    counter += STEP;
    readings++;
    registers[REG_RAX] = (greg_t)(counter & 0xffffffff);
    registers[REG_RDX] = (greg_t)(counter >> 32);
}

NOINLINE static void warm(void)
{
    CALLED(warm);
    __asm__ volatile("");
}

/* Its durations differ: one beyond those before takes the slow path. */
NOINLINE static void leaf(int more)
{
    CALLED(leaf);
    for (int i = 0; i < more; i++) (void)__rdtsc();
    __asm__ volatile("");
}

NOINLINE static void middle(void)
{
    CALLED(middle);
    for (int i = 0; i < LEAVES; i++) leaf(i % 3);
}

NOINLINE static void outer(void)
{
    CALLED(outer);
    for (int i = 0; i < ROUNDS; i++) middle();
}

PLAIN int main(int argc, char **argv)
{
    struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_NODEFER};
    sigaction(SIGSEGV, &action, NULL);
    warm(); /* the store is made */
    counter = __rdtsc();
    if (prctl(PR_SET_TSC, PR_TSC_SIGSEGV)) return 77;
    outer(); /* slow paths read the counter more often */
    outer();
    prctl(PR_SET_TSC, PR_TSC_ENABLE);
    truth_tell();
    return 0;
}

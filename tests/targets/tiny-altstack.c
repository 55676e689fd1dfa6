/* SPDX-License-Identifier: MIT
 *
 * A handler on an alternate stack as small as the kernel takes, and a little for its own calls: the
 * first of all calls ("first") or not. What lies below the stack is not touched. */
#define _GNU_SOURCE
#include "truth.h"

#include <signal.h>
#include <sys/auxv.h>
#include <sys/mman.h>

static long calls;

NOINLINE static void in_handler(int depth)
{
    CALLED(in_handler);
    calls++;
    if (depth) in_handler(depth - 1);
    __asm__ volatile("");
}

static void handler(int number)
{
    CALLED(handler);
    in_handler(2);
}

NOINLINE static void before(void)
{
    CALLED(before);
    __asm__ volatile("");
}

PLAIN int main(int argc, char **argv)
{
    size_t page = 4096, least = getauxval(51 /* AT_MINSIGSTKSZ */), own = 1024;
    if (!least) least = 2048;
    size_t bytes = (least + own + page - 1) / page * page;
    char *memory =
        mmap(NULL, bytes + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(memory, page, PROT_NONE);
    stack_t stack = {.ss_sp = memory + page + bytes - least - own, .ss_size = least + own};
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_ONSTACK};
    if (sigaltstack(&stack, NULL) || sigaction(SIGUSR1, &action, NULL)) return 1;
    memset(memory + page, 0x5a, bytes);
    if (strcmp(argv[1], "first")) before();
    for (int i = 0; i < 10; i++) raise(SIGUSR1);
    for (char *at = memory + page; at < (char *)stack.ss_sp; at++)
        if (*at != 0x5a) return 2;
    truth_tell();
    return calls == 30 ? 0 : 3;
}

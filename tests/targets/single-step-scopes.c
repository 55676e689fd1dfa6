/* SPDX-License-Identifier: MIT
 *
 * As single-steps.c, of what include/stint/stint.h does: a SIGTRAP handler that uses the same
 * categories runs at every instruction boundary. Says how many events there were. */
#define _GNU_SOURCE
#include "truth.h"

#include <signal.h>
#include <stint/stint.h>

static stint_handle *work, *took;
static unsigned long events;

PLAIN static void tell(void)
{
    events += 3;
    STINT_SCOPE_OF(work);
    stint_record_to(took, 7 + events / 3 % 3);
    stint_count("count", 1);
}

PLAIN static void on_trap(int number) { tell(); }

PLAIN int main(void)
{
    work = stint_category("work");
    took = stint_category("took");
    signal(SIGTRAP, on_trap);
    for (int i = 0; i < 100; i++) tell();
    for (int i = 0; i < 10; i++) {
        __asm__ volatile("pushf; orq $0x100, (%%rsp); popf" ::: "memory", "cc");
        tell();
        tell();
        __asm__ volatile("pushf; andq $~0x100, (%%rsp); popf" ::: "memory", "cc");
    }
    signal(SIGTRAP, SIG_DFL);
    printf("events %lu\n", events);
    return 0;
}

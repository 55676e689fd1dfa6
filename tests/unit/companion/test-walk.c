/* SPDX-License-Identifier: MIT
 *
 * Walks from a signal's context through functions whose order is known. */
#include "companion/walk.h"

#include "base/compiler.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <ucontext.h>

#include <cmocka.h>

enum { FRAMES = 64 };
static uint64_t frames[FRAMES];
static size_t count, capacity;
static volatile int depth;

static void on_signal(int signal, siginfo_t *info, void *context)
{
    count = walk_stack(context, frames, capacity);
}

/* Each keeps work after its call, so that none becomes a jump. */
NOINLINE static void innermost(void)
{
    raise(SIGUSR1);
    depth++;
}

NOINLINE static void middle(void)
{
    innermost();
    depth++;
}

NOINLINE static void outermost(void)
{
    middle();
    depth++;
}

NOINLINE static void calls_nothing(void)
{
    void (*volatile nothing)(void) = NULL;
    nothing();
    depth++;
}

/* A return address belongs to the function that starts last before it. */
static bool is_in(uint64_t address, void (*function)(void))
{
    void (*const others[])(void) = {innermost, middle, outermost, calls_nothing};
    uint64_t start = (uintptr_t)function;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        uint64_t other = (uintptr_t)others[i];
        if (other > start && other <= address) return false;
    }
    return address >= start && address - start < 4096;
}

static size_t position_in(void (*function)(void), size_t from)
{
    while (from < count && !is_in(frames[from], function)) from++;
    return from;
}

static void walk(size_t most)
{
    struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO};
    sigaction(SIGUSR1, &action, NULL);
    capacity = most;
    outermost();
}

static void callers_come_in_their_order(void **state)
{
    walk(FRAMES);
    size_t first = position_in(innermost, 0), second = position_in(middle, 0);
    size_t third = position_in(outermost, 0);
    assert_true(first < second && second < third && third < count);
}

static void the_capacity_is_kept(void **state)
{
    walk(3);
    assert_int_equal(count, 3);
    walk(0);
    assert_int_equal(count, 0);
}

static void on_fault(int signal, siginfo_t *info, void *context)
{
    ucontext_t *interrupted = context;
    count = walk_stack(interrupted, frames, FRAMES);
    /* Back as from the function that is not there. */
#if defined(__x86_64__)
    greg_t *registers = interrupted->uc_mcontext.gregs;
    registers[REG_RIP] = *(greg_t *)registers[REG_RSP];
    registers[REG_RSP] += 8;
#else
    interrupted->uc_mcontext.pc = interrupted->uc_mcontext.regs[30];
#endif
}

__attribute__((no_sanitize("undefined"))) static void
a_call_of_a_null_pointer_shows_zero_and_the_caller(void **state)
{
    struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO}, before;
    sigaction(SIGSEGV, &action, &before);
    calls_nothing();
    sigaction(SIGSEGV, &before, NULL);
    assert_true(count > 1);
    assert_int_equal(frames[0], 0);
    assert_int_equal(position_in(calls_nothing, 0), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(callers_come_in_their_order),
        cmocka_unit_test(the_capacity_is_kept),
        cmocka_unit_test(a_call_of_a_null_pointer_shows_zero_and_the_caller),
    };
    return cmocka_run_group_tests_name("companion/walk", tests, NULL, NULL);
}

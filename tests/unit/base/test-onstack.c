/* SPDX-License-Identifier: MIT
 *
 * Calls on another stack: where they run, what they give back, and how they are left. */
#include "base/onstack.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { BYTES = 64 * 1024 };
static _Alignas(16) char other[BYTES];

static long is_on_other(void *argument)
{
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    return here >= (uintptr_t)other && here < (uintptr_t)other + BYTES ? *(long *)argument : -1;
}

static void the_call_runs_there_and_returns_its_result(void **state)
{
    struct onstack place;
    long number = 42;
    assert_int_equal(onstack_call(&place, is_on_other, &number, other + BYTES), 42);
}

static void an_odd_top_is_rounded_down(void **state)
{
    struct onstack place;
    long number = 7;
    assert_int_equal(onstack_call(&place, is_on_other, &number, other + BYTES - 5), 7);
}

static long leaves(void *place) { onstack_leave(place, -9); }

static void leaving_ends_the_call_with_the_given_result(void **state)
{
    struct onstack place;
    assert_int_equal(onstack_call(&place, leaves, &place, other + BYTES), -9);
}

static long leaves_outer(void *outer) { onstack_leave(outer, 5); }

static long nests(void *outer)
{
    struct onstack inner;
    (void)onstack_call(&inner, leaves_outer, outer, other + BYTES / 2);
    return 6;
}

static void an_outer_call_can_be_left_from_an_inner_one(void **state)
{
    struct onstack place;
    assert_int_equal(onstack_call(&place, nests, &place, other + BYTES), 5);
}

static struct onstack faulting;

static void on_fault(int signal) { onstack_leave(&faulting, -14); }

static long faults(void *unused)
{
    raise(SIGSEGV);
    return 0;
}

static void a_signal_handler_can_leave_it(void **state)
{
    struct sigaction action = {.sa_handler = on_fault, .sa_flags = SA_NODEFER}, before;
    sigaction(SIGSEGV, &action, &before);
    for (int i = 0; i < 3; i++)
        assert_int_equal(onstack_call(&faulting, faults, NULL, other + BYTES), -14);
    sigaction(SIGSEGV, &before, NULL);
}

/* Values that live in callee-saved registers across the call. */
static void what_the_caller_holds_survives(void **state)
{
    struct onstack place;
    volatile long seed = 3;
    long a = seed * 5, b = seed * 7, c = seed * 11, d = seed * 13, e = seed * 17;
    double f = (double)seed * 0.5, g = (double)seed * 0.25;
    (void)onstack_call(&place, leaves, &place, other + BYTES);
    assert_int_equal(a + b + c + d + e, 3 * (5 + 7 + 11 + 13 + 17));
    assert_true(f + g == 2.25);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_call_runs_there_and_returns_its_result),
        cmocka_unit_test(an_odd_top_is_rounded_down),
        cmocka_unit_test(leaving_ends_the_call_with_the_given_result),
        cmocka_unit_test(an_outer_call_can_be_left_from_an_inner_one),
        cmocka_unit_test(a_signal_handler_can_leave_it),
        cmocka_unit_test(what_the_caller_holds_survives),
    };
    return cmocka_run_group_tests_name("base/onstack", tests, NULL, NULL);
}

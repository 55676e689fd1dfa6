/* SPDX-License-Identifier: MIT
 *
 * What functions took between two moments equals what a made-up program knows of itself, with and
 * without folding, and calls that are open at a moment have taken what they have until then. */
#include "record/selves.h"

#include "lab.h"
#include "program.h"

#include "record/func.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { A = 0xa000, B = 0xb000, C = 0xc000, SP = LAB_HIGH - 0x1000 };

static struct selves_map map;
static struct selves moments[3];

static int close_all(void **state)
{
    map = (struct selves_map){0};
    for (int i = 0; i < 3; i++) moments[i] = (struct selves){0};
    return lab_close(state);
}

static void measure(int moment, uint64_t now)
{
    assert_true(selves_measure(lab.block, &map, &moments[moment], now));
}

static uint64_t between(int before, int now, uint64_t address)
{
    const struct selves_change change = {&moments[before], &moments[now]};
    const struct store_function *function = lab_function(lab.block, address);
    assert_non_null(function);
    return selves_between(&change, function->number + 1);
}

static void of_a_program(uint32_t max_nodes)
{
    lab_open((struct recorder_options){.max_nodes = max_nodes});
    struct program program = {.seed = max_nodes + 1, .now = 1000, .calls_left = 3000};
    program_run(&program);
    struct program first = program;
    measure(0, program.now);
    program.calls_left = 20000;
    program_run(&program);
    measure(1, program.now);
    for (int f = 0; f < PROGRAM_FUNCTIONS; f++)
        assert_int_equal(between(0, 1, PROGRAM_FIRST + (uint64_t)f * 16),
                         program.sums[f].self - first.sums[f].self);
    if (max_nodes) assert_true(lab_lost(LOST_CONTEXTS_FOLDED) > 0);
}

static void a_programs_self_times_are_found(void **state) { of_a_program(0); }

static void folding_changes_no_self_time(void **state)
{
    of_a_program(17);
    close_all(state);
    of_a_program(200);
}

static void open_calls_have_taken_what_they_have_until_then(void **state)
{
    lab_open((struct recorder_options){0});
    lab_enter(A, SP, 100);
    lab_enter(B, SP - 32, 150);
    measure(0, 170); /* A 50, B 20 */
    assert_int_equal(selves_innermost(lab.block), lab_function(lab.block, B)->number + 1);
    lab_exit(B, SP - 32, 200); /* B 50 */
    lab_enter(C, SP - 32, 260);
    measure(1, 300); /* A 110, C 40 */
    lab_exit(C, SP - 32, 310);
    lab_exit(A, SP, 320);
    measure(2, 400);
    assert_int_equal(between(0, 1, A), 60);
    assert_int_equal(between(0, 1, B), 30);
    assert_int_equal(between(0, 1, C), 40);
    assert_int_equal(between(0, 2, A), 70);
    assert_int_equal(between(0, 2, C), 50);
    assert_int_equal(between(1, 2, B), 0);
    assert_int_equal(selves_innermost(lab.block), 0);
}

static void recursion_and_open_folded_calls_are_split_rightly(void **state)
{
    lab_open((struct recorder_options){.max_nodes = 16});
    for (uint32_t i = 0; i < 20; i++) lab_enter(A + i * 16, SP - i * 32, 100 + i * 10);
    measure(0, 1000);
    lab_enter(A, SP - 20 * 32, 1000);
    measure(1, 1500);
    assert_int_equal(between(0, 1, A), 500);
    for (uint32_t i = 1; i < 20; i++) assert_int_equal(between(0, 1, A + i * 16), 0);
    lab_exit(A, SP - 20 * 32, 1600);
    for (uint32_t i = 20; i-- > 0;) lab_exit(A + i * 16, SP - i * 32, 1700);
    measure(2, 9999);
    assert_int_equal(between(1, 2, A), 100);
    assert_int_equal(between(1, 2, A + 19 * 16), 100);
    assert_int_equal(between(1, 2, A + 18 * 16), 0);
}

static void without_memory_nothing_is_measured(void **state)
{
    lab_open((struct recorder_options){0});
    lab_enter(A, SP, 100);
    lab_exhaust();
    assert_false(selves_measure(lab.block, &map, &moments[0], 150));
    lab_replenish();
    measure(0, 150);
    measure(1, 170);
    assert_int_equal(between(0, 1, A), 20);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_teardown(name, close_all)
    const struct CMUnitTest tests[] = {
        CASE(a_programs_self_times_are_found),
        CASE(folding_changes_no_self_time),
        CASE(open_calls_have_taken_what_they_have_until_then),
        CASE(recursion_and_open_folded_calls_are_split_rightly),
        CASE(without_memory_nothing_is_measured),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT
 *
 * The straight line of enter and exit on the real stack with the real clock, as the hooks go it:
 * what it takes, what it leaves to the slow path, and that together they lose nothing. */
#include "record/frames_hot.h"

#include "lab.h"
#include "program.h"

#include "clock/clock.h"
#include "record/frames.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { A = 0xa000, B = 0xb000, C = 0xc000 };

/* The hooks, as src/hook has them; true where the straight line sufficed. */
static NOINLINE bool enter(uint64_t address)
{
    struct control *block = lab.block;
    if (frames_try_enter(block, address) ||
        frames_try_enter_probing(block, address, stack_address()))
        return true;
    if (!control_begin(block, stack_address())) return false;
    frames_enter(block, address, stack_address());
    control_end(block);
    return false;
}

static NOINLINE bool leave(uint64_t address)
{
    struct control *block = lab.block;
    uint64_t now = clock_counter();
    if (frames_try_exit(block, block->top, address, now)) return true;
    if (!control_begin(block, stack_address())) return false;
    frames_exit(block, address, stack_address(), now);
    control_end(block);
    return false;
}

static void known_calls_take_the_straight_line(void **state)
{
    enum { CALLS = 20000 };
    uint32_t straight_enters = 0, straight_exits = 0;
    lab_open_here((struct recorder_options){0});
    enter(A);
    for (uint64_t i = 0; i < CALLS; i++) {
        straight_enters += enter(B + i % 3 * 16);
        straight_exits += leave(B + i % 3 * 16);
    }
    leave(A);
    assert_int_equal(straight_enters, CALLS - 3); /* all but the first of each function */
    assert_true(straight_exits > CALLS / 2);      /* all but new extremes and new counters */
    for (uint64_t i = 0; i < 3; i++) {
        const struct store_node *node = LAB_NODE(A, B + i * 16);
        assert_int_equal(node->count, (CALLS + 2 - i) / 3);
        assert_true(node->min_ticks * node->count <= node->total_ticks);
        assert_true(node->max_ticks * node->count >= node->total_ticks);
        const struct store_function *function = lab_function(lab.block, B + i * 16);
        assert_int_equal(lab_histogram_sum(lab.block, function), node->count);
    }
}

/* A call of a made-up duration; its exit must take the straight line. */
static void straight_call(bool is_entered_slow, uint64_t ticks)
{
    if (is_entered_slow) {
        assert_true(control_begin(lab.block, stack_address()));
        frames_enter(lab.block, A, stack_address());
        control_end(lab.block);
    } else {
        assert_true(enter(A));
    }
    struct store_frame *frame = lab.block->top;
    frame->start_ticks = 1000;
    const struct store_function *function = lab_function(lab.block, A);
    uint64_t before = lab_bucket(lab.block, function, lab_bucket_of(ticks));
    assert_true(frames_try_exit(lab.block, frame, A, 1000 + ticks));
    assert_int_equal(lab_bucket(lab.block, function, lab_bucket_of(ticks)), before + 1);
}

static void a_straight_exit_adds_to_the_node_and_the_right_bucket(void **state)
{
    static const uint64_t ticks[] = {0, 1, 100, 255, 256, 300, 511, 512, 1023, 5000, 1 << 20};
    uint64_t total = 0, count = 0;
    lab_open_here((struct recorder_options){0});
    for (size_t i = 0; i < sizeof ticks / sizeof ticks[0]; i++) {
        enter(A); /* the slow path makes what is missing */
        lab.block->top->start_ticks = 1000;
        assert_false(frames_try_exit(lab.block, lab.block->top, A, 1000 + ticks[i]));
        lab_exit(A, stack_address(), 1000 + ticks[i]);
        straight_call(false, ticks[i]);
        straight_call(true, ticks[i]);
        total += 3 * ticks[i];
        count += 3;
    }
    assert_int_equal(LAB_NODE(A)->count, count);
    assert_int_equal(LAB_NODE(A)->total_ticks, total);
    assert_int_equal(lab_histogram_sum(lab.block, lab_function(lab.block, A)), count);
    assert_int_equal(lab_depth(), 0);
}

static void the_straight_line_refuses_what_is_not_ordinary(void **state)
{
    lab_open_here((struct recorder_options){0});
    enter(A);
    enter(B);
    leave(B);
    struct control before = *lab.block;
    assert_true(control_begin(lab.block, stack_address()));
    assert_false(frames_try_enter(lab.block, B) ||
                 frames_try_enter_probing(lab.block, B, stack_address()));
    assert_false(frames_try_exit(lab.block, lab.block->top, A, clock_counter()));
    control_end(lab.block);
    assert_memory_equal(&before, lab.block, sizeof before);
    assert_false(frames_try_enter(lab.block, C) ||
                 frames_try_enter_probing(lab.block, C, stack_address()));
    assert_false(frames_try_exit(lab.block, lab.block->top, B, clock_counter()));
    uint64_t sp = lab.block->top->sp;
    lab.block->top->sp = 1; /* as if the newest call's frame were gone, or unfinished */
    assert_false(frames_try_enter(lab.block, B) ||
                 frames_try_enter_probing(lab.block, B, stack_address()));
    lab.block->top->sp = sp;
    lab.block->stack_low = UINTPTR_MAX; /* another stack */
    assert_false(frames_try_enter(lab.block, B) ||
                 frames_try_enter_probing(lab.block, B, stack_address()));
    lab.block->stack_low = 0;
    assert_int_equal(LAB_NODE(A, B)->count, 1);
    assert_int_equal(LAB_NODE(A)->count, 0);
    assert_int_equal(lab_depth(), 1);
}

static void with_another_clock_every_call_is_slow(void **state)
{
    lab_open_here((struct recorder_options){.clock_source = CLOCK_NS});
    for (int i = 0; i < 10; i++) assert_false(enter(A) || leave(A));
    assert_int_equal(LAB_NODE(A)->count, 10);
}

/* Real recursion with real longjmps. */
static uint64_t counts[PROGRAM_FUNCTIONS];
static jmp_buf ways_out[32];

static NOINLINE void recurse(struct program *program, uint32_t depth)
{
    volatile uint32_t f = program_dice(program, PROGRAM_FUNCTIONS);
    enter(A + f * 16);
    counts[f]++;
    if (setjmp(ways_out[depth]) == 0) {
        while (program->calls_left && depth < 30 && program_dice(program, 8) > 1) {
            program->calls_left--;
            recurse(program, depth + 1);
        }
        if (depth > 3 && program_dice(program, 4) == 0)
            longjmp(ways_out[depth - 1 - program_dice(program, 3)], 1);
    }
    leave(A + f * 16);
}

static void a_program_with_longjmps_is_counted_call_by_call(void **state)
{
    static const uint32_t limits[] = {1 << 20, 100, 1};
    for (int i = 0; i < 3; i++) {
        struct program program = {.seed = 77, .calls_left = 30000};
        memset(counts, 0, sizeof counts);
        lab_open_here((struct recorder_options){.max_nodes = limits[i]});
        while (program.calls_left) recurse(&program, 0);
        assert_int_equal(lab_depth(), 0);
        assert_int_equal(lab_lost(LOST_UNMATCHED_EXITS), 0);
        uint64_t found[PROGRAM_FUNCTIONS] = {0};
        const struct store_node *node;
        for (uint32_t k = 0; (node = lab_nth_node(lab.block, k)); k++) {
            uint64_t address = node->address & STORE_ADDRESS_MASK;
            if (address) found[(address - A) / 16] += node->count;
        }
        assert_memory_equal(found, counts, sizeof counts);
        lab_close(state);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        LAB_CASE(known_calls_take_the_straight_line),
        LAB_CASE(a_straight_exit_adds_to_the_node_and_the_right_bucket),
        LAB_CASE(the_straight_line_refuses_what_is_not_ordinary),
        LAB_CASE(with_another_clock_every_call_is_slow),
        LAB_CASE(a_program_with_longjmps_is_counted_call_by_call),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

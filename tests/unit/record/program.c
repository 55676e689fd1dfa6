/* SPDX-License-Identifier: MIT
 *
 * The made-up program: a random tree of calls without jumps, on stack addresses of its own. */
#include "program.h"

#include "lab.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum { SP = LAB_HIGH - 0x1000, DEEPEST = 14 };

uint32_t program_dice(struct program *program, uint32_t sides)
{
    program->seed = program->seed * 1664525 + 1013904223;
    return (program->seed >> 8) % sides;
}

/* Returns the call's duration. */
static uint64_t run_call(struct program *program, uint32_t depth)
{
    uint32_t f = program_dice(program, PROGRAM_FUNCTIONS);
    uint64_t start = program->now, children = 0;
    program->calls_left--;
    program->open[f]++;
    lab_enter(PROGRAM_FIRST + f * 16, SP - depth * 32, start);
    while (depth < DEEPEST && program->calls_left && program_dice(program, 5) > 1) {
        program->now += program_dice(program, 100);
        children += run_call(program, depth + 1);
    }
    program->now += program_dice(program, 1000);
    lab_exit(PROGRAM_FIRST + f * 16, SP - depth * 32, program->now);
    uint64_t ticks = program->now - start;
    program->open[f]--;
    struct program_sums *sums = &program->sums[f];
    sums->count++;
    sums->total += ticks;
    sums->self += ticks - children;
    if (!program->open[f]) sums->once += ticks;
    return ticks;
}

void program_run(struct program *program)
{
    while (program->calls_left) (void)run_call(program, 0);
}

static bool has_ancestor_of_its_own(const struct control *block, const struct store_node *node)
{
    for (store_ref ref = node->parent; ref;) {
        const struct store_node *above = lab_at(block, ref);
        if (above->address == node->address) return true;
        ref = above->parent;
    }
    return false;
}

static struct program_sums *sums_of(const struct store_node *node, struct program_sums *sums)
{
    return &sums[((node->address & STORE_ADDRESS_MASK) - PROGRAM_FIRST) / 16];
}

static void read_node(const struct control *block, const struct store_node *node,
                      struct program_sums *sums)
{
    struct program_sums *sum = sums_of(node, sums);
    sum->count += node->count;
    sum->total += node->total_ticks;
    sum->self += node->total_ticks;
    if (node->address & STORE_MARK_FOLDED) {
        const struct store_function *function = lab_at(block, node->function);
        const struct store_folded *folded = lab_at(block, function->folded);
        assert_int_equal(folded->active, 0);
        sum->once += node->total_ticks - folded->nested_ticks;
        sum->self -= folded->child_ticks;
        return;
    }
    if (!has_ancestor_of_its_own(block, node)) sum->once += node->total_ticks;
    const struct store_node *parent = lab_at(block, node->parent);
    if (parent->parent) sums_of(parent, sums)->self -= node->total_ticks;
    if (node->folded_children) sum->self -= *(const uint64_t *)lab_at(block, node->folded_children);
}

void program_read(const struct control *block, struct program_sums sums[PROGRAM_FUNCTIONS])
{
    const struct store_node *node;
    for (uint32_t i = 0; (node = lab_nth_node(block, i)); i++) {
        if (node->address & STORE_ADDRESS_MASK) read_node(block, node, sums);
    }
}

void program_assert(const struct control *block, const struct program_sums *found,
                    const struct program_sums *expected)
{
    for (uint32_t f = 0; f < PROGRAM_FUNCTIONS; f++) {
        assert_int_equal(found[f].count, expected[f].count);
        assert_int_equal(found[f].total, expected[f].total);
        assert_int_equal(found[f].self, expected[f].self);
        assert_int_equal(found[f].once, expected[f].once);
        const struct store_function *function = lab_function(block, PROGRAM_FIRST + f * 16);
        assert_non_null(function);
        assert_int_equal(lab_histogram_sum(block, function), expected[f].count);
    }
}

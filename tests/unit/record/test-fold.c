/* SPDX-License-Identifier: MIT
 *
 * What is folded into "[other threads]" is neither lost nor counted twice, whether it lies in the
 * tree or beside it. */
#include "record/fold.h"

#include "lab.h"
#include "program.h"

#include "record/func.h"
#include "record/ring.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { A = 0xa000, B = 0xb000, C = 0xc000, SP = LAB_HIGH - 0x1000 };

/* A recorder as a thread would leave it, to be worked on as lab.block. */
static struct control *make(void)
{
    const struct recorder_thread thread = {
        .tid = 1, .stack_low = LAB_LOW, .stack_high = LAB_HIGH, .started_ticks = 1};
    lab.block = recorder_make(&thread);
    assert_non_null(lab.block);
    control_end(lab.block);
    return lab.block;
}

static struct control *others(void)
{
    assert_true(control_process()->others > 0);
    return control_block(control_process()->others - 1);
}

static void call(uint64_t address, uintptr_t sp, uint64_t start, uint64_t end)
{
    lab_enter(address, sp, start);
    lab_exit(address, sp, end);
}

#define OTHERS_NODE(...)                                                                           \
    lab_node(others(), (const uint64_t[]){__VA_ARGS__},                                            \
             sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t))

static void the_row_is_made_when_it_is_needed(void **state)
{
    lab_open_store((struct recorder_options){0});
    assert_int_equal(control_process()->others, 0);
    fold_into_others(make());
    const struct store_recorder *row = others()->recorder;
    assert_string_equal(row->name, "[other threads]");
    assert_int_equal(row->flags & STORE_RECORDER_OTHERS, STORE_RECORDER_OTHERS);
    assert_int_equal(row->state, STORE_THREAD_EXITED);
    fold_into_others(make());
    assert_ptr_equal(others()->recorder, row);
    assert_int_equal(row->generations, 2);
    assert_int_equal(control_process()->blocks_used, 3);
}

static void nodes_go_to_the_same_paths_and_add_up(void **state)
{
    lab_open_store((struct recorder_options){0});
    struct control *first = make();
    lab_enter(A, SP, 0);
    call(B, SP - 16, 10, 15);
    call(B, SP - 16, 16, 19);
    call(C, SP - 16, 20, 60);
    lab_exit(A, SP, 100);
    struct control *second = make();
    call(B, SP, 0, 1000);
    lab_enter(A, SP, 2000);
    call(C, SP - 16, 2000, 2003);
    lab_exit(A, SP, 2007);
    fold_into_others(first);
    fold_into_others(second);
    assert_int_equal(OTHERS_NODE(A)->count, 2);
    assert_int_equal(OTHERS_NODE(A)->total_ticks, 107);
    assert_int_equal(OTHERS_NODE(A)->min_ticks, 7);
    assert_int_equal(OTHERS_NODE(A)->max_ticks, 100);
    assert_int_equal(OTHERS_NODE(A, B)->total_ticks, 8);
    assert_int_equal(OTHERS_NODE(A, B)->min_ticks, 3);
    assert_int_equal(OTHERS_NODE(A, B)->max_ticks, 5);
    assert_int_equal(OTHERS_NODE(A, C)->count, 2);
    assert_int_equal(OTHERS_NODE(A, C)->total_ticks, 43);
    assert_int_equal(OTHERS_NODE(B)->total_ticks, 1000);
}

static void the_recorder_is_empty_and_usable_afterwards(void **state)
{
    lab_open_store((struct recorder_options){0});
    struct control *block = make();
    lab_enter(A, SP, 0);
    call(B, SP - 16, 10, 15);
    lab_exit(A, SP, 100);
    block->recorder->lost[LOST_UNMATCHED_EXITS] = 3;
    fold_into_others(block);
    const struct store_node *node;
    for (uint32_t i = 0; (node = lab_nth_node(block, i)); i++) {
        assert_int_equal(node->count + node->total_ticks + node->max_ticks, 0);
        assert_true(node->min_ticks == UINT64_MAX);
    }
    assert_int_equal(lab_histogram_sum(block, lab_function(block, A)), 0);
    assert_int_equal(block->recorder->lost[LOST_UNMATCHED_EXITS], 0);
    lab_enter(A, SP, 0);
    call(B, SP - 16, 10, 17);
    lab_exit(A, SP, 30);
    fold_into_others(block);
    assert_int_equal(OTHERS_NODE(A, B)->total_ticks, 5 + 7);
    assert_int_equal(OTHERS_NODE(A)->max_ticks, 100);
}

static void histograms_add_up_bucket_by_bucket(void **state)
{
    static const uint64_t ticks[] = {0, 3, 255, 256, 100000, 100000, UINT64_MAX / 2};
    lab_open_store((struct recorder_options){0});
    for (int round = 1; round <= 3; round++) {
        struct control *block = make();
        for (int i = 0; i < 7; i++) call(A, SP, 5, 5 + ticks[i]);
        fold_into_others(block);
        const struct store_function *sum = lab_function(others(), A);
        assert_int_equal(lab_histogram_sum(others(), sum), round * 7);
        assert_int_equal(lab_bucket(others(), sum, lab_bucket_of(100000)), round * 2);
        assert_int_equal(lab_bucket(others(), sum, 3), round);
    }
}

static void the_recorders_own_figures_add_up(void **state)
{
    lab_open_store((struct recorder_options){0});
    uint64_t generations = 0;
    for (uint32_t i = 1; i <= 3; i++) {
        struct control *block = make();
        block->recorder->generations = i;
        block->recorder->cpu_ns = 100 * i;
        block->recorder->ended_ticks = i == 2 ? 50 : 20;
        block->recorder->lost[LOST_CALLS_TOO_DEEP] = i;
        fold_into_others(block);
        generations += i;
        assert_int_equal(block->recorder->generations, 0);
        assert_int_equal(block->recorder->cpu_ns, 0);
    }
    const struct store_recorder *row = others()->recorder;
    assert_int_equal(row->generations, generations);
    assert_int_equal(row->lost[LOST_THREADS_MERGED], generations);
    assert_int_equal(row->cpu_ns, 600);
    assert_int_equal(row->ended_ticks, 50);
    assert_int_equal(row->lost[LOST_CALLS_TOO_DEEP], 6);
}

/* Several programs, each in a recorder of its own, folded one after the other. */
static void check_programs(uint32_t own_nodes, uint32_t others_nodes)
{
    struct program all = {0};
    lab_open_store((struct recorder_options){.max_nodes = own_nodes});
    struct recorder_options options = *recorder_settings();
    for (uint32_t i = 0; i < 4; i++) {
        struct program program = {.seed = 1000 * own_nodes + i, .calls_left = 3000};
        options.max_nodes = own_nodes;
        recorder_configure(&options);
        struct control *block = make();
        program_run(&program);
        options.max_nodes = others_nodes;
        recorder_configure(&options);
        fold_into_others(block);
        for (uint32_t f = 0; f < PROGRAM_FUNCTIONS; f++) {
            all.sums[f].count += program.sums[f].count;
            all.sums[f].total += program.sums[f].total;
            all.sums[f].self += program.sums[f].self;
            all.sums[f].once += program.sums[f].once;
        }
        struct program_sums left[PROGRAM_FUNCTIONS] = {{0}}, found[PROGRAM_FUNCTIONS] = {{0}};
        const struct program_sums none[PROGRAM_FUNCTIONS] = {{0}};
        program_read(block, left);
        program_assert(block, left, none);
        program_read(others(), found);
        program_assert(others(), found, all.sums);
    }
    assert_true(others()->recorder->node_count <= others_nodes + 1 + PROGRAM_FUNCTIONS);
}

static void whole_trees_keep_their_sums(void **state) { check_programs(1 << 20, 1 << 20); }

static void folded_functions_keep_theirs_with_what_lies_beside_them(void **state)
{
    static const uint32_t nodes[] = {1, 9, 40, 1 << 20};
    for (int i = 0; i < 4; i++) {
        for (int k = 0; k < 4; k++) {
            check_programs(nodes[i], nodes[k]);
            lab_close(state);
        }
    }
}

static void of_samples_the_newest_stay_in_their_order(void **state)
{
    enum { LIMIT = 100 };
    lab_open_store((struct recorder_options){.function_samples = LIMIT});
    struct control *first = make();
    for (uint64_t i = 0; i < 70; i++) call(A, SP, 0, i);
    struct control *second = make();
    for (uint64_t i = 0; i < 150; i++) call(A, SP, 0, 1000 + i); /* 1050 … 1149 remain */
    fold_into_others(first);
    fold_into_others(second);
    struct control *third = make();
    for (uint64_t i = 0; i < 30; i++) call(A, SP, 0, 2000 + i);
    fold_into_others(third);
    const struct store_ring *ring = lab_at(others(), lab_function(others(), A)->ring);
    const uint64_t *samples = lab_at(others(), ring->samples);
    assert_int_equal(ring->limit, LIMIT);
    assert_int_equal(ring->capacity, LIMIT);
    for (uint64_t i = 0; i < LIMIT; i++) {
        uint64_t sample = samples[(ring->lapped + ring->next - LIMIT + i) % LIMIT];
        assert_int_equal(sample, i < 70 ? 1080 + i : 2000 + i - 70);
    }
    const struct store_ring *emptied = lab_at(first, lab_function(first, A)->ring);
    assert_int_equal(emptied->lapped + emptied->next, 0);
}

static void a_function_stays_with_the_module_of_its_time(void **state)
{
    lab_open_store((struct recorder_options){0});
    struct control *block = make();
    call(A, SP, 0, 1);
    uint64_t first_seen = lab_function(block, A)->first_ticks;
    recorder_forget_code(A, A + 1);
    call(A, SP, 0, 10);
    fold_into_others(block);
    const struct store_function *gone = lab_function(others(), A | STORE_MARK_UNLOADED);
    assert_true(gone->first_ticks == first_seen);
    assert_int_equal(OTHERS_NODE(A | STORE_MARK_UNLOADED)->total_ticks, 1);
    assert_int_equal(OTHERS_NODE(A)->total_ticks, 10);
    assert_true(lab_function(others(), A)->first_ticks >= first_seen);
}

static void without_memory_what_has_no_place_stays(void **state)
{
    for (uint32_t room = 0; room < 250; room += 12) {
        struct program program = {.seed = 5, .calls_left = 500};
        struct program_sums found[PROGRAM_FUNCTIONS] = {{0}};
        lab_open_store((struct recorder_options){0});
        fold_into_others(make()); /* the row is there */
        struct control *block = make();
        program_run(&program);
        lab_exhaust();
        assert_true(room * 8 <= others()->extent_end - others()->extent);
        others()->extent_end = others()->extent + room * 8; /* so many lines are left */
        fold_into_others(block);
        program_read(block, found);
        program_read(others(), found);
        for (uint32_t f = 0; f < PROGRAM_FUNCTIONS; f++) {
            assert_int_equal(found[f].count, program.sums[f].count);
            assert_int_equal(found[f].total, program.sums[f].total);
        }
        lab_close(state);
    }
}

static void without_any_memory_nothing_changes(void **state)
{
    lab_open_store((struct recorder_options){0});
    struct control *block = make();
    call(A, SP, 0, 10);
    block->recorder->cpu_ns = 5;
    lab_exhaust();
    fold_into_others(block);
    assert_int_equal(control_process()->others, 0);
    assert_int_equal(LAB_NODE(A)->total_ticks, 10);
    assert_int_equal(lab_histogram_sum(block, lab_function(block, A)), 1);
    assert_int_equal(block->recorder->cpu_ns, 5);
    assert_int_equal(block->recorder->generations, 1);
    assert_int_equal(control_process()->fold_lock, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        LAB_CASE(the_row_is_made_when_it_is_needed),
        LAB_CASE(nodes_go_to_the_same_paths_and_add_up),
        LAB_CASE(the_recorder_is_empty_and_usable_afterwards),
        LAB_CASE(histograms_add_up_bucket_by_bucket),
        LAB_CASE(the_recorders_own_figures_add_up),
        LAB_CASE(whole_trees_keep_their_sums),
        LAB_CASE(folded_functions_keep_theirs_with_what_lies_beside_them),
        LAB_CASE(of_samples_the_newest_stay_in_their_order),
        LAB_CASE(a_function_stays_with_the_module_of_its_time),
        LAB_CASE(without_memory_what_has_no_place_stays),
        LAB_CASE(without_any_memory_nothing_changes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

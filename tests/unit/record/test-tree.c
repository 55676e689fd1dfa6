/* SPDX-License-Identifier: MIT
 *
 * One node a path, found again whatever the table's size; beyond the limit one node a function. */
#include "record/tree.h"

#include "lab.h"

#include "record/tree_hot.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { A = 0xa000, B = 0xb000, C = 0xc000, MANY = 10000 };

static struct store_node *node_at(store_ref ref) { return store_at(&lab.store, ref); }

static void the_root_stands_for_the_thread(void **state)
{
    lab_open((struct recorder_options){0});
    const struct store_node *root = node_at(lab.block->recorder->root);
    assert_int_equal(root->address, 0);
    assert_int_equal(root->parent, 0);
    assert_int_equal(root->function, 0);
    assert_int_equal(lab.block->recorder->node_count, 1);
    assert_ptr_equal(lab_nth_node(lab.block, 0), root);
}

static void the_same_call_has_the_same_node(void **state)
{
    lab_open((struct recorder_options){0});
    store_ref root = lab.block->recorder->root;
    store_ref a = tree_child(lab.block, root, A);
    store_ref b = tree_child(lab.block, a, B);
    assert_int_equal(tree_child(lab.block, root, A), a);
    assert_int_equal(tree_child(lab.block, a, B), b);
    assert_int_equal(tree_find(lab.block, a, B), b);
    assert_int_equal(lab.block->recorder->node_count, 3);
}

static void another_caller_or_callee_is_another_node(void **state)
{
    lab_open((struct recorder_options){0});
    store_ref root = lab.block->recorder->root;
    store_ref a = tree_child(lab.block, root, A), b = tree_child(lab.block, root, B);
    store_ref a_b = tree_child(lab.block, a, B), b_a = tree_child(lab.block, b, A);
    store_ref a_a = tree_child(lab.block, a, A);
    store_ref all[] = {root, a, b, a_b, b_a, a_a};
    for (int i = 0; i < 6; i++) {
        for (int k = 0; k < i; k++) assert_int_not_equal(all[i], all[k]);
    }
    assert_int_equal(node_at(a)->function, node_at(b_a)->function);
    assert_int_equal(node_at(a)->function, node_at(a_a)->function);
    assert_int_not_equal(node_at(a)->function, node_at(b)->function);
    assert_int_equal(tree_find(lab.block, b, B), 0);
}

static void a_new_node_is_whole(void **state)
{
    lab_open((struct recorder_options){0});
    store_ref a = tree_child(lab.block, lab.block->recorder->root, A);
    const struct store_node *node = node_at(a);
    assert_int_equal((uintptr_t)node % 64, 0);
    assert_int_equal(node->address, A);
    assert_int_equal(node->parent, lab.block->recorder->root);
    assert_int_equal(node->count, 0);
    assert_int_equal(node->total_ticks, 0);
    assert_true(node->min_ticks == UINT64_MAX);
    assert_int_equal(node->max_ticks, 0);
    assert_int_equal(node->folded_children, 0);
    const struct store_function *function = lab_at(lab.block, node->function);
    assert_ptr_equal(function, lab_function(lab.block, A));
}

/* Children of one parent at distances that a table likes least. */
static void find_many(uint64_t distance)
{
    static store_ref children[MANY];
    lab_open((struct recorder_options){0});
    store_ref root = lab.block->recorder->root;
    for (uint64_t i = 0; i < MANY; i++) {
        children[i] = tree_child(lab.block, root, A + i * distance);
        assert_int_not_equal(children[i], 0);
    }
    assert_int_equal(lab.block->recorder->node_count, MANY + 1);
    for (uint64_t i = 0; i < MANY; i++) {
        assert_int_equal(tree_find(lab.block, root, A + i * distance), children[i]);
        assert_int_equal(tree_child(lab.block, root, A + i * distance), children[i]);
        assert_int_equal(node_at(children[i])->address, A + i * distance);
        assert_int_equal(tree_find(lab.block, root, A + i * distance + 1), 0);
    }
    assert_int_equal(lab.block->recorder->node_count, MANY + 1);
    uint64_t slots = lab.block->slots_mask + 1;
    assert_int_equal(slots & lab.block->slots_mask, 0);
    assert_true(slots >= 2 * MANY);
}

static void ten_thousand_callees_of_one_caller_are_all_found(void **state)
{
    find_many(16);
    lab_close(state);
    find_many(4096);
    lab_close(state);
    find_many(UINT64_C(1) << 32);
}

static void a_chain_of_ten_thousand_is_found_again(void **state)
{
    static store_ref chain[MANY + 1];
    lab_open((struct recorder_options){0});
    chain[0] = lab.block->recorder->root;
    for (uint32_t i = 0; i < MANY; i++) chain[i + 1] = tree_child(lab.block, chain[i], A);
    for (uint32_t i = 0; i < MANY; i++) {
        assert_int_equal(tree_find(lab.block, chain[i], A), chain[i + 1]);
        assert_int_equal(node_at(chain[i + 1])->parent, chain[i]);
    }
    assert_null(lab_nth_function(lab.block, 1));
}

/* The chain fills slots one behind the other. Who asks for something else among them gets out at
 * once. */
static void a_long_recursion_is_no_obstacle_in_the_table(void **state)
{
    lab_open((struct recorder_options){0});
    store_ref root = lab.block->recorder->root, at = root;
    for (uint32_t i = 0; i < MANY; i++) at = tree_child(lab.block, at, A);
    uint64_t probes = 0;
    for (uint64_t address = B; address < B + MANY * 16; address += 16) {
        uint64_t slot = tree_slot(root, address), stride = tree_stride(address);
        for (; lab.block->slots[slot & lab.block->slots_mask]; slot += stride) probes++;
        assert_int_equal(tree_find(lab.block, root, address), 0);
    }
    assert_in_range(probes, 0, MANY);
}

static void nodes_stay_where_they_are_while_the_table_grows(void **state)
{
    lab_open((struct recorder_options){0});
    store_ref a = tree_child(lab.block, lab.block->recorder->root, A);
    struct store_node *node = node_at(a);
    tree_add(node, 7);
    for (uint64_t i = 1; i < 3000; i++) (void)tree_child(lab.block, a, B + i);
    assert_ptr_equal(lab_nth_node(lab.block, 1), node);
    assert_int_equal(node->count, 1);
    assert_int_equal(node->total_ticks, 7);
}

static void calls_add_to_count_total_and_extremes(void **state)
{
    static const uint64_t ticks[] = {50, 7, 1000, 0, 7};
    struct store_node node = {.min_ticks = UINT64_MAX};
    tree_add(&node, ticks[0]);
    assert_int_equal(node.min_ticks, 50);
    assert_int_equal(node.max_ticks, 50);
    for (int i = 1; i < 5; i++) tree_add(&node, ticks[i]);
    assert_int_equal(node.count, 5);
    assert_int_equal(node.total_ticks, 1064);
    assert_int_equal(node.min_ticks, 0);
    assert_int_equal(node.max_ticks, 1000);
    tree_widen_slow(&node, 500);
    assert_int_equal(node.min_ticks, 0);
    assert_int_equal(node.max_ticks, 1000);
    assert_int_equal(node.count, 5);
}

static void a_marked_node_matches_no_call(void **state)
{
    lab_open((struct recorder_options){0});
    store_ref root = lab.block->recorder->root;
    store_ref old = tree_child(lab.block, root, A);
    tree_mark(node_at(old), STORE_MARK_UNLOADED);
    assert_int_equal(tree_find(lab.block, root, A), 0);
    store_ref new = tree_child(lab.block, root, A);
    assert_int_not_equal(new, old);
    for (uint64_t i = 1; i < 1000; i++) (void)tree_child(lab.block, root, B + i);
    assert_int_equal(tree_child(lab.block, root, A), new);
    assert_true(node_at(old)->address == (A | STORE_MARK_UNLOADED));
}

static void beyond_the_limit_a_function_has_one_node(void **state)
{
    lab_open((struct recorder_options){.max_nodes = 3});
    store_ref root = lab.block->recorder->root;
    store_ref a = tree_child(lab.block, root, A), b = tree_child(lab.block, a, B);
    store_ref c = tree_child(lab.block, a, C);
    assert_true(node_at(c)->address == (C | STORE_MARK_FOLDED));
    assert_int_equal(node_at(c)->parent, lab.block->recorder->folded_root);
    assert_int_equal(tree_child(lab.block, b, C), c);
    assert_int_equal(tree_child(lab.block, root, C), c);
    assert_int_equal(tree_child(lab.block, c, C), c);
    /* Within the limit all is as before. */
    assert_int_equal(tree_child(lab.block, root, A), a);
    assert_int_equal(tree_child(lab.block, a, B), b);
    /* Below a folded call everything is folded, also what has a node elsewhere. */
    store_ref folded_a = tree_child(lab.block, c, A);
    assert_true(node_at(folded_a)->address == (A | STORE_MARK_FOLDED));
    assert_int_equal(node_at(folded_a)->function, node_at(a)->function);
    const struct store_node *folded_root = node_at(lab.block->recorder->folded_root);
    assert_true(folded_root->address == STORE_MARK_FOLDED);
    assert_int_equal(folded_root->parent, root);
    assert_ptr_equal(lab_folded(lab.block, C), node_at(c));
}

static void below_a_folded_node_all_is_folded_whatever_room_there_is(void **state)
{
    lab_open((struct recorder_options){0});
    store_ref folded = tree_folded(lab.block, C);
    store_ref below = tree_child(lab.block, folded, A);
    assert_ptr_equal(lab_folded(lab.block, A), node_at(below));
    assert_int_not_equal(tree_child(lab.block, lab.block->recorder->root, A), below);
}

static void the_number_of_nodes_stays_bounded(void **state)
{
    lab_open((struct recorder_options){.max_nodes = 50});
    store_ref at = lab.block->recorder->root;
    for (uint64_t i = 0; i < 5000; i++) {
        at = tree_child(lab.block, i % 100 ? at : lab.block->recorder->root, A + i % 7 * 16);
        assert_int_not_equal(at, 0);
    }
    /* The limit, the folded root, and one for each of 7 functions. */
    assert_true(lab.block->recorder->node_count <= 50 + 1 + 7);
}

static void the_side_record_of_a_folded_node_is_its_own(void **state)
{
    lab_open((struct recorder_options){.max_nodes = 1});
    store_ref a = tree_folded(lab.block, A), b = tree_folded(lab.block, B);
    assert_int_equal(tree_folded_record(lab.block, a)->node, a);
    assert_int_equal(tree_folded_record(lab.block, b)->node, b);
    tree_add_folded_child(lab.block, a, 30);
    tree_add_folded_child(lab.block, a, 12);
    assert_int_equal(tree_folded_record(lab.block, a)->child_ticks, 42);
    assert_int_equal(tree_folded_record(lab.block, b)->child_ticks, 0);
    assert_int_equal(node_at(a)->folded_children, 0);
    store_ref root = lab.block->recorder->root;
    tree_add_folded_child(lab.block, root, 5);
    tree_add_folded_child(lab.block, root, 6);
    const uint64_t *ticks = lab_at(lab.block, node_at(root)->folded_children);
    assert_int_equal(*ticks, 11);
}

static void without_memory_there_is_no_node_and_the_tree_stays_whole(void **state)
{
    lab_open((struct recorder_options){0});
    store_ref root = lab.block->recorder->root;
    store_ref a = tree_child(lab.block, root, A);
    lab_exhaust();
    uint64_t made = 0;
    while (made < MANY && tree_child(lab.block, root, B + made * 16)) made++;
    assert_true(made < MANY);
    assert_int_equal(tree_find(lab.block, root, B + made * 16), 0);
    assert_int_equal(tree_child(lab.block, root, A), a);
    assert_int_equal(lab.block->recorder->node_count, 2 + made);
    lab_replenish();
    store_ref b = tree_child(lab.block, root, B + made * 16);
    assert_int_not_equal(b, 0);
    assert_int_equal(tree_find(lab.block, root, B + made * 16), b);
}

static void a_folded_node_that_got_no_memory_is_made_later(void **state)
{
    lab_open((struct recorder_options){.max_nodes = 1});
    store_ref free_space = lab.block->extent, folded = 0;
    lab_exhaust();
    lab.block->extent = lab.block->extent_end = free_space;
    for (int lines = 0; !folded && lines < 200; lines++) {
        folded = tree_folded(lab.block, A);
        lab.block->extent_end += 8; /* one more */
    }
    assert_int_not_equal(folded, 0);
    assert_int_equal(tree_folded_record(lab.block, folded)->node, folded);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        LAB_CASE(the_root_stands_for_the_thread),
        LAB_CASE(the_same_call_has_the_same_node),
        LAB_CASE(another_caller_or_callee_is_another_node),
        LAB_CASE(a_new_node_is_whole),
        LAB_CASE(ten_thousand_callees_of_one_caller_are_all_found),
        LAB_CASE(a_chain_of_ten_thousand_is_found_again),
        LAB_CASE(a_long_recursion_is_no_obstacle_in_the_table),
        LAB_CASE(nodes_stay_where_they_are_while_the_table_grows),
        LAB_CASE(calls_add_to_count_total_and_extremes),
        LAB_CASE(a_marked_node_matches_no_call),
        LAB_CASE(beyond_the_limit_a_function_has_one_node),
        LAB_CASE(below_a_folded_node_all_is_folded_whatever_room_there_is),
        LAB_CASE(the_number_of_nodes_stays_bounded),
        LAB_CASE(the_side_record_of_a_folded_node_is_its_own),
        LAB_CASE(without_memory_there_is_no_node_and_the_tree_stays_whole),
        LAB_CASE(a_folded_node_that_got_no_memory_is_made_later),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT
 *
 * Paths that meet again, the order of a walk, and sums that stop at their end. */
#include "report/tree.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void equal_paths_are_one_node(void **state)
{
    struct arena arena = ARENA_INIT;
    struct tree tree;
    tree_init(&tree, &arena);
    uint32_t a = tree_make_child(&tree, INDEX_NONE, 7, false);
    uint32_t b = tree_make_child(&tree, a, 7, false);
    assert_int_not_equal(a, b);
    assert_int_equal(tree_make_child(&tree, INDEX_NONE, 7, false), a);
    assert_int_equal(tree_make_child(&tree, a, 7, false), b);
    assert_int_equal(tree.count, 2);
    arena_fini(&arena);
}

static void a_walk_goes_down_before_it_goes_on(void **state)
{
    struct arena arena = ARENA_INIT;
    struct tree tree;
    tree_init(&tree, &arena);
    assert_int_equal(tree_next(&tree, INDEX_NONE), INDEX_NONE);
    uint32_t a = tree_make_child(&tree, INDEX_NONE, 1, false);
    uint32_t b = tree_make_child(&tree, INDEX_NONE, 2, false);
    uint32_t a1 = tree_make_child(&tree, a, 3, false);
    uint32_t a2 = tree_make_child(&tree, a, 4, false);
    uint32_t a11 = tree_make_child(&tree, a1, 5, false);
    const uint32_t expected[] = {a, a1, a11, a2, b, INDEX_NONE};
    uint32_t at = INDEX_NONE;
    for (int i = 0; i < 6; i++) {
        at = tree_next(&tree, at);
        assert_int_equal(at, expected[i]);
    }
    arena_fini(&arena);
}

static void sums_stop_at_their_end(void **state)
{
    struct sums sums = SUMS_INIT, more = SUMS_INIT;
    more.ended = UINT64_MAX - 1;
    more.min_ticks = 5;
    more.max_ticks = 9;
    sums_add(&sums, &more);
    sums_add(&sums, &more);
    assert_true(sums.ended == UINT64_MAX);
    assert_int_equal(sums.min_ticks, 5);
    assert_int_equal(sums.max_ticks, 9);
    assert_true(sums_plus(UINT64_MAX, 1) == UINT64_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_paths_are_one_node),
        cmocka_unit_test(a_walk_goes_down_before_it_goes_on),
        cmocka_unit_test(sums_stop_at_their_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT
 *
 * Many keys, among them those that a hash table confuses most easily. */
#include "base/index.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { MANY = 50000 };

static void an_empty_index_finds_nothing(void **state)
{
    struct index index = {0};
    assert_int_equal(index_find(&index, 0), INDEX_NONE);
    assert_int_equal(index_find(&index, UINT64_MAX), INDEX_NONE);
}

static void every_key_finds_its_own_number_while_the_index_grows(void **state)
{
    struct arena arena = ARENA_INIT;
    struct index index = {.arena = &arena};
    for (uint32_t i = 0; i < MANY; i++) {
        uint64_t key = (uint64_t)i << 32;
        assert_int_equal(index_find(&index, key), INDEX_NONE);
        assert_int_equal(index_put(&index, key, i), 0);
    }
    for (uint32_t i = 0; i < MANY; i++) assert_int_equal(index_find(&index, (uint64_t)i << 32), i);
    assert_int_equal(index_find(&index, 1), INDEX_NONE);
    arena_fini(&arena);
}

static void without_memory_it_says_so_and_keeps_what_it_has(void **state)
{
    struct arena arena = {.limit_bytes = 300 << 10};
    struct index index = {.arena = &arena};
    uint32_t n = 0;
    while (n < MANY && index_put(&index, n, n) == 0) n++;
    assert_true(n > 0 && n < MANY);
    for (uint32_t i = 0; i < n; i++) assert_int_equal(index_find(&index, i), i);
    assert_int_equal(index_put(&index, MANY, 0), -ENOMEM);
    arena_fini(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_index_finds_nothing),
        cmocka_unit_test(every_key_finds_its_own_number_while_the_index_grows),
        cmocka_unit_test(without_memory_it_says_so_and_keeps_what_it_has),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

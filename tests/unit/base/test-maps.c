/* SPDX-License-Identifier: MIT
 *
 * Mappings made here, found by address. */
#include "base/maps.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

static void a_mapping_is_found_with_its_bounds(void **state)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    /* Unreadable neighbours keep it from being merged with others. */
    char *at = mmap(NULL, 5 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(at, MAP_FAILED);
    assert_int_equal(mprotect(at + page, 3 * page, PROT_READ | PROT_WRITE), 0);
    struct maps_range range;
    const size_t inside[] = {0, page, 3 * page - 1};
    for (int i = 0; i < 3; i++) {
        assert_true(maps_find((uintptr_t)at + page + inside[i], &range));
        assert_int_equal(range.low, (uintptr_t)at + page);
        assert_int_equal(range.high, (uintptr_t)at + 4 * page);
    }
    munmap(at, 5 * page);
}

static void an_unmapped_address_is_not_found(void **state)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *at = mmap(NULL, page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    munmap(at, page);
    struct maps_range range = {1, 2};
    assert_false(maps_find((uintptr_t)at, &range));
    assert_false(maps_find(0, &range));
    assert_int_equal(range.low, 1);
}

static void a_local_variable_lies_in_the_stack(void **state)
{
    int local = 0;
    struct maps_range range;
    assert_true(maps_find((uintptr_t)&local, &range));
    assert_true(range.low <= (uintptr_t)&local && (uintptr_t)&local < range.high);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_mapping_is_found_with_its_bounds),
        cmocka_unit_test(an_unmapped_address_is_not_found),
        cmocka_unit_test(a_local_variable_lies_in_the_stack),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

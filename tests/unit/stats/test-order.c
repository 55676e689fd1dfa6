/* SPDX-License-Identifier: MIT
 *
 * Largest first, ties by number, for every length up to 100. */
#include "stats/order.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { MOST = 100 };

static void keys_descend_and_equal_keys_keep_their_order(void **state)
{
    struct order_item items[MOST];
    for (uint32_t n = 0; n <= MOST; n++) {
        for (uint32_t i = 0; i < n; i++) items[i] = (struct order_item){i * 37 % 11, i};
        order_descending(items, n);
        for (uint32_t i = 1; i < n; i++) {
            assert_true(items[i - 1].key >= items[i].key);
            if (items[i - 1].key == items[i].key) assert_true(items[i - 1].item < items[i].item);
        }
    }
}

static void every_item_is_still_there(void **state)
{
    struct order_item items[MOST];
    uint64_t sum = 0;
    for (uint32_t i = 0; i < MOST; i++) items[i] = (struct order_item){UINT64_MAX - i % 7, i};
    order_descending(items, MOST);
    for (uint32_t i = 0; i < MOST; i++) {
        sum += items[i].item;
        assert_true(items[i].key == UINT64_MAX - items[i].item % 7);
    }
    assert_int_equal(sum, MOST * (MOST - 1) / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_descend_and_equal_keys_keep_their_order),
        cmocka_unit_test(every_item_is_still_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

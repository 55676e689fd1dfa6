/* SPDX-License-Identifier: MIT
 *
 * The first fault is the one that is told. */
#include "base/fault.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void a_fault_is_recorded_and_its_error_returned(void **state)
{
    struct fault fault = {0};
    assert_int_equal(fault_set(&fault, -EINVAL, "the file is too short"), -EINVAL);
    assert_int_equal(fault.error, -EINVAL);
    assert_string_equal(fault.text, "the file is too short");
    assert_false(fault.has_position);
}

static void a_position_comes_along(void **state)
{
    struct fault fault = {0};
    assert_int_equal(fault_set_at(&fault, -EBADMSG, "no object", UINT64_C(1) << 40), -EBADMSG);
    assert_true(fault.has_position);
    assert_int_equal(fault.position, UINT64_C(1) << 40);
    assert_string_equal(fault.text, "no object");
}

static void later_faults_change_nothing(void **state)
{
    struct fault fault = {0};
    fault_set_at(&fault, -EINVAL, "first", 7);
    struct fault before = fault;
    assert_int_equal(fault_set(&fault, -ENOMEM, "second"), -EINVAL);
    assert_int_equal(fault_set_at(&fault, -ENOMEM, "third", 9), -EINVAL);
    assert_memory_equal(&fault, &before, sizeof fault);
}

static void a_first_fault_without_a_position_gets_none_later(void **state)
{
    struct fault fault = {0};
    fault_set(&fault, -EINVAL, "first");
    fault_set_at(&fault, -ENOMEM, "second", 9);
    assert_false(fault.has_position);
}

static void without_a_place_for_it_the_error_still_returns(void **state)
{
    assert_int_equal(fault_set(NULL, -ENOENT, "gone"), -ENOENT);
    assert_int_equal(fault_set_at(NULL, -EIO, "bad", 1), -EIO);
}

static void a_long_text_is_cut_at_199_bytes(void **state)
{
    char text[400];
    for (size_t length = 198; length < 202; length++) {
        struct fault fault = {0};
        memset(text, 'x', sizeof text);
        text[length] = '\0';
        fault_set(&fault, -EINVAL, text);
        assert_int_equal(strlen(fault.text), length < 199 ? length : 199);
        assert_memory_equal(fault.text, text, strlen(fault.text));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fault_is_recorded_and_its_error_returned),
        cmocka_unit_test(a_position_comes_along),
        cmocka_unit_test(later_faults_change_nothing),
        cmocka_unit_test(a_first_fault_without_a_position_gets_none_later),
        cmocka_unit_test(without_a_place_for_it_the_error_still_returns),
        cmocka_unit_test(a_long_text_is_cut_at_199_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

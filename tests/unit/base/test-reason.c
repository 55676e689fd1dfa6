/* SPDX-License-Identifier: MIT
 *
 * Errors in words, and in numbers where there are none. */
#include "base/reason.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void a_known_error_has_words_and_a_remedy(void **state)
{
    char text[200];
    struct fmt out = fmt_over(text, sizeof text);
    reason_add(&out, -ENOSPC);
    assert_non_null(strstr(text, "no space"));
    assert_non_null(strstr(text, "; "));
}

static void an_unknown_error_has_its_number(void **state)
{
    char text[200];
    struct fmt out = fmt_over(text, sizeof text);
    reason_add(&out, -4000);
    assert_string_equal(text, "error 4000");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_known_error_has_words_and_a_remedy),
        cmocka_unit_test(an_unknown_error_has_its_number),
    };
    return cmocka_run_group_tests_name("base/reason", tests, NULL, NULL);
}

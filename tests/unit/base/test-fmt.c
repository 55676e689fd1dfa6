/* SPDX-License-Identifier: MIT
 *
 * Numbers as printf writes them; a text that does not fit is cut, says so, and stays terminated. */
#include "base/fmt.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* Numbers of every length in every base, and their neighbours. */
static uint64_t sample(int i)
{
    uint64_t power = UINT64_C(1) << (i / 3 % 64);
    return power + (uint64_t)(i % 3) - 1;
}
enum { SAMPLES = 3 * 64 };

static void unsigned_numbers_are_decimal(void **state)
{
    char buffer[32], expected[32];
    for (int i = 0; i < SAMPLES; i++) {
        struct fmt out = fmt_over(buffer, sizeof buffer);
        fmt_u64(&out, sample(i));
        snprintf(expected, sizeof expected, "%" PRIu64, sample(i));
        assert_string_equal(buffer, expected);
        assert_int_equal(out.length, strlen(expected));
    }
}

static void signed_numbers_have_their_sign(void **state)
{
    char buffer[32], expected[32];
    for (int i = 0; i < SAMPLES; i++) {
        struct fmt out = fmt_over(buffer, sizeof buffer);
        fmt_i64(&out, (int64_t)sample(i));
        snprintf(expected, sizeof expected, "%" PRId64, (int64_t)sample(i));
        assert_string_equal(buffer, expected);
    }
    struct fmt out = fmt_over(buffer, sizeof buffer);
    fmt_i64(&out, INT64_MIN);
    assert_string_equal(buffer, "-9223372036854775808");
}

static void hexadecimal_is_as_wide_as_asked_or_wider(void **state)
{
    char buffer[32], expected[32];
    for (int i = 0; i < SAMPLES; i++) {
        for (int digits = 0; digits <= 16; digits += 4) {
            struct fmt out = fmt_over(buffer, sizeof buffer);
            fmt_hex(&out, sample(i), digits);
            snprintf(expected, sizeof expected, "%0*" PRIx64, digits ? digits : 1, sample(i));
            assert_string_equal(buffer, expected);
        }
    }
}

static void pieces_follow_each_other(void **state)
{
    char buffer[64];
    struct fmt out = fmt_over(buffer, sizeof buffer);
    assert_string_equal(buffer, "");
    fmt_text(&out, "stint.");
    fmt_u64(&out, 42);
    fmt_char(&out, '.');
    fmt_hex(&out, 0xbeef, 8);
    fmt_bytes(&out, ".storeXXX", 6);
    assert_string_equal(buffer, "stint.42.0000beef.store");
    assert_int_equal(out.length, strlen(buffer));
    assert_false(out.cut);
}

static void a_text_that_just_fits_is_not_cut(void **state)
{
    char buffer[4];
    struct fmt out = fmt_over(buffer, sizeof buffer);
    fmt_text(&out, "abc");
    assert_string_equal(buffer, "abc");
    assert_false(out.cut);
    fmt_text(&out, "");
    assert_false(out.cut);
}

static void what_does_not_fit_is_cut_and_nothing_is_written_beyond(void **state)
{
    char space[8];
    memset(space, '#', sizeof space);
    struct fmt out = fmt_over(space, 4);
    fmt_u64(&out, 12345);
    assert_string_equal(space, "123");
    assert_int_equal(out.length, 3);
    assert_true(out.cut);
    assert_memory_equal(space + 4, "####", 4);
}

static void once_cut_nothing_more_is_added(void **state)
{
    char buffer[4];
    struct fmt out = fmt_over(buffer, sizeof buffer);
    fmt_text(&out, "abcd");
    fmt_char(&out, 'e');
    fmt_i64(&out, -1);
    assert_string_equal(buffer, "abc");
    assert_true(out.cut);
}

static void the_smallest_buffer_holds_the_empty_text(void **state)
{
    char buffer[1] = {'#'};
    struct fmt out = fmt_over(buffer, 1);
    assert_string_equal(buffer, "");
    fmt_char(&out, 'a');
    assert_string_equal(buffer, "");
    assert_true(out.cut);
}

static void bytes_may_hold_nuls(void **state)
{
    char buffer[8];
    struct fmt out = fmt_over(buffer, sizeof buffer);
    fmt_bytes(&out, "a\0b", 3);
    assert_int_equal(out.length, 3);
    assert_memory_equal(buffer, "a\0b", 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unsigned_numbers_are_decimal),
        cmocka_unit_test(signed_numbers_have_their_sign),
        cmocka_unit_test(hexadecimal_is_as_wide_as_asked_or_wider),
        cmocka_unit_test(pieces_follow_each_other),
        cmocka_unit_test(a_text_that_just_fits_is_not_cut),
        cmocka_unit_test(what_does_not_fit_is_cut_and_nothing_is_written_beyond),
        cmocka_unit_test(once_cut_nothing_more_is_added),
        cmocka_unit_test(the_smallest_buffer_holds_the_empty_text),
        cmocka_unit_test(bytes_may_hold_nuls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT
 *
 * Numbers, sizes and times as people write them, and what is none. */
#include "base/num.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static const uint64_t UNTOUCHED = 12345;

struct good {
    const char *text;
    uint64_t value;
};

struct bad {
    const char *text;
    int error;
};

typedef int (*parser)(const char *text, uint64_t *value);

static void expect_good(parser parse, const struct good *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t value = UNTOUCHED;
        assert_int_equal(parse(cases[i].text, &value), 0);
        assert_int_equal(value, cases[i].value);
    }
}

static void expect_bad(parser parse, const struct bad *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t value = UNTOUCHED;
        assert_int_equal(parse(cases[i].text, &value), cases[i].error);
        assert_int_equal(value, UNTOUCHED);
    }
}

static void counts_are_decimal_digits_up_to_64_bits(void **state)
{
    static const struct good good[] = {
        {"0", 0}, {"7", 7}, {"00042", 42}, {"18446744073709551615", UINT64_MAX}};
    expect_good(num_parse_u64, good, 4);
}

static void anything_else_is_no_count(void **state)
{
    static const struct bad bad[] = {{"", -EINVAL},
                                     {" 1", -EINVAL},
                                     {"1 ", -EINVAL},
                                     {"-1", -EINVAL},
                                     {"+1", -EINVAL},
                                     {"0x10", -EINVAL},
                                     {"1e3", -EINVAL},
                                     {"1.0", -EINVAL},
                                     {"banana", -EINVAL},
                                     {"18446744073709551616", -ERANGE},
                                     {"99999999999999999999999999", -ERANGE},
                                     {"99999999999999999999999999x", -EINVAL}};
    expect_bad(num_parse_u64, bad, 12);
}

static void sizes_take_binary_suffixes(void **state)
{
    static const struct good good[] = {
        {"0", 0},           {"512", 512},         {"1K", 1024},
        {"3KiB", 3072},     {"256M", 268435456},  {"1MiB", 1048576},
        {"2G", 2147483648}, {"1GiB", 1073741824}, {"17179869183G", UINT64_C(18446744072635809792)}};
    expect_good(num_parse_bytes, good, 9);
}

static void sizes_reject_other_suffixes_and_overflow(void **state)
{
    static const struct bad bad[] = {{"", -EINVAL},    {"K", -EINVAL},           {"1k", -EINVAL},
                                     {"1KB", -EINVAL}, {"1 K", -EINVAL},         {"1.5M", -EINVAL},
                                     {"1Kx", -EINVAL}, {"17179869184G", -ERANGE}};
    expect_bad(num_parse_bytes, bad, 8);
}

static void times_are_seconds_unless_a_unit_is_given(void **state)
{
    static const struct good good[] = {{"30", UINT64_C(30000000000)},
                                       {"30s", UINT64_C(30000000000)},
                                       {"250ms", 250000000},
                                       {"2m", UINT64_C(120000000000)},
                                       {"1h", UINT64_C(3600000000000)},
                                       {"0.5s", 500000000},
                                       {"1.25", 1250000000},
                                       {"0.000001ms", 1},
                                       {"0.0000000019s", 1},
                                       {"1.5m", UINT64_C(90000000000)}};
    expect_good(num_parse_duration_ns, good, 10);
}

static void times_reject_what_is_no_time(void **state)
{
    static const struct bad bad[] = {
        {"", -EINVAL},     {"s", -EINVAL},           {".5s", -EINVAL}, {"1.s", -EINVAL},
        {"1..5", -EINVAL}, {"1,5", -EINVAL},         {"5x", -EINVAL},  {"5 s", -EINVAL},
        {"-1s", -EINVAL},  {"18446744074s", -ERANGE}};
    expect_bad(num_parse_duration_ns, bad, 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_are_decimal_digits_up_to_64_bits),
        cmocka_unit_test(anything_else_is_no_count),
        cmocka_unit_test(sizes_take_binary_suffixes),
        cmocka_unit_test(sizes_reject_other_suffixes_and_overflow),
        cmocka_unit_test(times_are_seconds_unless_a_unit_is_given),
        cmocka_unit_test(times_reject_what_is_no_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

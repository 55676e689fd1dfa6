/* SPDX-License-Identifier: MIT */
#include "report/summary.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

struct shown {
    double ms;
    const char *text;
};

static void check_times(const struct shown *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char text[16];
        summary_time(cases[i].ms, text);
        assert_string_equal(text, cases[i].text);
    }
}

static void times_have_three_digits_and_the_unit_that_fits(void **state)
{
    static const struct shown cases[] = {
        {0, "0 ns"},           {0.000047, "47 ns"}, {0.000999, "999 ns"}, {0.001, "1.00 µs"},
        {0.00125, "1.25 µs"},  {0.0125, "12.5 µs"}, {0.125, "125 µs"},    {1, "1.00 ms"},
        {312, "312 ms"},       {1000, "1.00 s"},    {12000, "12.0 s"},    {123456, "123 s"},
        {12345678, "12346 s"},
    };
    check_times(cases, sizeof cases / sizeof cases[0]);
}

static void rounding_never_shows_a_thousand_of_the_smaller_unit(void **state)
{
    static const struct shown cases[] = {
        {0.0009996, "1.00 µs"}, {0.9996, "1.00 ms"}, {999.6, "1.00 s"},   {0.00999, "9.99 µs"},
        {0.009996, "10.0 µs"},  {0.0999, "99.9 µs"}, {0.09996, "100 µs"}, {0.9994, "999 µs"},
    };
    check_times(cases, sizeof cases / sizeof cases[0]);
}

static void impossible_times_are_shown_without_harm(void **state)
{
    static const struct shown cases[] = {
        {-1, "0 ns"}, {NAN, "0 ns"}, {INFINITY, "900000000 s"}, {1e300, "900000000 s"}};
    check_times(cases, sizeof cases / sizeof cases[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_have_three_digits_and_the_unit_that_fits),
        cmocka_unit_test(rounding_never_shows_a_thousand_of_the_smaller_unit),
        cmocka_unit_test(impossible_times_are_shown_without_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

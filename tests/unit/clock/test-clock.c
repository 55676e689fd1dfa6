/* SPDX-License-Identifier: MIT
 *
 * The rate by arithmetic on made-up pairs; pairs and sources beside what the C library and the
 * kernel's own files say. */
#include "clock/clock.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#if defined(__x86_64__)
static const enum clock_source counter = CLOCK_TSC;
#else
static const enum clock_source counter = CLOCK_CNTVCT;
#endif

static uint64_t ns_of(clockid_t id)
{
    struct timespec t;
    clock_gettime(id, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void assert_near(double value, double expected)
{
    if (fabs(value - expected) > 1e-9 * fabs(expected)) fail_msg("%g is not %g", value, expected);
}

static void the_rate_is_ticks_over_time(void **state)
{
    struct clock_pair first = {.raw_ns = 1000000000, .ticks = 5000, .error_ns = 0};
    struct clock_pair last = {.raw_ns = 3000000000, .ticks = 6000005000, .error_ns = 0};
    struct clock_rate rate = clock_rate(CLOCK_TSC, first, last);
    assert_near(rate.ticks_per_second, 3e9);
    assert_true(rate.error_ppm == 0);
}

static void its_error_is_both_brackets_over_the_time_between(void **state)
{
    /* 30 ns + 20 ns in 1 ms: 50 parts in a million. */
    struct clock_pair first = {.raw_ns = 500, .ticks = 0, .error_ns = 30};
    struct clock_pair last = {.raw_ns = 1000500, .ticks = 62500, .error_ns = 20};
    struct clock_rate rate = clock_rate(CLOCK_CNTVCT, first, last);
    assert_near(rate.ticks_per_second, 62.5e6);
    assert_near(rate.error_ppm, 50);
}

static void counters_near_their_top_make_no_difference(void **state)
{
    struct clock_pair first = {UINT64_MAX - 4000000000u, UINT64_MAX - 8000000000u, 0};
    struct clock_pair last = {UINT64_MAX - 2000000000u, UINT64_MAX - 4000000000u, 0};
    assert_near(clock_rate(CLOCK_TSC, first, last).ticks_per_second, 2e9);
}

static void nanoseconds_have_their_rate_by_definition(void **state)
{
    struct clock_pair first = {1000, 0, 50}, last = {2000, 1001, 50};
    struct clock_rate rate = clock_rate(CLOCK_NS, first, last);
    assert_true(rate.ticks_per_second == 1e9 && rate.error_ppm == 0);
    rate = clock_rate(CLOCK_NS, first, first);
    assert_true(rate.ticks_per_second == 1e9 && rate.error_ppm == 0);
}

static void pairs_that_are_equal_or_reversed_give_no_rate(void **state)
{
    struct clock_pair early = {1000, 3000, 10}, late = {2000, 6000, 10};
    struct clock_pair same_time = {1000, 6000, 10}, same_ticks = {2000, 3000, 10};
    assert_true(clock_rate(CLOCK_TSC, early, early).ticks_per_second == 0);
    assert_true(clock_rate(CLOCK_TSC, late, early).ticks_per_second == 0);
    assert_true(clock_rate(CLOCK_TSC, early, same_time).ticks_per_second == 0);
    assert_true(clock_rate(CLOCK_TSC, early, same_ticks).ticks_per_second == 0);
    assert_true(clock_rate(CLOCK_TSC, early, same_ticks).error_ppm == 0);
}

static void check_pairs(enum clock_source source)
{
    struct clock_pair previous = {0};
    for (int i = 0; i < 200; i++) {
        uint64_t raw_before = ns_of(CLOCK_MONOTONIC_RAW), ticks_before = clock_now(source);
        struct clock_pair pair = clock_read_pair(source);
        uint64_t ticks_after = clock_now(source), raw_after = ns_of(CLOCK_MONOTONIC_RAW);
        assert_in_range(pair.raw_ns, raw_before, raw_after);
        assert_in_range(pair.ticks, ticks_before, ticks_after);
        assert_true(pair.error_ns <= (raw_after - raw_before + 1) / 2);
        assert_true(pair.raw_ns >= previous.raw_ns && pair.ticks >= previous.ticks);
        previous = pair;
    }
}

static void a_pair_lies_between_readings_around_it(void **state)
{
    check_pairs(counter);
    check_pairs(CLOCK_NS);
}

static void nanoseconds_are_those_of_clock_monotonic(void **state)
{
    for (int i = 0; i < 1000; i++) {
        uint64_t before = ns_of(CLOCK_MONOTONIC);
        uint64_t now = clock_now(CLOCK_NS);
        assert_in_range(now, before, ns_of(CLOCK_MONOTONIC));
    }
}

static struct clock_pair later_pair(const struct clock_pair *pair, uint64_t ns)
{
    while (ns_of(CLOCK_MONOTONIC_RAW) < pair->raw_ns + ns) {
    }
    return clock_read_pair(counter);
}

/* What two pairs say of the counter holds for a third: within their errors, and within the 500 ppm
 * by which the kernel may slew a clock that an emulated counter is made of. */
static void the_rate_of_the_counter_foretells_a_later_pair(void **state)
{
    struct clock_pair first = clock_read_pair(counter);
    struct clock_pair second = later_pair(&first, 10000000);
    struct clock_pair third = later_pair(&second, 10000000);
    struct clock_rate rate = clock_rate(counter, first, second);
    assert_true(rate.ticks_per_second > 1e6 && rate.ticks_per_second < 1e11);
    double ticks = (double)(third.ticks - second.ticks);
    double ns = ticks * 1e9 / rate.ticks_per_second;
    double seen_ns = (double)(third.raw_ns - second.raw_ns);
    double most = (double)(second.error_ns + third.error_ns) +
                  seen_ns * (rate.error_ppm + 500) * 1e-6 + 2e9 / rate.ticks_per_second;
    if (fabs(ns - seen_ns) > most) fail_msg("%g ns are not %g ± %g", ns, seen_ns, most);
}

/* Is the word in the file's first line that begins with `key` ("" = any)? */
static bool file_has(const char *path, const char *key, const char *word)
{
    static char line[16384];
    char spaced[64];
    bool has = false;
    FILE *file = fopen(path, "r");
    snprintf(spaced, sizeof spaced, " %s ", word);
    while (file && fgets(line + 1, sizeof line - 2, file)) {
        if (strncmp(line + 1, key, strlen(key)) != 0) continue;
        line[0] = ' ';
        line[1 + strcspn(line + 1, "\n")] = ' ';
        for (char *at = line; *at; at++) {
            if (*at == '\t') *at = ' ';
        }
        has = strstr(line, spaced) != NULL;
        break;
    }
    if (file) fclose(file);
    memset(line, 0, sizeof line);
    return has;
}

static void a_wish_is_obeyed(void **state)
{
    assert_int_equal(clock_choose(CLOCK_WISH_MONOTONIC), CLOCK_NS);
    assert_int_equal(clock_choose(CLOCK_WISH_TSC), counter);
}

static void without_a_wish_the_counter_is_taken_where_it_can_be_trusted(void **state)
{
    const char *sources = "/sys/devices/system/clocksource/clocksource0/available_clocksource";
    bool is_trusted =
        counter == CLOCK_CNTVCT ||
        (file_has("/proc/cpuinfo", "flags", "constant_tsc") &&
         file_has("/proc/cpuinfo", "flags", "nonstop_tsc") && file_has(sources, "", "tsc"));
    assert_int_equal(clock_choose(CLOCK_WISH_AUTO), is_trusted ? counter : CLOCK_NS);
}

static void the_boot_has_one_identity(void **state)
{
    uint64_t here = clock_boot_id();
    int status;
    assert_true(here != 0);
    pid_t child = fork();
    if (child == 0) _exit(clock_boot_id() == here ? 0 : 1);
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_boot_has_one_identity),
        cmocka_unit_test(the_rate_is_ticks_over_time),
        cmocka_unit_test(its_error_is_both_brackets_over_the_time_between),
        cmocka_unit_test(counters_near_their_top_make_no_difference),
        cmocka_unit_test(nanoseconds_have_their_rate_by_definition),
        cmocka_unit_test(pairs_that_are_equal_or_reversed_give_no_rate),
        cmocka_unit_test(a_pair_lies_between_readings_around_it),
        cmocka_unit_test(nanoseconds_are_those_of_clock_monotonic),
        cmocka_unit_test(the_rate_of_the_counter_foretells_a_later_pair),
        cmocka_unit_test(a_wish_is_obeyed),
        cmocka_unit_test(without_a_wish_the_counter_is_taken_where_it_can_be_trusted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT
 *
 * Functions of this very program, found by plain, mangled and readable names and by patterns. */
#include "contract/report.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define KEPT __attribute__((used, noinline))
extern void update(void) __asm__("_ZN5World6updateEf");
extern void draw(void) __asm__("_ZN5World4drawEPFvifE"); /* World::draw(void (*)(int, float)) */
void wanted_one(void);

KEPT void update(void) { __asm__ volatile(""); }
KEPT void draw(void) { __asm__ volatile("nop"); }
KEPT void wanted_one(void) { __asm__ volatile("nop; nop"); }
KEPT static void wanted_two(void) { __asm__ volatile("nop; nop; nop"); }

static _Alignas(8) char out[65536];
static uint64_t fitting;

static size_t search_in(const char *patterns, size_t capacity)
{
    memset(out, 0, sizeof out);
    fitting = 0;
    struct report_search search = {.path = "/proc/self/exe",
                                   .patterns = patterns,
                                   .out = out,
                                   .capacity = capacity,
                                   .fitting = &fitting};
    return stint_report_table(CONTRACT_VERSION)->search(&search);
}

/* The names found, joined by blanks. */
static const char *search(const char *patterns)
{
    static char names[4096];
    size_t bytes = search_in(patterns, sizeof out);
    names[0] = '\0';
    for (size_t at = 0; at < bytes; at += ((struct report_found *)(void *)(out + at))->bytes) {
        if (at) strcat(names, " ");
        strcat(names, ((struct report_found *)(void *)(out + at))->name);
    }
    return names;
}

static void plain_names_are_found_static_ones_too(void **state)
{
    assert_string_equal(search("wanted_two"), "wanted_two");
    const struct report_found *first = (struct report_found *)(void *)out;
    (void)search("wanted_one");
    uint64_t two = first->address;
    (void)search("wanted_two");
    /* As far apart as in memory. */
    assert_int_equal(first->address - two, (uintptr_t)wanted_two - (uintptr_t)wanted_one);
    assert_string_equal(search("wanted"), "");
    assert_string_equal(search(""), "");
}

static void patterns_are_separated_by_commas_and_told_apart(void **state)
{
    const char *found = search("nothing_such,wanted_[a-o]*,,wanted_t??");
    assert_non_null(strstr(found, "wanted_one"));
    assert_non_null(strstr(found, "wanted_two"));
    assert_int_equal(fitting, 1 << 1 | 1 << 3);
}

static void readable_names_are_found_with_and_without_parameters(void **state)
{
    assert_string_equal(search("World::update"), "World::update(float)");
    assert_string_equal(search("World::update(float)"), "World::update(float)");
    assert_string_equal(search("_ZN5World6updateEf"), "World::update(float)");
    assert_string_equal(search("World::draw"), "World::draw(void (*)(int, float))");
    assert_string_equal(search("*::upd*"), "World::update(float)");
    assert_string_equal(search("World::upda"), "");
}

static void what_has_no_room_is_left_out(void **state)
{
    size_t all = search_in("wanted_*", sizeof out);
    assert_true(all > 0);
    assert_true(search_in("wanted_*", all - 1) < all);
    assert_int_equal(search_in("wanted_*", 8), 0);
}

static void a_file_that_is_none_has_no_functions(void **state)
{
    struct report_search search = {.path = "/no/such/file",
                                   .patterns = "*",
                                   .out = out,
                                   .capacity = sizeof out,
                                   .fitting = &fitting};
    assert_int_equal(stint_report_table(CONTRACT_VERSION)->search(&search), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_names_are_found_static_ones_too),
        cmocka_unit_test(patterns_are_separated_by_commas_and_told_apart),
        cmocka_unit_test(readable_names_are_found_with_and_without_parameters),
        cmocka_unit_test(what_has_no_room_is_left_out),
        cmocka_unit_test(a_file_that_is_none_has_no_functions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT
 *
 * Patterns against libc's fnmatch, over all short texts, and what a name must have in it. */
#include "symbols/glob.h"

#include <fnmatch.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static bool fits(const char *pattern, const char *name)
{
    return glob_fits(pattern, strlen(pattern), name, strlen(name));
}

static void fill(char *text, const char *letters, uint32_t number)
{
    size_t base = strlen(letters) + 1, at = 0;
    for (; number; number /= (uint32_t)base)
        if (number % base) text[at++] = letters[number % base - 1];
    text[at] = '\0';
}

static void short_texts_fit_as_for_fnmatch(void **state)
{
    uint32_t fitting = 0;
    for (uint32_t p = 0; p < 3125; p++) {
        char pattern[8];
        fill(pattern, "ab*?", p);
        for (uint32_t n = 0; n < 243; n++) {
            char name[8];
            fill(name, "ab", n);
            bool expected = fnmatch(pattern, name, FNM_NOESCAPE) == 0;
            if (fits(pattern, name) != expected) fail_msg("'%s' and '%s'", pattern, name);
            fitting += expected;
        }
    }
    assert_true(fitting > 10000);
}

static void sets_fit_as_for_fnmatch(void **state)
{
    static const char *const patterns[] = {"[ab]", "[!ab]", "[a-c]x", "[!a-c]", "*[0-9]",  "[]a]",
                                           "[a",   "x[",    "[*]",    "[a-]",   "R_[A-M]*"};
    static const char *const names[] = {"a",  "b",  "d", "cx", "dx",    "f1",    "1f", "]",
                                        "[a", "x[", "*", "-",  "R_Map", "R_Set", ""};
    for (size_t p = 0; p < sizeof patterns / sizeof *patterns; p++)
        for (size_t n = 0; n < sizeof names / sizeof *names; n++)
            if (fits(patterns[p], names[n]) != (fnmatch(patterns[p], names[n], FNM_NOESCAPE) == 0))
                fail_msg("'%s' and '%s'", patterns[p], names[n]);
}

static void the_longest_run_is_what_a_name_must_have(void **state)
{
    const char *run = NULL;
    assert_int_equal(glob_literal("std::*update(int)", 17, &run), 6);
    assert_memory_equal(run, "update", 6);
    assert_int_equal(glob_literal("[abcdef]x*", 10, &run), 1);
    assert_memory_equal(run, "x", 1);
    assert_int_equal(glob_literal("*?*", 3, &run), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(short_texts_fit_as_for_fnmatch),
        cmocka_unit_test(sets_fit_as_for_fnmatch),
        cmocka_unit_test(the_longest_run_is_what_a_name_must_have),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

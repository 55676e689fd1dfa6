/* SPDX-License-Identifier: MIT
 *
 * Environments for children: what changes, and that nothing else does. */
#include "self/handover.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct handover_self self = {
    .library = "/opt/s/libstint.so", .directory = "/home/u", .out = "r.json", .run = "42:777"};

static char *space;

static char *const *hand_over(char *const *environment)
{
    struct handover plan;
    if (!handover_plan(&plan, &self, environment)) return NULL;
    free(space);
    space = malloc(plan.bytes); /* exactly: a sanitizer sees every byte beyond */
    return handover_build(&plan, space);
}

static void expect(char *const *environment, const char *const *expected)
{
    char *const *built = hand_over(environment);
    assert_non_null(built);
    for (; *expected; expected++, built++) {
        assert_non_null(*built);
        assert_string_equal(*built, *expected);
    }
    assert_null(*built);
}

static void an_environment_without_our_entry_is_not_touched(void **state)
{
    char *const none[] = {NULL};
    char *const other[] = {"PATH=/bin", "LD_PRELOAD=/lib/other.so", "STINT_OUT=x", NULL};
    char *const near[] = {"LD_PRELOAD=/a/libstint.so.old /a/xlibstint.so", NULL};
    char *const elsewhere[] = {"MY_LD_PRELOAD=/opt/s/libstint.so", NULL};
    assert_null(hand_over(none));
    assert_null(hand_over(NULL));
    assert_null(hand_over(other));
    assert_null(hand_over(near));
    assert_null(hand_over(elsewhere));
}

static void a_relative_entry_becomes_absolute_among_its_neighbours(void **state)
{
    char *const environment[] = {"A=1", "LD_PRELOAD=/x.so:build/libstint.so /y.so", "B=2", NULL};
    expect(environment,
           (const char *const[]){"A=1", "LD_PRELOAD=/x.so:/opt/s/libstint.so /y.so", "B=2",
                                 "STINT_OUT=/home/u/r.json", "STINT_ROOT=42:777", NULL});
}

static void absolute_and_bare_entries_stay(void **state)
{
    char *const absolute[] = {"LD_PRELOAD=/other/libstint.so", NULL};
    char *const bare[] = {"LD_PRELOAD=libstint.so", NULL};
    assert_ptr_equal(hand_over(absolute)[0], absolute[0]);
    assert_ptr_equal(hand_over(bare)[0], bare[0]);
}

static void the_reports_name_becomes_absolute_and_keeps_its_placeholders(void **state)
{
    char *const relative[] = {"STINT_OUT=o/%p.json", "LD_PRELOAD=/s/libstint.so", NULL};
    expect(relative,
           (const char *const[]){"LD_PRELOAD=/s/libstint.so", "STINT_OUT=/home/u/o/%p.json",
                                 "STINT_ROOT=42:777", NULL});
    char *const absolute[] = {"STINT_OUT=/o/%p.json", "LD_PRELOAD=/s/libstint.so", NULL};
    expect(absolute, (const char *const[]){"STINT_OUT=/o/%p.json", "LD_PRELOAD=/s/libstint.so",
                                           "STINT_ROOT=42:777", NULL});
}

static void an_older_root_is_replaced_and_the_rest_is_shared(void **state)
{
    char *const environment[] = {"STINT_ROOT=1:1", "LD_PRELOAD=/s/libstint.so", "X=y",
                                 "STINT_OUT=/o", NULL};
    char *const *built = hand_over(environment);
    assert_ptr_equal(built[0], environment[1]);
    assert_ptr_equal(built[1], environment[2]);
    assert_ptr_equal(built[2], environment[3]);
    assert_string_equal(built[3], "STINT_ROOT=42:777");
    assert_null(built[4]);
    assert_string_equal(environment[0], "STINT_ROOT=1:1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_environment_without_our_entry_is_not_touched),
        cmocka_unit_test(a_relative_entry_becomes_absolute_among_its_neighbours),
        cmocka_unit_test(absolute_and_bare_entries_stay),
        cmocka_unit_test(the_reports_name_becomes_absolute_and_keeps_its_placeholders),
        cmocka_unit_test(an_older_root_is_replaced_and_the_rest_is_shared),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    free(space);
    return failed;
}

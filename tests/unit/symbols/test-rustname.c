/* SPDX-License-Identifier: MIT
 *
 * Names by the grammar of RFC 2603, with and without Punycode, and with what would keep libiberty
 * busy. */
#include "symbols/rustname.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static bool safe(const char *name) { return rustname_is_safe(name, strlen(name)); }

static void every_kind_of_path_and_type_is_read(void **state)
{
    assert_true(safe("_RNvCs1_7mycrate3foo"));
    assert_true(safe("_RNvMNtC3foo3barNtB2_3Baz3new"));
    assert_true(safe("_RNvXs_C7mycrateNtB4_3FooNtNtCs1_4core3fmt7Display3fmt"));
    assert_true(safe("_RNvYhNtC1a1b1c"));
    assert_true(safe("_RINvC1a1bTRL_hQePOSjAhj4_FUKCtEuEE"));
    assert_true(safe("_RINvC1a1bDG_NtC1c1dp4Itemhp4_4TwojEL_E"));
    assert_true(safe("_RINvC1a1bKj7b_Kln1_KpKB8_L_E"));
    assert_true(safe("_RNCNCNgCs6DXkGYLi8lr_2cc5spawn00B5_"));
    assert_true(safe("_RNvC1a1b.llvm.9D"));
}

static void a_u_before_a_digit_within_a_name_is_no_punycode(void **state)
{
    assert_true(safe("_RNvNtNtCs1_4core3str7from_u84test"));
    assert_true(safe("_RNvC1a11u8gdel_5qa_"));
    assert_true(safe("_RINvC1a1bTu8__E") == false);   /* no such type: 8__ is not one */
    assert_true(safe("_RINvC1a4u8u8KB3_E") == false); /* leads to where nothing began */
}

static void punycode_is_refused_wherever_it_stands(void **state)
{
    assert_false(safe("_RNqCs4fqI2P2rA04_11utf8_identsu30____7hkackfecea1cbdathfdh9hlq6y"));
    assert_false(safe("_RNvCs1_3foou8gdel_5qa"));
    assert_false(safe("_RCu8gdel_5qa"));
    assert_false(safe("_RINvC1a1bNtC1cu8gdel_5qaE"));
    assert_false(safe("_RINvC1a1bDNtC1c1dpu8gdel_5qahEL_E"));
    assert_false(safe("_RNvC1a1bCu8gdel_5qa")); /* the instantiating crate */
}

static void a_binder_of_billions_of_lifetimes_is_refused(void **state)
{
    assert_true(safe("_RINvC1a1bFG3_RL0_hEuE"));
    assert_false(safe("_RINvC1a1bFGzzzzzz_EuE"));
    assert_false(safe("_RINvC1a1bDGNIELRO_NtC1c1dEL_E"));
    assert_false(safe("_RINvC1a1bFGzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz_EuE"));
}

static void endless_nesting_and_back_references_forward_are_refused(void **state)
{
    char deep[2048] = "_RINvC1a1b";
    memset(deep + strlen(deep), 'R', 1000);
    strcat(deep, "hE");
    assert_false(safe(deep));
    assert_false(safe("_RNvB5_1a"));
    assert_false(safe("_RINvC1a1bBzzzzzzzzzzzzzzzzzzzzzzzzzz_E"));
}

static void every_cut_of_a_name_is_judged_within_its_bounds(void **state)
{
    const char name[] =
        "_RINvXs_C7mycrateNtB5_3FooNtNtCs1_4core3fmt7Display3fmtDG_NtC1c1dp4ItemhEL_Kj7b_E";
    assert_true(safe(name));
    for (size_t bytes = 0; bytes < sizeof name - 1; bytes++)
        assert_false(rustname_is_safe(name, bytes));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_of_path_and_type_is_read),
        cmocka_unit_test(a_u_before_a_digit_within_a_name_is_no_punycode),
        cmocka_unit_test(punycode_is_refused_wherever_it_stands),
        cmocka_unit_test(a_binder_of_billions_of_lifetimes_is_refused),
        cmocka_unit_test(endless_nesting_and_back_references_forward_are_refused),
        cmocka_unit_test(every_cut_of_a_name_is_judged_within_its_bounds),
    };
    return cmocka_run_group_tests_name("symbols/rustname", tests, NULL, NULL);
}

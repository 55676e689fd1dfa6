/* SPDX-License-Identifier: MIT
 *
 * The table of RFC 3629 §4 at each of its edges, and buffers of every size. */
#include "base/utf8.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define BAD "\xef\xbf\xbd"

static void becomes(const char *text, size_t bytes, const char *valid)
{
    char out[256];
    memset(out, '#', sizeof out);
    assert_int_equal(utf8_make_valid(text, bytes, out, sizeof out), strlen(valid));
    assert_string_equal(out, valid);
    assert_int_equal(utf8_is_valid(text, bytes),
                     bytes == strlen(valid) && !memcmp(text, valid, bytes));
}

static void stays(const char *text) { becomes(text, strlen(text), text); }

static void the_first_and_last_character_of_each_length_stay(void **state)
{
    stays("");
    stays("\x01");
    stays("\x7f");
    stays("\xc2\x80");
    stays("\xdf\xbf");
    stays("\xe0\xa0\x80");
    stays("\xef\xbf\xbf");
    stays("\xf0\x90\x80\x80");
    stays("\xf4\x8f\xbf\xbf");
}

static void characters_beside_the_surrogates_stay(void **state)
{
    stays("\xed\x9f\xbf");
    stays("\xee\x80\x80");
}

static void overlong_forms_are_replaced_byte_by_byte(void **state)
{
    becomes("\xc0\x80", 2, BAD BAD);
    becomes("\xc1\xbf", 2, BAD BAD);
    becomes("\xe0\x9f\xbf", 3, BAD BAD BAD);
    becomes("\xf0\x8f\xbf\xbf", 4, BAD BAD BAD BAD);
}

static void surrogates_are_replaced(void **state)
{
    becomes("\xed\xa0\x80", 3, BAD BAD BAD);
    becomes("\xed\xbf\xbf", 3, BAD BAD BAD);
}

static void what_lies_past_the_last_code_point_is_replaced(void **state)
{
    becomes("\xf4\x90\x80\x80", 4, BAD BAD BAD BAD);
    becomes("\xf5\x80\x80\x80", 4, BAD BAD BAD BAD);
    becomes("\xff\xfe", 2, BAD BAD);
}

static void a_lone_continuation_and_a_cut_sequence_are_replaced(void **state)
{
    becomes("a\x80z", 3, "a" BAD "z");
    becomes("\xc3", 1, BAD);
    becomes("\xe2\x82", 2, BAD BAD);
    becomes("\xf0\x9f\x98", 3, BAD BAD BAD);
    becomes("\xe2\x82z", 3, BAD BAD "z");
    becomes("\xf0\x9f\x98\xc3\xa9", 5, BAD BAD BAD "\xc3\xa9");
}

static void nul_is_replaced(void **state) { becomes("a\0b", 3, "a" BAD "b"); }

/* Against the definition: decode by arithmetic, then check the ranges. */
static bool is_character(uint32_t lead, uint32_t second)
{
    uint32_t code = (lead & 0x0f) << 12 | (second & 0x3f) << 6;
    return second >> 6 == 2 && code + 0x3f >= 0x800 && (code < 0xd800 || code > 0xdfff);
}

static void every_pair_of_bytes_at_the_head_of_three_is_judged(void **state)
{
    for (uint32_t lead = 0xe0; lead <= 0xef; lead++) {
        for (uint32_t second = 0; second < 256; second++) {
            const char text[] = {(char)lead, (char)second, '\xbf'};
            assert_int_equal(utf8_is_valid(text, 3), is_character(lead, second));
        }
    }
}

static void no_character_is_cut_at_any_capacity(void **state)
{
    const char text[] = "a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\xff";
    static const size_t ends[] = {0, 0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 10, 10, 13, 13};
    for (size_t capacity = 0; capacity < sizeof ends / sizeof *ends; capacity++) {
        char out[16];
        memset(out, '#', sizeof out);
        assert_int_equal(utf8_make_valid(text, sizeof text - 1, out, capacity), ends[capacity]);
        if (capacity) assert_int_equal(out[ends[capacity]], 0);
        assert_int_equal(out[capacity], '#');
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_and_last_character_of_each_length_stay),
        cmocka_unit_test(characters_beside_the_surrogates_stay),
        cmocka_unit_test(overlong_forms_are_replaced_byte_by_byte),
        cmocka_unit_test(surrogates_are_replaced),
        cmocka_unit_test(what_lies_past_the_last_code_point_is_replaced),
        cmocka_unit_test(a_lone_continuation_and_a_cut_sequence_are_replaced),
        cmocka_unit_test(nul_is_replaced),
        cmocka_unit_test(every_pair_of_bytes_at_the_head_of_three_is_judged),
        cmocka_unit_test(no_character_is_cut_at_any_capacity),
    };
    return cmocka_run_group_tests_name("base/utf8", tests, NULL, NULL);
}

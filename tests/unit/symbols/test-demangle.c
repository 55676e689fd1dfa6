/* SPDX-License-Identifier: MIT
 *
 * Names and what c++filt -i makes of them; long and hostile ones on a stack of known size. */
#include "symbols/demangle.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ROOM = 65536, STACK_BYTES = 2 << 20 };

static void demangles_to(const char *name, const char *readable)
{
    static char out[ROOM];
    assert_int_equal(symbols_demangle(name, strlen(name), out, sizeof out), strlen(readable));
    assert_string_equal(out, readable);
}

static void c_plus_plus_names_become_readable(void **state)
{
    demangles_to("_ZN5World6updateEf", "World::update(float)");
    demangles_to("_ZNSt6vectorIiSaIiEE9push_backEOi",
                 "std::vector<int, std::allocator<int> >::push_back(int&&)");
    demangles_to("_ZZ4mainENKUlvE_clEv", "main::{lambda()#1}::operator()() const");
    demangles_to("_ZN12_GLOBAL__N_13fooEv", "(anonymous namespace)::foo()");
    demangles_to("_ZN5ChunkC2ERKS_", "Chunk::Chunk(Chunk const&)");
    demangles_to("_ZNKSs4sizeEv", "std::string::size() const");
    demangles_to("_ZN5caf\xc3\xa9"
                 "3fooEv",
                 "caf\xc3\xa9::foo()");
}

static void clones_are_told_apart(void **state)
{
    demangles_to("_ZN5World6updateEf.part.0", "World::update(float) [clone .part.0]");
    demangles_to("_ZN5World6updateEf.cold", "World::update(float) [clone .cold]");
    demangles_to("_ZN5World6updateEf.constprop.0.isra.0",
                 "World::update(float) [clone .constprop.0] [clone .isra.0]");
}

static void rust_names_become_readable_without_their_hash(void **state)
{
    demangles_to("_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE", "core::fmt::Write::write_fmt");
    demangles_to("_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE.llvm.123",
                 "core::fmt::Write::write_fmt");
    demangles_to("_ZN71_$LT$Test$u20$$u2b$$u20$$u27$static$u20$as$u20$foo..Bar$LT$Test$GT$$GT$3bar"
                 "17h930b740aa94f1d3aE",
                 "<Test + 'static as foo::Bar<Test>>::bar");
    demangles_to("_RNvCs1_7mycrate3foo", "mycrate::foo");
    demangles_to("_RNvMNtC3foo3barNtB2_3Baz3new", "<foo::bar::Baz>::new");
    demangles_to("_RNvNtNtCs1_4core3str7from_u84test", "core::str::from_u8::test");
    demangles_to("_RNvXs_C7mycrateNtB4_3FooNtNtCs1_4core3fmt7Display3fmt",
                 "<mycrate::Foo as core::fmt::Display>::fmt");
    demangles_to("_RNCNCNgCs6DXkGYLi8lr_2cc5spawn00B5_", "cc::spawn::{closure#0}::{closure#0}");
}

static void a_c_plus_plus_name_that_looks_like_a_hash_stays_one(void **state)
{
    demangles_to("_ZN3foo17h0123456789abcdefEv", "foo::h0123456789abcdef()");
}

static void what_is_not_mangled_stays_raw(void **state)
{
    static const char *const names[] = {"main",        "",
                                        "_",           "_Z",
                                        "_R",          "_ZN",
                                        "main.part.0", "_Rest",
                                        "_Zqq",        "_ZN5World6updateEf@@V1",
                                        "f",           "i",
                                        "_ZN3x\xffoEv"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) demangles_to(names[i], "");
}

static void the_name_need_not_end_in_a_nul(void **state)
{
    char out[64];
    assert_int_equal(symbols_demangle("_Z1fvjunk", 5, out, sizeof out), 3);
    assert_string_equal(out, "f()");
    assert_int_equal(symbols_demangle("_Z1f\0v", 6, out, sizeof out), 0);
}

static void a_text_that_does_not_fit_stays_raw(void **state)
{
    char out[21];
    for (size_t capacity = 0; capacity <= sizeof out; capacity++) {
        memset(out, '#', sizeof out);
        size_t length = symbols_demangle("_ZN5World6updateEf", 18, out, capacity);
        assert_int_equal(length, capacity == sizeof out ? 20 : 0);
        if (capacity) assert_int_equal(strlen(out), length);
        if (capacity < sizeof out) assert_int_equal(out[capacity], '#');
    }
}

static void punycode_stays_raw(void **state)
{
    demangles_to("_RNqCs4fqI2P2rA04_11utf8_identsu30____7hkackfecea1cbdathfdh9hlq6y", "");
}

/* a name of this many bytes: nested namespaces, a function without parameters */
static char *long_name(size_t bytes)
{
    char *name = malloc(bytes + 1), part[32];
    strcpy(name, "_ZN");
    while (strlen(name) + 2 < bytes) {
        size_t left = bytes - 2 - strlen(name), take = left < 15 ? left - (left > 10) - 1 : 9;
        if (left == 11) take = 8;
        snprintf(part, sizeof part, "%zu%.*s", take, (int)take, "abcdefghijklmnop");
        strcat(name, part);
    }
    return strcat(name, "Ev");
}

static void names_up_to_4096_bytes_become_readable(void **state)
{
    static char out[ROOM];
    for (size_t bytes = 1000; bytes <= 4096; bytes += 258) {
        char *name = long_name(bytes);
        assert_int_equal(strlen(name), bytes);
        assert_true(symbols_demangle(name, bytes, out, sizeof out) > bytes - 5);
        free(name);
    }
    char *name = long_name(4097);
    assert_int_equal(symbols_demangle(name, 4097, out, sizeof out), 0);
    free(name);
}

/* head, then unit again and again while the name stays within 4096 bytes, then tail */
static void run_repeated(const char *head, const char *unit, const char *tail)
{
    static char name[4200], out[ROOM];
    strcpy(name, head);
    while (strlen(name) + strlen(unit) + strlen(tail) <= 4096) strcat(name, unit);
    strcat(name, tail);
    (void)symbols_demangle(name, strlen(name), out, sizeof out); /* returning is all that counts */
}

static void *run_hostile(void *nothing)
{
    static const char *const names[][3] = {
        {"_Z1f", "i", ""},
        {"_Z1f", "P", "i"},
        {"_Z1fI", "1aI", "i"},
        {"_Z1f", "PFv", "i"},
        {"_Z1fIiEv", "RT_1aIiE", ""},
        {"_Z1fIiEvDT", "ng", "fp_E"},
        {"_Z", "Z", "1fv"},
        {"_Z1fIiEvRT_", "1aIT_E", ""},
        {"_ZN", "1a", "Ev"},
        {"_Z1fIiJ", "RT_", "EEv"},
        {"_ZN", "17h", "0123456789abcdefE"},
        {"_RINvC1a1b", "R", "hE"},
        {"_RINvC1a1b", "T", "hE"},
        {"_R", "Nv", "C1a"},
        {"_RINvC1a1b", "FE", "uE"},
        {"_RINvC1a1bT", "h", "EE"},
        {"_RINvC1a1b", "TB8_B8_E", "E"},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        run_repeated(names[i][0], names[i][1], names[i][2]);
    return nothing;
}

static void hostile_names_stay_within_the_promised_stack(void **state)
{
    pthread_attr_t attributes; /* a thread's stack has a guard page: leaving it ends the test */
    pthread_t thread;
    assert_int_equal(pthread_attr_init(&attributes), 0);
    assert_int_equal(pthread_attr_setstacksize(&attributes, STACK_BYTES), 0);
    assert_int_equal(pthread_create(&thread, &attributes, run_hostile, NULL), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    pthread_attr_destroy(&attributes);
}

/* f(b<int, int>, b<b<int, int>, b<int, int>>, …): each parameter is twice as long as the one
 * before. */
static void a_short_name_that_unfolds_without_end_is_left(void **state)
{
    static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    static char out[ROOM];
    char name[1024] = "_Z1f1bIiiE", part[16];
    for (int i = 0; i < 35; i++) {
        snprintf(part, sizeof part, "S_IS%c_S%c_E", digits[i], digits[i]);
        strcat(name, part);
        size_t length = symbols_demangle(name, strlen(name), out, sizeof out);
        if (i == 1)
            assert_string_equal(out,
                                "f(b<int, int>, b<b<int, int>, b<int, int> >, "
                                "b<b<b<int, int>, b<int, int> >, b<b<int, int>, b<int, int> > >)");
        if (i > 12) assert_int_equal(length, 0); /* 2^13 times "int, int" is past 64 KiB */
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(c_plus_plus_names_become_readable),
        cmocka_unit_test(clones_are_told_apart),
        cmocka_unit_test(rust_names_become_readable_without_their_hash),
        cmocka_unit_test(a_c_plus_plus_name_that_looks_like_a_hash_stays_one),
        cmocka_unit_test(what_is_not_mangled_stays_raw),
        cmocka_unit_test(the_name_need_not_end_in_a_nul),
        cmocka_unit_test(a_text_that_does_not_fit_stays_raw),
        cmocka_unit_test(punycode_stays_raw),
        cmocka_unit_test(names_up_to_4096_bytes_become_readable),
        cmocka_unit_test(hostile_names_stay_within_the_promised_stack),
        cmocka_unit_test(a_short_name_that_unfolds_without_end_is_left),
    };
    return cmocka_run_group_tests_name("symbols/demangle", tests, NULL, NULL);
}

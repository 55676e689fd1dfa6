/* SPDX-License-Identifier: MIT
 *
 * C++ names in narrow places: what is left of them, step by step, and what never comes apart. */
#include "print/abbreviate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const char compare[] =
    "leveldb::InternalKeyComparator::Compare(leveldb::Slice const&, leveldb::Slice const&) const";
static const char invoke[] =
    "std::__invoke_result<void (*)(void*), void*>::type std::__invoke<void (*)(void*), void*>(void "
    "(*&&)(void*), void*&&)";

static void expect(const char *name, size_t most, const char *expected)
{
    char text[ABBREVIATE_BYTES];
    assert_string_equal(abbreviate(name, most, text), expected);
}

static void takes_out_as_little_as_it_can(void **state)
{
    (void)state;
    expect(compare, strlen(compare), compare);
    expect(compare, strlen(compare) - 1, "leveldb::InternalKeyComparator::Compare(…) const");
    expect(compare, 48, "leveldb::InternalKeyComparator::Compare(…) const");
    expect(compare, 47, "…eldb::InternalKeyComparator::Compare(…) const");
    expect(compare, 27, "…mparator::Compare(…) const");
    expect(compare, 5, "…Compare(…) const");
    expect(invoke, 91,
           "std::__invoke_result<void (*)(void*), void*>::type std::__invoke<void (*)(void*), "
           "void*>(…)");
    expect(invoke, 60, "std::__invoke_result<…>::type std::__invoke<…>(…)");
    expect(invoke, 40, "std::__invoke<…>(…)");
    expect(invoke, 17, "…::__invoke<…>(…)");
}

static void leaves_alone_what_is_no_list(void **state)
{
    (void)state;
    expect("a_function_of_c_with_a_long_name", 10, "a_function_of_c_with_a_long_name");
    expect("ns::(anonymous namespace)::Thing::run(int, int)", 44,
           "ns::(anonymous namespace)::Thing::run(…)");
    expect("void (anonymous namespace)::run<ns::Thing>(int)", 40,
           "void (anonymous namespace)::run<…>(…)");
    expect("f::operator()(std::string const&) const", 30, "f::operator()(…) const");
    expect("ns::operator<< <char, ns::Traits>(ns::Stream&)", 35, "ns::operator<< <…>(…)");
    expect("ns::Pointer<ns::Thing>::operator->() const", 35, "ns::Pointer<…>::operator->() const");
    expect("ns::Thing<int, long>::operator std::string() const", 42,
           "ns::Thing<…>::operator std::string() const");
    expect("main::{lambda(int, long)#1}::operator()(int, long) const", 45,
           "main::{lambda(…)#1}::operator()(…) const");
    expect("ns::Box<(ns::Kind)3, (2>1)>::take(ns::Box<(2>1)>&)", 30, "ns::Box<…>::take(…)");
    expect("<alloc::vec::Vec<T> as core::ops::Drop>::drop", 20,
           "<alloc::vec::Vec<T> as core::ops::Drop>::drop");
    expect("non-virtual thunk to ns::Thing::run(int, int)", 30,
           "non-virtual thunk to ns::Thing::run(…)");
    expect("ns::f(std::array<int, 3>) [clone .constprop.0]", 40, "ns::f(…) [clone .constprop.0]");
}

static void leaves_whole_what_does_not_match(void **state)
{
    (void)state;
    static const char *const names[] = {"f(int", "f<int", "a::f(b<c>", "f(}", "(",
                                        "<",     "f(<)>", "operator",  ""};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        for (size_t most = 0; most < 4; most++) {
            char text[ABBREVIATE_BYTES];
            assert_in_range(strlen(abbreviate(names[i], most, text)), 0, strlen(names[i]));
        }
    }
    expect("a_name::f(int, unsigned", 5, "a_name::f(int, unsigned");
    char deep[2 * 600 + 2] = "f", longer[ABBREVIATE_BYTES + 1] = "f(";
    memset(deep + 1, '(', 600), memset(deep + 601, ')', 600);
    expect(deep, 10, deep);
    memset(longer + 2, 'x', sizeof longer - 4), longer[sizeof longer - 2] = ')';
    expect(longer, 10, longer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_out_as_little_as_it_can),
        cmocka_unit_test(leaves_alone_what_is_no_list),
        cmocka_unit_test(leaves_whole_what_does_not_match),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

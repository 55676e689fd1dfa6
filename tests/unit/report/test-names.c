/* SPDX-License-Identifier: MIT
 *
 * Modules in time, and this very program as a module whose functions have names. */
#include "report/names.h"

#include "base/index.h"
#include "builder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static struct builder store;
static struct arena arena;
static struct names names;

static int lay_out(void **state)
{
    builder_init(&store, 1 << 20);
    return 0;
}

static int tear_down(void **state)
{
    names_fini(&names);
    arena_fini(&arena);
    builder_fini(&store);
    return 0;
}

static void read_modules(void)
{
    struct view view;
    assert_int_equal(view_init(&view, store.base, builder_used(&store), NULL), 0);
    assert_int_equal(names_init(&names, &arena, &view), 0);
}

static void the_module_that_went_first_after_the_time_is_meant(void **state)
{
    builder_module(&store, "/no/a", 0x1000, 0x2000)->unloaded_ticks = 100;
    builder_module(&store, "/no/b", 0x1000, 0x3000)->unloaded_ticks = 200;
    builder_module(&store, "/no/c", 0x1000, 0x2000);
    read_modules();
    assert_int_equal(names_place_of(&names, 0x1100, 50).module, 0);
    assert_int_equal(names_place_of(&names, 0x1100, 100).module, 1);
    assert_int_equal(names_place_of(&names, 0x1100, 200).module, 2);
    assert_int_equal(names_place_of(&names, 0x2100, 50).module, 1);
    assert_int_equal(names_place_of(&names, 0x2100, 200).module, INDEX_NONE);
    assert_int_equal(names_place_of(&names, 0x1100, 50).offset, 0x100);
}

static void the_same_file_loaded_again_is_the_first(void **state)
{
    builder_module(&store, "/no/a", 0x1000, 0x2000);
    builder_module(&store, "/no/b", 0x3000, 0x4000);
    builder_module(&store, "/no/a", 0x5000, 0x6000);
    read_modules();
    assert_int_equal(names_place_of(&names, 0x5010, 0).module, 0);
    assert_int_equal(names_place_of(&names, 0x5010, 0).offset, 0x10);
    assert_int_equal(names_place_of(&names, 0x3010, 0).module, 1);
}

static void without_symbols_a_name_is_module_and_offset(void **state)
{
    builder_module(&store, "/no/lib.so", 0x1000, 0x2000);
    read_modules();
    struct names_place place = names_place_of(&names, 0x1abc, 0);
    assert_string_equal(names_of(&names, place, false).name, "lib.so+0xabc");
    place = names_place_of(&names, 0x9000, 0);
    assert_string_equal(names_of(&names, place, false).name, "0x9000");
    assert_string_equal(names_of(&names, place, false).raw_name, "0x9000");
}

static void a_path_that_is_no_utf8_is_told_as_such(void **state)
{
    builder_module(&store, "/no/caf\xe9", 0x1000, 0x2000);
    read_modules();
    char build_id[65];
    assert_string_equal(names_module_path(&names, 0, build_id), "/no/caf\xef\xbf\xbd");
    assert_string_equal(build_id, "");
    assert_null(names_module_path(&names, INDEX_NONE, build_id));
}

/* A name that is C++ to every reader: ours::function(int). */
__attribute__((used, noinline)) void cpp_function(void) __asm__("_ZN4ours8functionEi");
void cpp_function(void) { __asm__ volatile("nop; nop; nop; nop"); }

static uint64_t put_program(void)
{
    extern char __executable_start;
    char path[4096];
    ssize_t bytes = readlink("/proc/self/exe", path, sizeof path - 1);
    assert_true(bytes > 0);
    path[bytes] = '\0';
    builder_module(&store, path, 0x100000, 0x10000000);
    read_modules();
    return 0x100000 + (uint64_t)(uintptr_t)cpp_function - (uint64_t)(uintptr_t)&__executable_start;
}

static void symbols_are_demangled_and_kept_raw(void **state)
{
    uint64_t address = put_program();
    struct names_place place = names_place_of(&names, address, 0);
    struct names_text text = names_of(&names, place, false);
    assert_string_equal(text.name, "ours::function(int)");
    assert_string_equal(text.raw_name, "_ZN4ours8functionEi");
}

static void a_function_begins_at_its_symbol_a_return_address_lies_within(void **state)
{
    uint64_t address = put_program();
    struct names_place place = names_place_of(&names, address + 2, 0);
    assert_string_equal(names_of(&names, place, true).name, "ours::function(int)");
    assert_non_null(strstr(names_of(&names, place, false).name, "+0x"));
}

#define IN_STORE(test) cmocka_unit_test_setup_teardown(test, lay_out, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_STORE(the_module_that_went_first_after_the_time_is_meant),
        IN_STORE(the_same_file_loaded_again_is_the_first),
        IN_STORE(without_symbols_a_name_is_module_and_offset),
        IN_STORE(a_path_that_is_no_utf8_is_told_as_such),
        IN_STORE(symbols_are_demangled_and_kept_raw),
        IN_STORE(a_function_begins_at_its_symbol_a_return_address_lies_within),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT
 *
 * Whole objects, as the compiler made them, against what readelf and a search through every symbol
 * find; and what goes wrong with files. */
#include "symbols/module.h"

#include "image.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char *objects;
static struct arena arena;

static int clear(void **state)
{
    arena_fini(&arena);
    return 0;
}

static struct symbols_module *opened(const char *name, const char *root)
{
    char path[4096], debug_root[4096];
    struct fault fault = {0};
    struct symbols_module *module = NULL;
    snprintf(path, sizeof path, "%s/%s", objects, name);
    snprintf(debug_root, sizeof debug_root, "%s/%s", objects, root);
    struct symbols_source source = {.path = path, .debug_root = debug_root};
    int error = symbols_open_source(&arena, &source, &module, &fault);
    if (error) print_error("%s: %s\n", path, fault.text);
    assert_int_equal(error, 0);
    return module;
}

static void expect(const struct symbols_module *module, uint64_t address, uint64_t start,
                   uint64_t size, const char *name)
{
    struct symbol symbol = {.name = "-"};
    bool found = symbols_find(module, address, &symbol);
    if (strcmp(symbol.name, name) || symbol.address != start || symbol.size != size)
        print_error("at %#llx: %s, not %s\n", (unsigned long long)address, symbol.name, name);
    assert_string_equal(symbol.name, name);
    assert_int_equal(symbol.address, start);
    assert_int_equal(symbol.size, size);
    assert_int_equal(symbol.name_bytes, found ? strlen(name) : 0);
}

/* Every line of the listing, by the module. */
static void compare(const struct symbols_module *module, const char *listing)
{
    char path[4096], name[1024];
    unsigned long long address, start, size;
    snprintf(path, sizeof path, "%s/%s.expected", objects, listing);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    int lines = 0;
    for (; fscanf(file, "%llx %llx %llx %1023s", &address, &start, &size, name) == 4; lines++)
        expect(module, address, start, size, name);
    assert_true(feof(file));
    assert_true(lines > 50);
    fclose(file);
}

static void compare_object(const char *name)
{
    struct symbols_module *module = opened(name, "none");
    compare(module, name);
    symbols_close(module);
}

static void every_function_of_a_pie_is_found(void **state) { compare_object("pie"); }
static void every_function_of_a_fixed_program_is_found(void **state) { compare_object("fixed"); }
static void every_function_of_a_shared_object_is_found(void **state)
{
    compare_object("shared.so");
}
static void the_dynamic_symbols_of_libc_are_found(void **state) { compare_object("libc.so"); }

static void a_stripped_object_has_the_names_of_its_debug_file(void **state)
{
    struct symbols_module *module = opened("by-id/bin/app", "by-id/root");
    compare(module, "pie");
    symbols_close(module);
    module = opened("beside-anonymous/bin/app", "none");
    compare(module, "anonymous");
    symbols_close(module);
}

static void a_stripped_object_finds_nothing(void **state)
{
    struct symbols_module *module = opened("none/bin/app", "none");
    struct symbol symbol;
    for (uint64_t address = 0; address < 0x5000; address += 3)
        assert_false(symbols_find(module, address, &symbol));
    symbols_close(module);
}

static int open_by_id(const uint8_t *id, uint32_t bytes, struct symbols_module **module)
{
    char path[4096];
    struct fault fault = {0};
    snprintf(path, sizeof path, "%s/pie", objects);
    int error = symbols_open(&arena, path, id, bytes, module, &fault);
    assert_int_equal(error, fault.error);
    return error;
}

static void another_build_id_gives_no_symbols(void **state)
{
    size_t bytes;
    uint32_t id_bytes = 0;
    struct elf_image elf;
    uint8_t id[64], *file = whole_file(objects, "pie", &bytes);
    assert_int_equal(elf_open(file, bytes, &elf, NULL), 0);
    const uint8_t *own = elf_build_id(&elf, &id_bytes);
    assert_non_null(own);
    assert_int_equal(id_bytes, 20); /* SHA-1, the linker's default */
    memcpy(id, own, id_bytes);
    struct symbols_module *module = NULL, *untouched = NULL;
    assert_int_equal(open_by_id(id, id_bytes, &module), 0);
    symbols_close(module);
    assert_int_equal(open_by_id(id, id_bytes - 1, &untouched), -ESTALE);
    id[7] ^= 1;
    assert_int_equal(open_by_id(id, id_bytes, &untouched), -ESTALE);
    assert_null(untouched);
    free(file);
}

static void a_file_that_is_not_there_is_a_fault(void **state)
{
    struct fault fault = {0};
    struct symbols_module *module = NULL;
    assert_int_equal(symbols_open(&arena, "/nonexistent/object", NULL, 0, &module, &fault),
                     -ENOENT);
    assert_int_equal(fault.error, -ENOENT);
    assert_null(module);
    symbols_close(NULL);
}

static void an_arena_without_room_is_told_and_left_as_it_was(void **state)
{
    struct elf_image elf;
    struct fault fault = {0};
    struct symbols_module *module = NULL;
    size_t bytes;
    uint8_t *file = whole_file(objects, "libc.so", &bytes);
    assert_int_equal(elf_open(file, bytes, &elf, NULL), 0);
    for (size_t limit = 0; limit < 4096; limit += 64) {
        struct arena small = {.limit_bytes = 0};
        assert_non_null(arena_alloc(&small, 16));
        small.limit_bytes = small.mapped_bytes;
        assert_non_null(arena_alloc(&small, small.size - small.used - limit));
        assert_int_equal(symbols_open_images(&small, &elf, NULL, &module, &fault), -ENOMEM);
        assert_int_equal(small.size - small.used, limit);
        arena_fini(&small);
    }
    assert_null(module);
    free(file);
}

static void nested_spans_are_closed_one_by_one(void **state)
{
    /* [0x1000 [0x1010 [0x1020 0x1030) 0x1040) 0x1050), and one that reaches out of the last. */
    const struct image_symbol symbols[] = {
        {"a", 0x1000, 0x50, STB_LOCAL, STT_FUNC, IMAGE_TEXT},
        {"b", 0x1010, 0x30, STB_LOCAL, STT_FUNC, IMAGE_TEXT},
        {"c", 0x1020, 0x10, STB_LOCAL, STT_FUNC, IMAGE_TEXT},
        {"d", 0x1048, 0x18, STB_LOCAL, STT_FUNC, IMAGE_TEXT},
    };
    static struct image image;
    struct elf_image elf;
    struct symbols_module *module = NULL;
    image_make(&image, symbols, 4);
    assert_int_equal(elf_open(image.bytes, image.size, &elf, NULL), 0);
    assert_int_equal(symbols_open_images(&arena, &elf, NULL, &module, NULL), 0);
    expect(module, 0x100f, 0x1000, 0x50, "a");
    expect(module, 0x101f, 0x1010, 0x30, "b");
    expect(module, 0x102f, 0x1020, 0x10, "c");
    expect(module, 0x1030, 0x1010, 0x30, "b");
    expect(module, 0x1040, 0x1000, 0x50, "a");
    expect(module, 0x1048, 0x1048, 0x18, "d");
    expect(module, 0x105f, 0x1048, 0x18, "d");
    expect(module, 0x1060, 0, 0, "-");
    expect(module, 0x0fff, 0, 0, "-");
}

static void an_object_cut_or_changed_anywhere_is_read_within_its_bounds(void **state)
{
    size_t bytes;
    uint8_t *file = whole_file(objects, "pie", &bytes);
    for (size_t at = 0; at < bytes; at += at < 64 || at > bytes - 1984 ? 1 : 97) {
        file[at] ^= 0xff;
        size_t size = at % 3 ? bytes : bytes - at / 7;
        uint8_t *copy = guarded_copy(file, size);
        struct elf_image elf;
        struct symbols_module *module = NULL;
        struct symbol symbol;
        if (elf_open(copy, size, &elf, NULL) == 0 &&
            symbols_open_images(&arena, &elf, NULL, &module, NULL) == 0) {
            for (uint64_t address = 0x1000; address < 0x1300; address += 5)
                (void)symbols_find(module, address, &symbol);
        }
        arena_fini(&arena);
        guarded_free(copy, size);
        file[at] ^= 0xff;
    }
    free(file);
}

int main(int count, char **arguments)
{
    objects = arguments[count - 1];
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(every_function_of_a_pie_is_found, clear),
        cmocka_unit_test_teardown(every_function_of_a_fixed_program_is_found, clear),
        cmocka_unit_test_teardown(every_function_of_a_shared_object_is_found, clear),
        cmocka_unit_test_teardown(the_dynamic_symbols_of_libc_are_found, clear),
        cmocka_unit_test_teardown(a_stripped_object_has_the_names_of_its_debug_file, clear),
        cmocka_unit_test_teardown(a_stripped_object_finds_nothing, clear),
        cmocka_unit_test_teardown(another_build_id_gives_no_symbols, clear),
        cmocka_unit_test_teardown(a_file_that_is_not_there_is_a_fault, clear),
        cmocka_unit_test_teardown(an_arena_without_room_is_told_and_left_as_it_was, clear),
        cmocka_unit_test_teardown(nested_spans_are_closed_one_by_one, clear),
        cmocka_unit_test_teardown(an_object_cut_or_changed_anywhere_is_read_within_its_bounds,
                                  clear),
    };
    return cmocka_run_group_tests_name("symbols/module", tests, NULL, NULL);
}

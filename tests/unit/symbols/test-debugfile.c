/* SPDX-License-Identifier: MIT
 *
 * Each place where a debug file may be, and those that are there but belong to another object. */
#include "symbols/debugfile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char *objects;
static struct arena arena;

/* Whether DIRECTORY/bin/app has a debug file, which then has a .symtab. */
static bool has_debug_file(const char *directory)
{
    char path[4096], root[4096];
    struct elf_file object = {0}, debug = {0};
    struct elf_section section;
    snprintf(path, sizeof path, "%s/%s/bin/app", objects, directory);
    snprintf(root, sizeof root, "%s/%s/root", objects, directory);
    assert_int_equal(elf_file_open(path, &object, NULL), 0);
    assert_false(elf_section_named(&object.image, ".symtab", &section));
    bool found = debugfile_find(&arena, &object, path, root, &debug);
    if (found) assert_true(elf_section_named(&debug.image, ".symtab", &section));
    elf_file_close(&debug);
    elf_file_close(&object);
    arena_fini(&arena);
    return found;
}

static void a_file_is_found_by_its_build_id(void **state) { assert_true(has_debug_file("by-id")); }

static void a_linked_file_is_found_beside_below_and_under_the_root(void **state)
{
    assert_true(has_debug_file("beside-pie"));
    assert_true(has_debug_file("below-pie"));
    assert_true(has_debug_file("root-pie"));
}

static void without_a_build_id_the_sum_proves_the_file(void **state)
{
    assert_true(has_debug_file("beside-anonymous"));
    assert_true(has_debug_file("below-anonymous"));
    assert_true(has_debug_file("root-anonymous"));
    assert_false(has_debug_file("damaged"));
}

static void a_file_of_another_build_id_is_passed_over(void **state)
{
    assert_false(has_debug_file("foreign"));
}

static void an_object_is_not_its_own_debug_file(void **state)
{
    assert_false(has_debug_file("itself"));
}

static void no_file_is_no_error(void **state) { assert_false(has_debug_file("none")); }

static void the_sum_is_the_crc_32_of_zlib(void **state)
{
    /* The check value of CRC-32/ISO-HDLC, and zlib's of 0…255 (python3:
     * zlib.crc32(bytes(range(256)))). */
    uint8_t all[256];
    uint32_t crc = 1;
    for (int i = 0; i < 256; i++) all[i] = (uint8_t)i;
    assert_true(debugfile_crc(&arena, (const uint8_t *)"123456789", 9, &crc));
    assert_int_equal(crc, 0xcbf43926);
    assert_true(debugfile_crc(&arena, all, 256, &crc));
    assert_int_equal(crc, 0x29058c73);
    assert_true(debugfile_crc(&arena, all, 0, &crc));
    assert_int_equal(crc, 0);
    arena_fini(&arena);
}

int main(int count, char **arguments)
{
    objects = arguments[count - 1];
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_is_found_by_its_build_id),
        cmocka_unit_test(a_linked_file_is_found_beside_below_and_under_the_root),
        cmocka_unit_test(without_a_build_id_the_sum_proves_the_file),
        cmocka_unit_test(a_file_of_another_build_id_is_passed_over),
        cmocka_unit_test(an_object_is_not_its_own_debug_file),
        cmocka_unit_test(no_file_is_no_error),
        cmocka_unit_test(the_sum_is_the_crc_32_of_zlib),
    };
    return cmocka_run_group_tests_name("symbols/debugfile", tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT
 *
 * This program's own image, and libc's, as the loader shows them. The program calls a hook that it
 * does not define (weakly), and has a RUNPATH and a build-id by its link options. */
#include "self/elfimage.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

extern void __cyg_profile_func_enter(void *function, void *call_site) __attribute__((weak));

struct found {
    struct elfimage program, libc;
    int images;
};

static int look(struct dl_phdr_info *info, size_t size, void *argument)
{
    struct found *found = argument;
    struct elfimage image;
    if (!elfimage_init(&image, info)) return 0;
    if (!found->images++) found->program = image;
    if (strstr(info->dlpi_name, "libc.so")) found->libc = image;
    return 0;
}

static const struct found *find(void)
{
    static struct found found;
    found.images = 0;
    dl_iterate_phdr(look, &found);
    return &found;
}

static void an_image_spans_its_code_and_data(void **state)
{
    static int data;
    struct elfimage image = find()->program;
    assert_true(image.low <= (uintptr_t)find && (uintptr_t)find < image.high);
    assert_true(image.low <= (uintptr_t)&data && (uintptr_t)&data < image.high);
    struct elfimage libc = find()->libc;
    assert_true(libc.high <= image.low || libc.low >= image.high);
}

static void an_import_of_the_hooks_is_seen_and_none_is_not(void **state)
{
    if (__cyg_profile_func_enter) __cyg_profile_func_enter(NULL, NULL);
    assert_true(elfimage_imports_stint(&find()->program));
    assert_false(elfimage_imports_stint(&find()->libc)); /* defines them */
}

static void a_search_path_is_seen(void **state)
{
    assert_true(elfimage_has_search_path(&find()->program));
    assert_false(elfimage_has_rpath(&find()->program));
    assert_false(elfimage_has_search_path(&find()->libc));
}

static void the_build_id_is_the_linkers(void **state)
{
    static const uint8_t expected[] = {0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef};
    uint8_t id[32];
    assert_int_equal(elfimage_build_id(&find()->program, id, sizeof id), sizeof expected);
    assert_memory_equal(id, expected, sizeof expected);
    assert_int_equal(elfimage_build_id(&find()->program, id, 3), 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_image_spans_its_code_and_data),
        cmocka_unit_test(an_import_of_the_hooks_is_seen_and_none_is_not),
        cmocka_unit_test(a_search_path_is_seen),
        cmocka_unit_test(the_build_id_is_the_linkers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

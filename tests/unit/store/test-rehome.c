/* SPDX-License-Identifier: MIT
 *
 * A store whose file was removed: another file with the same content, or memory that says so. */
#include "store/rehome.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char directory[] = "/tmp/stint-rehome-XXXXXX";
static struct store store;
static char path[sizeof store.path];
static store_ref text;

static int set_up(void **state)
{
    struct store_options options = {.directories = {directory}, .pid = 7};
    strcpy(directory + strlen(directory) - 6, "XXXXXX");
    if (!mkdtemp(directory) || store_create(&store, &options)) return -1;
    memcpy(path, store.path, sizeof path);
    text = store_copy_text(&store, "hello", 5);
    return store_unlink(&store);
}

static int tear_down(void **state)
{
    (void)unlink(path);
    store_abandon(&store);
    return rmdir(directory);
}

/* What the file of that path holds where the text lies. */
static void check_file(const char *expected)
{
    struct store_text *found = calloc(1, 64);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_int_equal(fseek(file, (long)text * STORE_UNIT, SEEK_SET), 0);
    assert_int_equal(fread(found, 1, 32, file), 32);
    assert_string_equal(found->data, expected);
    fclose(file);
    free(found);
}

static void a_removed_file_comes_back_and_is_the_store(void **state)
{
    struct store_text *own = store_at(&store, text);
    store_rehome(&store, path, true);
    assert_string_equal(store.path, path);
    check_file("hello");
    own->data[0] = 'j'; /* shared with the file, not a copy */
    check_file("jello");
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0600);
    assert_int_equal(st.st_size, store_head(&store)->file_bytes);
    assert_int_equal(store_head(&store)->flags, 0);
}

static void it_grows_as_before(void **state)
{
    store_rehome(&store, path, true);
    uint64_t before = store_head(&store)->file_bytes;
    assert_int_not_equal(store_alloc(&store, before, 8), 0);
    assert_true(store_head(&store)->file_bytes > before);
    assert_int_equal(store_head(&store)->flags, 0);
    assert_int_equal(store_unlink(&store), 0);
    assert_int_equal(access(path, F_OK), -1);
}

static void beside_other_writers_it_is_memory_and_says_so(void **state)
{
    store_rehome(&store, path, false);
    assert_int_equal(access(path, F_OK), -1);
    assert_int_equal(store.path[0], 0);
    assert_int_equal(store_head(&store)->flags, STORE_IS_MEMORY | STORE_HAS_MEMORY_CHUNKS);
    assert_int_equal(store_head(&store)->file_bytes, 0);
    assert_string_equal(((struct store_text *)store_at(&store, text))->data, "hello");
}

static void where_something_else_stands_it_is_memory(void **state)
{
    fclose(fopen(path, "w"));
    store_rehome(&store, path, true);
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_size, 0);
    assert_int_equal(store_head(&store)->flags, STORE_IS_MEMORY | STORE_HAS_MEMORY_CHUNKS);
}

static void a_store_that_still_has_its_file_is_left_alone(void **state)
{
    store_rehome(&store, path, true);
    uint64_t inode = store.inode;
    store_rehome(&store, path, false);
    assert_int_equal(store.inode, inode);
    assert_int_equal(store_head(&store)->flags, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_removed_file_comes_back_and_is_the_store, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(it_grows_as_before, set_up, tear_down),
        cmocka_unit_test_setup_teardown(beside_other_writers_it_is_memory_and_says_so, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(where_something_else_stands_it_is_memory, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_store_that_still_has_its_file_is_left_alone, set_up,
                                        tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

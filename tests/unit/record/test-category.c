/* SPDX-License-Identifier: MIT
 *
 * Names to categories: by content, process-wide, in stores that come and go. */
#include "record/category.h"

#include "event.h"

#include "record/scope_hot.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "wiped.h"

enum { SP = LAB_HIGH - 0x1000 };

static void a_name_is_found_by_its_content(void **state)
{
    char one[] = "content", other[] = "content";
    struct category *category = category_make(one);
    assert_non_null(category);
    one[0] = 'C';
    assert_ptr_equal(category_make(other), category);
    assert_ptr_equal(scope_named(other), category);
    assert_string_equal(category->name, "content");
    assert_ptr_not_equal(category_make(one), category);
    assert_ptr_not_equal(scope_named(one), category);
    assert_ptr_equal(scope_named(one), category_make("Content"));
    /* the same buffer again, with what it said first */
    other[0] = 'x';
    assert_string_equal(scope_named(other)->name, "xontent");
    assert_null(category_make(NULL));
    assert_null(scope_named(NULL));
    assert_string_equal(category_make("")->name, "");
}

static void long_names_are_cut(void **state)
{
    static char name[CATEGORY_NAME_BYTES + 100];
    memset(name, 'n', sizeof name - 1);
    struct category *category = category_make(name);
    assert_int_equal(strlen(category->name), CATEGORY_NAME_BYTES);
    name[CATEGORY_NAME_BYTES + 1] = '\0';
    assert_ptr_equal(category_make(name), category);
    name[CATEGORY_NAME_BYTES - 1] = '\0';
    assert_ptr_not_equal(category_make(name), category);
}

static void an_address_tells_the_name(void **state)
{
    lab_open((struct recorder_options){0});
    struct category *category = category_make("told");
    uint64_t scope = category_address(category, STORE_KIND_SCOPE);
    uint64_t ns = category_address(category, STORE_KIND_NS);
    assert_int_equal((uint32_t)scope, (uint32_t)ns);
    assert_int_not_equal(scope, ns);
    assert_int_equal(category_kind(ns), STORE_KIND_NS);
    assert_int_equal(category_number_after(ns), category->number + 1);
    const struct store_text *text = lab_at(lab.block, (uint32_t)scope);
    assert_int_equal(text->bytes, 4);
    assert_memory_equal(text->data, "told", 4);
}

static void in_a_new_store_a_name_is_written_anew(void **state)
{
    lab_open((struct recorder_options){0});
    struct category *category = category_make("anew");
    uint64_t before = category_address(category, STORE_KIND_SCOPE);
    uint64_t portable = category_portable(before);
    assert_int_equal(category_portable(0x1234), 0x1234);
    lab_close(NULL);
    lab_open((struct recorder_options){0});
    (void)store_copy_text(&lab.store, "fill", 4); /* elsewhere than before */
    assert_int_equal((uint32_t)category->addresses[STORE_KIND_SCOPE], 0);
    assert_false(scope_try_enter(lab.block, category));
    uint64_t now = category_from_portable(portable);
    assert_int_equal(now, category_address(category, STORE_KIND_SCOPE));
    assert_int_not_equal(now, before);
    const struct store_text *text = lab_at(lab.block, (uint32_t)now);
    assert_memory_equal(text->data, "anew", 5);
    assert_int_equal(category_from_portable(0x1234), 0x1234);
}

static void unloading_code_leaves_categories_alone(void **state)
{
    lab_open((struct recorder_options){0});
    struct category *category = category_make("stays");
    uint64_t address = category_address(category, STORE_KIND_SCOPE);
    lab_enter(address, SP, 0);
    lab_exit(address, SP, 10);
    recorder_forget_code(0, STORE_ADDRESS_MASK);
    assert_non_null(LAB_NODE(address));
}

static void a_child_goes_on_with_the_handles_of_its_parent(void **state)
{
    skip_unless_pages_are_wiped();
    lab_open((struct recorder_options){0});
    struct category *category = category_make("inherited");
    event_ns(category, 7);
    pid_t child = fork();
    assert_true(child >= 0);
    if (!child) {
        bool is_fresh = !control->in_use && !scope_try_ns(control, category, 7) &&
                        category_make("inherited") == category;
        _exit(is_fresh ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

enum { THREADS = 8, NAMES = 500 };
static struct category *found[THREADS][NAMES];
static pthread_barrier_t barrier;

static void *find_all(void *argument)
{
    size_t me = (size_t)argument;
    pthread_barrier_wait(&barrier);
    for (int i = 0; i < NAMES; i++) {
        char name[32];
        snprintf(name, sizeof name, "raced %d", i);
        found[me][i] = scope_named(name);
    }
    return NULL;
}

static void threads_that_race_for_a_name_find_one_category(void **state)
{
    pthread_t threads[THREADS];
    pthread_barrier_init(&barrier, NULL, THREADS);
    for (size_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, find_all, (void *)i), 0);
    for (size_t i = 0; i < THREADS; i++) assert_int_equal(pthread_join(threads[i], NULL), 0);
    for (int i = 0; i < NAMES; i++) {
        assert_non_null(found[0][i]);
        for (int k = 1; k < THREADS; k++) assert_ptr_equal(found[k][i], found[0][i]);
        for (int k = 0; k < i; k++) assert_true(found[0][k]->number != found[0][i]->number);
    }
}

static void names_beyond_the_limit_share_one_category(void **state)
{
    lab_open((struct recorder_options){0});
    struct category *others_name = NULL;
    char name[32];
    for (uint32_t i = 0; i < CATEGORY_MOST + 100; i++) {
        snprintf(name, sizeof name, "many %u", i);
        struct category *category = category_make(name);
        assert_non_null(category);
        assert_true(category->number <= CATEGORY_MOST);
        if (category->number == CATEGORY_MOST) others_name = category;
    }
    assert_non_null(others_name);
    assert_string_equal(others_name->name, CATEGORY_OTHERS);
    assert_ptr_equal(category_make("one more"), others_name);
    assert_string_equal(category_make("many 5")->name, "many 5");
    event_ns(category_make("one more"), 5);
    event_ns(category_make("and more"), 6);
    assert_int_equal(event_node(lab.block, others_name, STORE_KIND_NS)->count, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        LAB_CASE(a_name_is_found_by_its_content),
        LAB_CASE(long_names_are_cut),
        LAB_CASE(an_address_tells_the_name),
        LAB_CASE(in_a_new_store_a_name_is_written_anew),
        LAB_CASE(unloading_code_leaves_categories_alone),
        LAB_CASE(a_child_goes_on_with_the_handles_of_its_parent),
        LAB_CASE(threads_that_race_for_a_name_find_one_category),
        LAB_CASE(names_beyond_the_limit_share_one_category),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT
 *
 * Whose memory jansson hands out: the arena's to the reporting thread, the earlier functions' to
 * all others and to everybody afterwards. */
#include "json/jsonmem.h"

#include <jansson.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

static int mallocs, frees;

static void *counted_malloc(size_t bytes)
{
    __atomic_add_fetch(&mallocs, 1, __ATOMIC_RELAXED);
    return malloc(bytes);
}

static void counted_free(void *pointer)
{
    __atomic_add_fetch(&frees, 1, __ATOMIC_RELAXED);
    free(pointer);
}

static int reset(void **state)
{
    mallocs = frees = 0;
    json_set_alloc_funcs(counted_malloc, counted_free);
    json_object_seed(1);
    return 0;
}

static void the_reporting_thread_is_served_from_the_arena(void **state)
{
    struct arena arena = ARENA_INIT;
    jsonmem_begin(&arena);
    json_t *value = json_string("text");
    assert_true(arena_owns(&arena, value));
    json_decref(value);
    jsonmem_end();
    assert_int_equal(mallocs, 0);
    assert_int_equal(frees, 0);
    arena_fini(&arena);
}

static void *make_a_value(void *arena)
{
    json_t *value = json_pack("{s:[i,i]}", "key", 1, 2);
    void *outside = arena_owns(arena, value) ? NULL : arena;
    json_decref(value);
    return outside;
}

static void another_thread_gets_the_functions_that_were_there(void **state)
{
    struct arena arena = ARENA_INIT;
    pthread_t thread;
    void *outside;
    jsonmem_begin(&arena);
    assert_int_equal(pthread_create(&thread, NULL, make_a_value, &arena), 0);
    pthread_join(thread, &outside);
    jsonmem_end();
    assert_non_null(outside);
    assert_true(mallocs > 0);
    assert_int_equal(mallocs, frees);
    arena_fini(&arena);
}

static void what_was_made_before_is_freed_by_those_who_made_it(void **state)
{
    struct arena arena = ARENA_INIT;
    json_t *value = json_string("before");
    int made = mallocs;
    jsonmem_begin(&arena);
    json_decref(value);
    jsonmem_end();
    assert_true(made > 0);
    assert_int_equal(frees, made);
    arena_fini(&arena);
}

static void the_functions_are_put_back(void **state)
{
    struct arena arena = ARENA_INIT;
    json_malloc_t found_malloc;
    json_free_t found_free;
    for (int i = 0; i < 2; i++) {
        jsonmem_begin(&arena);
        jsonmem_end();
        json_get_alloc_funcs(&found_malloc, &found_free);
        assert_ptr_equal(found_malloc, counted_malloc);
        assert_ptr_equal(found_free, counted_free);
    }
}

static void functions_that_somebody_set_meanwhile_stay(void **state)
{
    struct arena arena = ARENA_INIT;
    json_malloc_t found_malloc;
    json_free_t found_free;
    jsonmem_begin(&arena);
    json_set_alloc_funcs(malloc, free);
    jsonmem_end();
    json_get_alloc_funcs(&found_malloc, &found_free);
    assert_ptr_equal(found_malloc, malloc);
    assert_ptr_equal(found_free, free);
}

static void a_report_that_was_never_ended_does_not_hand_on_to_itself(void **state)
{
    struct arena arena = ARENA_INIT;
    jsonmem_begin(&arena); /* as a forked child finds it */
    jsonmem_begin(&arena);
    jsonmem_end();
    json_decref(json_string("text"));
    assert_int_equal(mallocs, frees);
    assert_true(mallocs > 0);
    arena_fini(&arena);
}

#define COUNTED(test) cmocka_unit_test_setup(test, reset)

int main(void)
{
    const struct CMUnitTest tests[] = {
        COUNTED(the_reporting_thread_is_served_from_the_arena),
        COUNTED(another_thread_gets_the_functions_that_were_there),
        COUNTED(what_was_made_before_is_freed_by_those_who_made_it),
        COUNTED(the_functions_are_put_back),
        COUNTED(functions_that_somebody_set_meanwhile_stay),
        COUNTED(a_report_that_was_never_ended_does_not_hand_on_to_itself),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT
 *
 * Alternate stacks given and taken back, thread by thread. */
#include "signals/altstack.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

static stack_t now(void)
{
    stack_t stack = {.ss_sp = NULL};
    sigaltstack(NULL, &stack);
    return stack;
}

static void *given_and_taken(void *unused)
{
    altstack_attach();
    stack_t given = now();
    assert_true(altstack_is_ours(&given));
    assert_int_equal(given.ss_size, ALTSTACK_BYTES);
    assert_true(altstack_holds((char *)given.ss_sp + ALTSTACK_BYTES - 1));
    assert_false(altstack_holds((char *)given.ss_sp + ALTSTACK_BYTES));
    assert_false(altstack_holds((char *)given.ss_sp - 1));
    altstack_retire();
    assert_true(now().ss_flags & SS_DISABLE);
    assert_false(altstack_holds(given.ss_sp));
    return NULL;
}

static void a_thread_gets_one_and_gives_it_back(void **state)
{
    given_and_taken(NULL);
    given_and_taken(NULL);
}

static void a_stack_of_the_thread_is_left_alone(void **state)
{
    static char space[64 * 1024];
    stack_t mine = {.ss_sp = space, .ss_size = sizeof space}, none = {.ss_flags = SS_DISABLE};
    sigaltstack(&mine, NULL);
    altstack_attach();
    assert_ptr_equal(now().ss_sp, space);
    altstack_retire();
    assert_ptr_equal(now().ss_sp, space);
    sigaltstack(&none, NULL);
}

enum { THREADS = 100 };
static pthread_barrier_t all_have_one;
static void *stacks[THREADS];

static void *take(void *slot)
{
    altstack_attach();
    *(void **)slot = now().ss_sp;
    pthread_barrier_wait(&all_have_one);
    altstack_retire();
    return NULL;
}

static int by_address(const void *a, const void *b)
{
    char *x = *(char *const *)a, *y = *(char *const *)b;
    return (x > y) - (x < y);
}

static void stacks_of_many_threads_do_not_overlap(void **state)
{
    pthread_t threads[THREADS];
    pthread_barrier_init(&all_have_one, NULL, THREADS);
    for (int i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, take, &stacks[i]);
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    qsort(stacks, THREADS, sizeof stacks[0], by_address);
    assert_non_null(stacks[0]);
    for (int i = 1; i < THREADS; i++)
        assert_true((char *)stacks[i] - (char *)stacks[i - 1] >= ALTSTACK_BYTES);
}

static void it_comes_back_after_the_threads_own(void **state)
{
    static char space[64 * 1024];
    stack_t mine = {.ss_sp = space, .ss_size = sizeof space}, none = {.ss_flags = SS_DISABLE};
    altstack_attach();
    sigaltstack(&mine, NULL);
    altstack_rearm();
    assert_ptr_equal(now().ss_sp, space);
    sigaltstack(&none, NULL);
    altstack_rearm();
    stack_t back = now();
    assert_true(altstack_is_ours(&back));
    altstack_retire();
}

int main(void)
{
    const stack_t none = {.ss_flags = SS_DISABLE};
    sigaltstack(&none, NULL); /* sanitizers bring one */
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_thread_gets_one_and_gives_it_back),
        cmocka_unit_test(a_stack_of_the_thread_is_left_alone),
        cmocka_unit_test(stacks_of_many_threads_do_not_overlap),
        cmocka_unit_test(it_comes_back_after_the_threads_own),
    };
    return cmocka_run_group_tests_name("signals/altstack", tests, NULL, NULL);
}

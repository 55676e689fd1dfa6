/* SPDX-License-Identifier: MIT
 *
 * The table of next functions as a program that nothing precedes sees it: libc's own. */
#include "real/real.h"

#include <dlfcn.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

static void every_function_of_glibc_is_found(void **state)
{
    const struct real *table = real();
#define X(result, name, parameters) assert_true(table->name != NULL);
    REAL_LIST(X)
#undef X
}

static void the_next_function_is_libcs(void **state)
{
    assert_ptr_equal(real()->dlclose, dlsym(RTLD_NEXT, "dlclose"));
    assert_ptr_equal(real()->sigaction, dlsym(RTLD_NEXT, "sigaction"));
}

static void symbols_outside_the_table_are_found_where_they_are_asked_for(void **state)
{
    void *library = dlopen("libm.so.6", RTLD_NOW | RTLD_LOCAL);
    assert_non_null(library);
    assert_ptr_equal(real_symbol(library, "cbrtl"), dlsym(library, "cbrtl"));
    assert_non_null(real_symbol(library, "cbrtl"));
    assert_null(real_symbol(NULL, "no_such_function"));
    assert_non_null(dlerror());
    dlclose(library);
}

static void errno_is_kept(void **state)
{
    errno = 77;
    (void)real();
    assert_int_equal(errno, 77);
}

static void *ask(void *unused) { return (void *)real(); }

static void threads_get_the_same_table(void **state)
{
    pthread_t threads[8];
    for (int i = 0; i < 8; i++) assert_int_equal(pthread_create(&threads[i], NULL, ask, NULL), 0);
    for (int i = 0; i < 8; i++) {
        void *table;
        pthread_join(threads[i], &table);
        assert_ptr_equal(table, real());
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errno_is_kept),
        cmocka_unit_test(threads_get_the_same_table),
        cmocka_unit_test(every_function_of_glibc_is_found),
        cmocka_unit_test(the_next_function_is_libcs),
        cmocka_unit_test(symbols_outside_the_table_are_found_where_they_are_asked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

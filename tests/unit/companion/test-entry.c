/* SPDX-License-Identifier: MIT
 *
 * The table that libstint.so asks for: of its own version alone, and its writer writes. */
#include "contract/report.h"

#include "../report/builder.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <cmocka.h>

static void another_version_gets_nothing(void **state)
{
    assert_null(stint_report_table(CONTRACT_VERSION + 1));
    const struct report_table *table = stint_report_table(CONTRACT_VERSION);
    assert_non_null(table);
    assert_int_equal(table->version, CONTRACT_VERSION);
    assert_non_null(table->walk);
}

static void the_writer_writes_what_is_mapped(void **state)
{
    struct builder store;
    builder_init(&store, 1 << 16);
    struct report_request request = {.store = store.base,
                                     .store_bytes = builder_used(&store),
                                     .now_ticks = 1,
                                     .path = "/dev/null"};
    assert_int_equal(stint_report_table(CONTRACT_VERSION)->write(&request), 0);
    struct stat status;
    assert_int_equal(stat("/dev/null", &status), 0);
    assert_true(S_ISCHR(status.st_mode));
    builder_fini(&store);
}

static void what_is_no_store_or_has_no_place_is_an_error(void **state)
{
    struct builder store;
    builder_init(&store, 1 << 16);
    struct report_request request = {.store = store.base,
                                     .store_bytes = builder_used(&store),
                                     .now_ticks = 1,
                                     .path = "/no/such/directory/report.json"};
    assert_int_equal(stint_report_table(CONTRACT_VERSION)->write(&request), -ENOENT);
    store.base[0] = 'X';
    assert_int_equal(stint_report_table(CONTRACT_VERSION)->write(&request), -EINVAL);
    builder_fini(&store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(another_version_gets_nothing),
        cmocka_unit_test(the_writer_writes_what_is_mapped),
        cmocka_unit_test(what_is_no_store_or_has_no_place_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

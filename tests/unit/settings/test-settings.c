/* SPDX-License-Identifier: MIT
 *
 * The table against the design's defaults, and environments good and hostile. */
#include "settings/settings.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct settings settings;
static int complaints;
static const struct settings_row *last_row;
static char last_value[8192];

static void complain(const struct settings_row *row, const char *value)
{
    complaints++;
    last_row = row;
    strncpy(last_value, value, sizeof last_value - 1);
}

static void read_one(const char *entry)
{
    char copy[8192];
    strncpy(copy, entry, sizeof copy - 1);
    copy[sizeof copy - 1] = '\0';
    char *environment[] = {copy, NULL};
    complaints = 0;
    last_row = NULL;
    memset(&settings, 0xee, sizeof settings);
    settings_read(&settings, environment, complain);
}

static void expect_defaults(void)
{
    assert_string_equal(settings.out, "profiling_results.json");
    assert_string_equal(settings.store, "auto");
    assert_true(settings.follow);
    assert_int_equal(settings.clock, 0);
    assert_false(settings.disable);
    assert_int_equal(settings.max_samples, 10000);
    assert_int_equal(settings.function_samples, 0);
    assert_int_equal(settings.sample_bytes, 268435456);
    assert_int_equal(settings.max_nodes, 65536);
    assert_int_equal(settings.max_depth, 4194304);
    assert_int_equal(settings.max_threads, 256);
    assert_false(settings.thread_trees);
    assert_int_equal(settings.report_timeout_ns, UINT64_C(30000000000));
    assert_string_equal(settings.frame_function, "");
    assert_int_equal(settings.frame_budget_ns, 16667000);
    assert_int_equal(settings.worst_frames, 64);
    assert_int_equal(settings.snapshot_signal, 0);
    assert_int_equal(settings.snapshot_every_ns, 0);
}

static void an_empty_environment_gives_the_defaults(void **state)
{
    complaints = 0;
    char *environment[] = {NULL};
    settings_read(&settings, environment, complain);
    expect_defaults();
    settings_read(&settings, NULL, complain);
    expect_defaults();
    assert_int_equal(complaints, 0);
}

static void every_default_of_the_table_is_a_value_of_its_row(void **state)
{
    size_t count;
    const struct settings_row *rows = settings_rows(&count);
    assert_int_equal(count, 18);
    for (size_t i = 0; i < count; i++) {
        char entry[256] = "";
        strcat(strcat(strcat(entry, rows[i].name), "="), rows[i].default_value);
        read_one(entry);
        assert_int_equal(complaints, 0);
        expect_defaults();
        assert_true(strlen(rows[i].meaning) > 10);
    }
}

static void each_kind_of_value_is_taken(void **state)
{
    read_one("STINT_OUT=/tmp/%n.json");
    assert_string_equal(settings.out, "/tmp/%n.json");
    read_one("STINT_STORE=none");
    assert_string_equal(settings.store, "none");
    read_one("STINT_FOLLOW=0");
    assert_false(settings.follow);
    read_one("STINT_DISABLE=yes");
    assert_true(settings.disable);
    read_one("STINT_CLOCK=tsc");
    assert_int_equal(settings.clock, 1);
    read_one("STINT_CLOCK=monotonic");
    assert_int_equal(settings.clock, 2);
    read_one("STINT_MAX_NODES=16");
    assert_int_equal(settings.max_nodes, 16);
    read_one("STINT_MAX_NODES=16777216");
    assert_int_equal(settings.max_nodes, 16777216);
    read_one("STINT_SAMPLE_BYTES=64K");
    assert_int_equal(settings.sample_bytes, 65536);
    read_one("STINT_REPORT_TIMEOUT=500ms");
    assert_int_equal(settings.report_timeout_ns, 500000000);
    read_one("STINT_FRAME_FUNCTION=D_Display,R_*");
    assert_string_equal(settings.frame_function, "D_Display,R_*");
    read_one("STINT_FRAME_BUDGET_MS=8.25");
    assert_int_equal(settings.frame_budget_ns, 8250000);
    read_one("STINT_FRAME_BUDGET_MS=2s");
    assert_int_equal(settings.frame_budget_ns, 2000000000);
    read_one("STINT_WORST_FRAMES=0");
    assert_int_equal(settings.worst_frames, 0);
    read_one("STINT_SNAPSHOT_SIGNAL=SIGUSR2");
    assert_int_equal(settings.snapshot_signal, 12);
    read_one("STINT_SNAPSHOT_EVERY=10s");
    assert_int_equal(settings.snapshot_every_ns, UINT64_C(10000000000));
    assert_int_equal(complaints, 0);
}

static void a_bad_value_is_told_once_and_leaves_the_default(void **state)
{
    static const char *const entries[] = {"STINT_OUT=",
                                          "STINT_STORE=",
                                          "STINT_FOLLOW=2",
                                          "STINT_FOLLOW=",
                                          "STINT_CLOCK=sun",
                                          "STINT_CLOCK=auto|tsc",
                                          "STINT_CLOCK=",
                                          "STINT_DISABLE=maybe",
                                          "STINT_MAX_SAMPLES=-1",
                                          "STINT_MAX_NODES=15",
                                          "STINT_MAX_NODES=16777217",
                                          "STINT_MAX_NODES=banana",
                                          "STINT_SNAPSHOT_SIGNAL=KILL",
                                          "STINT_SNAPSHOT_SIGNAL=",
                                          "STINT_SNAPSHOT_EVERY=often",
                                          "STINT_MAX_DEPTH=0",
                                          "STINT_MAX_THREADS=0",
                                          "STINT_MAX_THREADS=65537",
                                          "STINT_SAMPLE_BYTES=9G",
                                          "STINT_REPORT_TIMEOUT=0",
                                          "STINT_REPORT_TIMEOUT=2000000000000h",
                                          "STINT_THREAD_TREES= 1",
                                          "STINT_FRAME_BUDGET_MS=",
                                          "STINT_FRAME_BUDGET_MS=ms",
                                          "STINT_FRAME_BUDGET_MS=-1",
                                          "STINT_FRAME_BUDGET_MS=0",
                                          "STINT_WORST_FRAMES=1025",
                                          "STINT_FUNCTION_SAMPLES=1e3"};
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
        read_one(entries[i]);
        assert_int_equal(complaints, 1);
        assert_non_null(last_row);
        assert_int_equal(strncmp(entries[i], last_row->name, strlen(last_row->name)), 0);
        assert_string_equal(last_value, strchr(entries[i], '=') + 1);
        expect_defaults();
    }
}

static void a_name_beyond_its_field_is_bad_and_one_that_fits_is_taken(void **state)
{
    char entry[8192] = "STINT_OUT=";
    memset(entry + 10, 'a', 4095);
    read_one(entry);
    assert_int_equal(complaints, 0);
    assert_int_equal(strlen(settings.out), 4095);
    memset(entry + 10, 'a', 4096);
    read_one(entry);
    assert_int_equal(complaints, 1);
    expect_defaults();
}

static void unknown_names_are_told_without_a_row(void **state)
{
    read_one("STINT_MAX_NODE=5");
    assert_int_equal(complaints, 1);
    assert_null(last_row);
    assert_string_equal(last_value, "STINT_MAX_NODE");
    read_one("STINT_OUTPUT=x");
    assert_string_equal(last_value, "STINT_OUTPUT");
    expect_defaults();
}

static void foreign_and_internal_names_are_left_alone(void **state)
{
    static const char *const entries[] = {"STINT_ROOT=1:2", "STINT=1",   "XSTINT_OUT=a",
                                          "stint_out=a",    "PATH=/bin", "nothing"};
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
        read_one(entries[i]);
        assert_int_equal(complaints, 0);
        expect_defaults();
    }
}

static void the_first_of_two_entries_counts_as_for_getenv(void **state)
{
    char first[] = "STINT_MAX_NODES=100", second[] = "STINT_MAX_NODES=200";
    char *environment[] = {first, second, NULL};
    settings_read(&settings, environment, complain);
    assert_int_equal(settings.max_nodes, 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_environment_gives_the_defaults),
        cmocka_unit_test(every_default_of_the_table_is_a_value_of_its_row),
        cmocka_unit_test(each_kind_of_value_is_taken),
        cmocka_unit_test(a_bad_value_is_told_once_and_leaves_the_default),
        cmocka_unit_test(a_name_beyond_its_field_is_bad_and_one_that_fits_is_taken),
        cmocka_unit_test(unknown_names_are_told_without_a_row),
        cmocka_unit_test(foreign_and_internal_names_are_left_alone),
        cmocka_unit_test(the_first_of_two_entries_counts_as_for_getenv),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

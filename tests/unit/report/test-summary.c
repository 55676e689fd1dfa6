/* SPDX-License-Identifier: MIT */
#include "report/summary.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

struct shown {
    double ms;
    const char *text;
};

static void check_times(const struct shown *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char text[16];
        summary_time(cases[i].ms, text);
        assert_string_equal(text, cases[i].text);
    }
}

static void times_have_three_digits_and_the_unit_that_fits(void **state)
{
    static const struct shown cases[] = {
        {0, "0 ns"},           {0.000047, "47 ns"}, {0.000999, "999 ns"}, {0.001, "1.00 µs"},
        {0.00125, "1.25 µs"},  {0.0125, "12.5 µs"}, {0.125, "125 µs"},    {1, "1.00 ms"},
        {312, "312 ms"},       {1000, "1.00 s"},    {12000, "12.0 s"},    {123456, "123 s"},
        {12345678, "12346 s"},
    };
    check_times(cases, sizeof cases / sizeof cases[0]);
}

static void rounding_never_shows_a_thousand_of_the_smaller_unit(void **state)
{
    static const struct shown cases[] = {
        {0.0009996, "1.00 µs"}, {0.9996, "1.00 ms"}, {999.6, "1.00 s"},   {0.00999, "9.99 µs"},
        {0.009996, "10.0 µs"},  {0.0999, "99.9 µs"}, {0.09996, "100 µs"}, {0.9994, "999 µs"},
    };
    check_times(cases, sizeof cases / sizeof cases[0]);
}

static void impossible_times_are_shown_without_harm(void **state)
{
    static const struct shown cases[] = {
        {-1, "0 ns"}, {NAN, "0 ns"}, {INFINITY, "900000000 s"}, {1e300, "900000000 s"}};
    check_times(cases, sizeof cases / sizeof cases[0]);
}

static void every_column_is_found_by_its_name(void **state)
{
    size_t count = 0;
    const struct summary_column *columns = summary_columns(&count);
    assert_int_equal(count, 10);
    for (size_t i = 0; i < count; i++)
        assert_ptr_equal(summary_find_column(columns[i].name), &columns[i]);
    assert_null(summary_find_column("Self"));
    assert_null(summary_find_column(""));
}

/* What summary_write says of the report, to be freed. */
static char *summary_of(const char *json, struct summary_options options)
{
    json_error_t error;
    json_t *report = json_loads(json, 0, &error);
    if (!report) fail_msg("%s", error.text);
    int fd = memfd_create("summary", MFD_CLOEXEC);
    assert_true(fd >= 0);
    assert_int_equal(summary_write(report, &options, fd), 0);
    off_t bytes = lseek(fd, 0, SEEK_END);
    char *text = calloc(1, (size_t)bytes + 1);
    assert_int_equal(pread(fd, text, (size_t)bytes, 0), bytes);
    close(fd);
    json_decref(report);
    return text;
}

static void a_report_without_rows_still_says_what_ran(void **state)
{
    char *text = summary_of(
        "{\"process\": {\"pid\": 7, \"executable\": \"/bin/a\", \"duration_ms\": 2.5, \"ending\": "
        "{\"kind\": \"exit\", \"status\": 3}}, \"threads\": [{}, {}]}",
        (struct summary_options){0});
    assert_ptr_equal(strstr(text, "a, pid 7: exit 3 after 2.50 ms; 2 threads, 0 calls\n"), text);
    free(text);
}

static void threads_that_shared_a_row_are_counted(void **state)
{
    char *text = summary_of("{\"threads\": [{\"generations\": 1}, {\"generations\": 400}, {}]}",
                            (struct summary_options){0});
    assert_non_null(strstr(text, "; 402 threads (in 3 rows), 0 calls\n"));
    free(text);
    text = summary_of("{\"threads\": [{\"generations\": 2}]}", (struct summary_options){0});
    assert_non_null(strstr(text, "; 2 threads (in 1 row), 0 calls\n"));
    free(text);
}

/* The names as they come, one in each line that ends with the module m. */
static void expect_names(char *text, const char *const *names)
{
    char *line = strstr(text, "Module\n");
    assert_non_null(line);
    line += strlen("Module\n");
    for (; *names; names++) {
        char *end = strchr(line, '\n');
        assert_non_null(end);
        *end = '\0';
        if (!strstr(line, *names)) fail_msg("%s is not in: %s", *names, line);
        line = end + 1;
    }
    assert_int_equal(*line, '\0');
}
#define NAMES(text, ...) expect_names(text, (const char *const[]){__VA_ARGS__, NULL})

static const char three[] =
    "{\"functions\": [{\"name\": \"two\", \"module\": \"/x/m\", \"Self_ms\": 2, \"Count\": 9},"
    "{\"name\": \"one\", \"module\": \"/y/l\", \"Self_ms\": 1, \"Count\": 9},"
    "{\"name\": \"three\", \"module\": \"/x/m\", \"Self_ms\": 3, \"Count\": 8}]}";

static void rows_come_largest_first_and_equal_ones_as_in_the_report(void **state)
{
    char *text = summary_of(three, (struct summary_options){0});
    NAMES(text, "three", "two", "one");
    free(text);
    text = summary_of(three, (struct summary_options){summary_find_column("calls"), 0, 0});
    NAMES(text, "two", "one", "three");
    free(text);
    text = summary_of(three, (struct summary_options){summary_find_column("module"), 0, 0});
    NAMES(text, "one", "two", "three");
    free(text);
}

static void a_limit_leaves_the_smallest_out_and_counts_them(void **state)
{
    char *text = summary_of(three, (struct summary_options){NULL, 2, 0});
    NAMES(text, "three", "two", "… and 1 more");
    free(text);
}

static void five_thousand_rows_are_all_there_in_order(void **state)
{
    json_t *report = json_object(), *functions = json_array();
    for (int i = 0; i < 5000; i++) {
        char name[16];
        snprintf(name, sizeof name, "f%d", i);
        /* 1789 and 5000 have no common divisor: each value once */
        json_array_append_new(
            functions, json_pack("{s:s, s:f}", "name", name, "Self_ms", (double)(i * 1789 % 5000)));
    }
    json_object_set_new(report, "functions", functions);
    char *json = json_dumps(report, 0);
    char *text = summary_of(json, (struct summary_options){0});
    char *line = strstr(text, "Module\n") + strlen("Module\n");
    for (int place = 0; place < 5000; place++) {
        int number = -1;
        char *end = strchr(line, '\n');
        assert_non_null(end);
        assert_int_equal(sscanf(strchr(line, 'f'), "f%d", &number), 1);
        assert_int_equal(number * 1789 % 5000, 4999 - place);
        line = end + 1;
    }
    assert_int_equal(*line, '\0');
    free(text);
    free(json);
    json_decref(report);
}

/* The summary of one function of the module m; to be freed. */
static char *summary_of_name(const char *name, size_t width)
{
    json_t *report = json_pack("{s:[{s:s, s:s}]}", "functions", "name", name, "module", "/m");
    char *json = json_dumps(report, 0);
    char *text = summary_of(json, (struct summary_options){NULL, 0, width});
    free(json);
    json_decref(report);
    return text;
}

static void names_are_whole_where_there_is_no_terminal(void **state)
{
    static char name[40001], expected[40010];
    for (size_t i = 0; i < sizeof name - 1; i++) name[i] = (char)('a' + i % 26);
    snprintf(expected, sizeof expected, "  %s  m\n", name);
    char *text = summary_of_name(name, 0);
    assert_non_null(strstr(text, expected));
    free(text);
}

/* The characters of the longest line. */
static size_t widest_line(const char *text)
{
    size_t widest = 0, width = 0;
    for (; *text; text++) {
        width = *text == '\n' ? 0 : width + (((unsigned char)*text & 0xc0) != 0x80);
        if (width > widest) widest = width;
    }
    return widest;
}

static void on_a_terminal_long_names_give_way_in_the_middle(void **state)
{
    char name[1000] = "begin::";
    for (int i = 0; i < 100; i++) strcat(name, "äß");
    strcat(name, "::end");
    for (size_t width = 130; width < 134; width++) {
        char *text = summary_of_name(name, width);
        assert_int_equal(widest_line(text), width);
        assert_non_null(strstr(text, "  begin::äßäß"));
        assert_non_null(strstr(text, "äß::end  m\n"));
        assert_true(strstr(text, "ä…") || strstr(text, "ß…"));
        assert_true(strstr(text, "…ä") || strstr(text, "…ß"));
        free(text);
    }
}

static void a_narrow_terminal_leaves_names_readable(void **state)
{
    char *text = summary_of_name("abcdefghijklmnopqrstuvwxyz", 10);
    assert_non_null(strstr(text, "  abcdefghijk…opqrstuvwxyz  m\n"));
    free(text);
}

static void an_output_that_fails_is_told(void **state)
{
    json_t *report = json_object();
    struct summary_options options = {NULL, 0, 0};
    int fd = open("/dev/full", O_WRONLY | O_CLOEXEC);
    assert_int_equal(summary_write(report, &options, fd), -ENOSPC);
    close(fd);
    json_decref(report);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_have_three_digits_and_the_unit_that_fits),
        cmocka_unit_test(rounding_never_shows_a_thousand_of_the_smaller_unit),
        cmocka_unit_test(impossible_times_are_shown_without_harm),
        cmocka_unit_test(every_column_is_found_by_its_name),
        cmocka_unit_test(a_report_without_rows_still_says_what_ran),
        cmocka_unit_test(threads_that_shared_a_row_are_counted),
        cmocka_unit_test(rows_come_largest_first_and_equal_ones_as_in_the_report),
        cmocka_unit_test(a_limit_leaves_the_smallest_out_and_counts_them),
        cmocka_unit_test(five_thousand_rows_are_all_there_in_order),
        cmocka_unit_test(names_are_whole_where_there_is_no_terminal),
        cmocka_unit_test(on_a_terminal_long_names_give_way_in_the_middle),
        cmocka_unit_test(a_narrow_terminal_leaves_names_readable),
        cmocka_unit_test(an_output_that_fails_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

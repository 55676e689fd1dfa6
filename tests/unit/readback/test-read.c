/* SPDX-License-Identifier: MIT */
#include "readback/read.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* The least that is a report. */
#define PROCESS                                                                                    \
    "\"process\": {\"pid\": 1, \"run\": \"1:1\", \"duration_ms\": 1.5, \"ending\": {\"kind\": "    \
    "\"exit\"}}"
#define REST                                                                                       \
    "\"lost\": {}, \"overhead\": {}, \"clock\": {}, \"threads\": [], \"call_tree\": [], "          \
    "\"categories\": {}"
#define HEAD "{\"schema\": 1, \"stint\": \"0.1.0\", " PROCESS ", " REST ", \"functions\": "

static json_t *read_ok(const char *text)
{
    struct read_fault fault = {.line = 0};
    json_t *report = NULL;
    if (read_text(text, strlen(text), &report, &fault)) fail_msg("%s", fault.fault.text);
    assert_non_null(report);
    return report;
}

static struct read_fault read_bad(const char *text)
{
    struct read_fault fault = {.line = 0};
    json_t *report = NULL;
    assert_int_equal(read_text(text, strlen(text), &report, &fault), -EBADMSG);
    assert_null(report);
    assert_int_equal(fault.fault.error, -EBADMSG);
    assert_true(fault.fault.text[0] != '\0');
    return fault;
}

static void the_least_report_is_taken_as_it_is(void **state)
{
    json_t *report = read_ok(HEAD "[]}");
    assert_int_equal(json_object_size(report), 10);
    json_decref(report);
}

static void keys_of_later_versions_are_no_fault(void **state)
{
    json_t *report = read_ok(HEAD "[{\"id\": 0, \"name\": \"f\", \"later\": {}}], \"more\": 1}");
    json_decref(report);
}

static void numbers_may_be_whole(void **state)
{
    json_t *report = read_ok(HEAD "[{\"id\": 0, \"name\": \"f\", \"Self_ms\": 3}]}");
    json_decref(report);
}

static void a_cut_report_is_a_fault_at_its_end_at_every_byte(void **state)
{
    static const char whole[] = HEAD "[{\"id\": 0, \"name\": \"f\", \"Count\": 12}]}";
    for (size_t bytes = 1; bytes < sizeof whole - 1; bytes++) {
        struct read_fault fault = {.line = 0};
        json_t *report = NULL;
        assert_int_equal(read_text(whole, bytes, &report, &fault), -EBADMSG);
        assert_int_equal(fault.line, 1);
        assert_true(fault.column > 0 && (size_t)fault.column <= bytes);
    }
}

static void the_place_of_a_fault_is_its_line_and_column(void **state)
{
    struct read_fault fault = read_bad("{\"a\": 1,\n\"b\": ?}");
    assert_int_equal(fault.line, 2);
    assert_int_equal(fault.column, 6);
}

static void a_fault_of_content_has_no_place_but_a_name(void **state)
{
    struct read_fault fault = read_bad(HEAD "[{\"id\": 0, \"name\": \"f\"}, 5]}");
    assert_int_equal(fault.line, 0);
    assert_non_null(strstr(fault.fault.text, "functions[1]"));
    fault = read_bad(HEAD "[{\"id\": 0}]}");
    assert_non_null(strstr(fault.fault.text, "functions[0].name"));
}

static void another_schema_is_told_by_its_number(void **state)
{
    struct read_fault fault = read_bad("{\"schema\": 17, \"stint\": \"9\"}");
    assert_non_null(strstr(fault.fault.text, "17"));
}

static void buckets_hold_three_growing_integers(void **state)
{
    static const char *const bad[] = {"[[1, 2]]",      "[[1, 2, 3, 4]]", "[1]",
                                      "[[1.0, 2, 3]]", "[[2, 1, 3]]",    "[[-1, 2, 3]]",
                                      "[{}]",          "[[1, 2, -3]]",   "[[1, 2, \"3\"]]"};
    char text[1024];
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        snprintf(text, sizeof text, HEAD "[{\"id\": 0, \"name\": \"f\", \"histogram\": %s}]}",
                 bad[i]);
        struct read_fault fault = read_bad(text);
        assert_non_null(strstr(fault.fault.text, "functions[0].histogram[0]"));
    }
}

static void words_of_the_input_are_made_harmless(void **state)
{
    struct read_fault fault = read_bad("{\"a\": \033[31m}");
    assert_null(strchr(fault.fault.text, '\033'));
}

static void ten_thousand_brackets_are_a_fault_and_no_crash(void **state)
{
    static char text[10001];
    memset(text, '[', sizeof text - 1);
    (void)read_bad(text);
}

static void a_file_larger_than_the_first_buffer_is_read_whole(void **state)
{
    char path[] = "/tmp/stint-read.XXXXXX";
    int fd = mkstemp(path);
    FILE *file = fdopen(fd, "w");
    assert_non_null(file);
    fputs(HEAD "[", file);
    for (int i = 0; i < 50000; i++)
        fprintf(file, "%s{\"id\": %d, \"name\": \"a_function_with_a_long_name_%d\"}",
                i ? ",\n" : "", i, i);
    fputs("]}", file);
    assert_true(ftell(file) > 1 << 20);
    fclose(file);
    struct read_fault fault = {.line = 0};
    json_t *report = NULL;
    assert_int_equal(read_report(path, &report, &fault), 0);
    assert_int_equal(json_array_size(json_object_get(report, "functions")), 50000);
    json_decref(report);
    unlink(path);
}

static void a_file_that_is_not_there_gives_the_systems_error(void **state)
{
    struct read_fault fault = {.line = 0};
    json_t *report = NULL;
    assert_int_equal(read_report("/nonexistent/report.json", &report, &fault), -ENOENT);
    assert_int_equal(fault.fault.error, -ENOENT);
    fault = (struct read_fault){.line = 0};
    assert_int_equal(read_report("/", &report, &fault), -EISDIR);
    assert_null(report);
}

/* A document that has everything once; one text of it is replaced, and the fault names the place.
 */
static const char everything[] =
    "{\"schema\": 1, \"stint\": \"0.1.0\", " PROCESS ", \"lost\": {}, \"overhead\": {}, "
    "\"clock\": {}, \"categories\": {\"c\": {}}, \"functions\": [{\"id\": 0, \"name\": \"f\"}],"
    "\"threads\": [{\"id\": 0, \"tid\": 7, \"parent\": 0, \"start_routine\": null, "
    "\"open_calls\": [0], \"functions\": [{\"id\": 0, \"Count\": 1}], \"categories\": {\"c\": "
    "{\"Count\": 2}}}],"
    "\"call_tree\": [{\"id\": 0, \"parent\": null, \"function\": 0}, {\"id\": 1, \"parent\": 0, "
    "\"category\": \"c\"}, {\"id\": 2, \"parent\": 1, \"folded\": true}],"
    "\"counters\": {\"n\": {\"Count\": 2, \"Sum\": -5}},"
    "\"values\": {\"v\": {\"Count\": 1, \"Min\": -0.5, \"histogram\": [[-0.5, 0.5, 1], [0.5, 2, "
    "1]]}},"
    "\"frames\": {\"F\": {\"Count\": 3, \"missed\": 1, \"series\": [{\"thread\": 0, \"buckets\": "
    "[[0, 1, 2, 3, 4]]}], \"worst\": [{\"thread\": 0, \"start_ms\": 1, \"duration_ms\": 9, "
    "\"functions\": [{\"function\": 0, \"excess_ms\": 3}]}], \"blame\": [{\"category\": \"c\"}]}}}";

static void expect_fault(const char *what, const char *instead, const char *words)
{
    static char text[4096];
    const char *at = strstr(everything, what);
    assert_non_null(at);
    snprintf(text, sizeof text, "%.*s%s%s", (int)(at - everything), everything, instead,
             at + strlen(what));
    struct read_fault fault = read_bad(text);
    if (!strstr(fault.fault.text, words)) fail_msg("no \"%s\" in: %s", words, fault.fault.text);
}

static void every_id_and_name_points_at_something(void **state)
{
    static const char *const cases[][3] = {
        {"\"open_calls\": [0]", "\"open_calls\": [1]", "threads[0].open_calls[0] is not"},
        {"\"functions\": [{\"id\": 0, \"Count\"", "\"functions\": [{\"id\": 3, \"Count\"",
         "threads[0].functions[0].id is not the id of a function"},
        {"{\"c\": {\"Count\": 2}}", "{\"x\": {\"Count\": 2}}",
         "threads[0].categories.x is not the name of a category"},
        {"\"parent\": 0, \"start", "\"parent\": 1, \"start", "threads[0].parent is not"},
        {"\"tid\": 7", "\"tid\": -7", "threads[0].tid is not an integer from 0 on"},
        {"\"parent\": 1, \"folded\"", "\"parent\": 2, \"folded\"",
         "call_tree[2].parent is not the id of a node before it"},
        {"\"parent\": 1, \"folded\"", "\"parent\": -1, \"folded\"", "call_tree[2].parent is not"},
        {"\"parent\": 1, \"folded\"", "\"parent\": 1e0, \"folded\"", "call_tree[2].parent is not"},
        {"{\"id\": 1, \"parent\"", "{\"id\": 2, \"parent\"", "call_tree[1].id is not its place"},
        {"null, \"function\": 0", "null, \"function\": 4294967296", "call_tree[0].function is not"},
        {"\"category\": \"c\"}, {", "\"category\": \"d\"}, {", "call_tree[1].category is not"},
        {"\"folded\": true", "\"folded\": false", "call_tree[2] has no function"},
        {"\"function\": 0, \"excess", "\"function\": 9, \"excess",
         "frames.F.worst[0].functions[0].function is not the id of a function"},
        {"{\"category\": \"c\"}]", "{}]", "frames.F.blame[0] has no function"},
        {"{\"thread\": 0, \"start", "{\"thread\": 1, \"start", "frames.F.worst[0].thread is not"},
    };
    json_decref(read_ok(everything));
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        expect_fault(cases[i][0], cases[i][1], cases[i][2]);
}

static void numbers_of_the_wrong_kind_are_named(void **state)
{
    static const char *const cases[][3] = {
        {"\"Sum\": -5", "\"Sum\": 0.5", "counters.n.Sum is not an integer"},
        {"[0.5, 2, 1]", "[0.4, 2, 1]", "values.v.histogram[1] is no bucket"},
        {"[0.5, 2, 1]", "[0.5, 2, 1.5]", "values.v.histogram[1] is no bucket"},
        {"\"missed\": 1", "\"missed\": \"1\"", "frames.F.missed is not an integer from 0 on"},
        {"[0, 1, 2, 3, 4]", "[0, 1, 2, 3]", "frames.F.series[0].buckets[0] is not five numbers"},
        {"\"start_ms\": 1", "\"start_ms\": -1",
         "frames.F.worst[0].start_ms is not a number from 0"},
        {"\"tid\": 7", "\"tid\": 99999999999999999999", "too big integer"},
        {"\"start_ms\": 1", "\"start_ms\": 1e999", "real number overflow"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        expect_fault(cases[i][0], cases[i][1], cases[i][2]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_least_report_is_taken_as_it_is),
        cmocka_unit_test(keys_of_later_versions_are_no_fault),
        cmocka_unit_test(numbers_may_be_whole),
        cmocka_unit_test(a_cut_report_is_a_fault_at_its_end_at_every_byte),
        cmocka_unit_test(the_place_of_a_fault_is_its_line_and_column),
        cmocka_unit_test(a_fault_of_content_has_no_place_but_a_name),
        cmocka_unit_test(another_schema_is_told_by_its_number),
        cmocka_unit_test(buckets_hold_three_growing_integers),
        cmocka_unit_test(every_id_and_name_points_at_something),
        cmocka_unit_test(numbers_of_the_wrong_kind_are_named),
        cmocka_unit_test(words_of_the_input_are_made_harmless),
        cmocka_unit_test(ten_thousand_brackets_are_a_fault_and_no_crash),
        cmocka_unit_test(a_file_larger_than_the_first_buffer_is_read_whole),
        cmocka_unit_test(a_file_that_is_not_there_gives_the_systems_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

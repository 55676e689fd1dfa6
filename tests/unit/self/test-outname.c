/* SPDX-License-Identifier: MIT
 *
 * Report names from what users write, step by step. */
#include "self/outname.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static const struct outname_values values = {
    .directory = "/home/u", .program = "app", .host = "node7", .rank = "3", .pid = 4242};

static void expect_pattern(const char *wish, int is_descendant, const char *expected)
{
    struct outname_values with = values;
    with.is_descendant = is_descendant;
    char pattern[256];
    assert_true(outname_pattern(wish, &with, pattern, sizeof pattern));
    assert_string_equal(pattern, expected);
}

static void placeholders_are_filled_and_the_name_is_absolute(void **state)
{
    expect_pattern("profiling_results.json", 0, "/home/u/profiling_results.json");
    expect_pattern("/tmp/x.json", 0, "/tmp/x.json");
    expect_pattern("%n-%h-%r-%p.json", 0, "/home/u/app-node7-3-4242.json");
    expect_pattern("a%%b%s.json", 0, "/home/u/a%%b%s.json");
}

static void what_is_no_placeholder_stands_for_itself(void **state)
{
    char name[64];
    expect_pattern("/%q%", 0, "/%%q%%");
    assert_true(outname_fill("/%%q%%", 1, name, sizeof name));
    assert_string_equal(name, "/%q%");
}

static void a_descendants_pid_stands_before_the_extension(void **state)
{
    expect_pattern("r.json", 1, "/home/u/r.4242.json");
    expect_pattern("r.tar.gz", 1, "/home/u/r.tar.4242.gz");
    expect_pattern("r", 1, "/home/u/r.4242");
    expect_pattern("/a.b/r", 1, "/a.b/r.4242");
    expect_pattern("/a/.r", 1, "/a/.r.4242");
    expect_pattern("%%p.json", 1, "/home/u/%%p.4242.json");
}

static void a_name_with_the_pid_gets_no_second_one(void **state)
{
    expect_pattern("r-%p.json", 1, "/home/u/r-4242.json");
    expect_pattern("%%%p", 1, "/home/u/%%4242");
}

static void peers_are_told_apart_by_their_rank(void **state)
{
    struct outname_values peer = values;
    char pattern[64];
    const char *const names[][2] = {{"/r.json", "/r.3.json"},
                                    {"/r-%h", "/r-node7.3"},
                                    {"/r%r.json", "/r3.json"},
                                    {"/r%p.json", "/r4242.json"},
                                    {"/%%r", "/%%r.3"}};
    peer.has_peers = true;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        assert_true(outname_pattern(names[i][0], &peer, pattern, sizeof pattern));
        assert_string_equal(pattern, names[i][1]);
    }
    peer.is_descendant = true; /* its pid is enough */
    assert_true(outname_pattern("/r.json", &peer, pattern, sizeof pattern));
    assert_string_equal(pattern, "/r.4242.json");
}

static void percent_signs_of_the_directory_are_no_placeholders(void **state)
{
    struct outname_values with = values;
    with.directory = "/50%s/x";
    char pattern[64], name[64];
    assert_true(outname_pattern("r", &with, pattern, sizeof pattern));
    assert_true(outname_fill(pattern, 9, name, sizeof name));
    assert_string_equal(name, "/50%s/x/r");
}

static void the_snapshots_number_comes_last(void **state)
{
    char name[64];
    assert_true(outname_fill("/a-%s.json", 12, name, sizeof name));
    assert_string_equal(name, "/a-12.json");
}

static void an_absolute_wish_keeps_its_placeholders_wherever_it_is_read(void **state)
{
    char absolute[64], pattern[64], name[64];
    assert_true(outname_absolute("r-%p", "/50%/x", absolute, sizeof absolute));
    assert_string_equal(absolute, "/50%%/x/r-%p");
    assert_true(outname_pattern(absolute, &values, pattern, sizeof pattern));
    assert_true(outname_fill(pattern, 0, name, sizeof name));
    assert_string_equal(name, "/50%/x/r-4242");
    assert_true(outname_absolute("/r", "/x", absolute, sizeof absolute));
    assert_string_equal(absolute, "/r");
}

static void what_does_not_fit_is_refused_and_cut(void **state)
{
    char small[12];
    assert_false(outname_pattern("profiling_results.json", &values, small, sizeof small));
    assert_true(strlen(small) < sizeof small);
    strcpy(small, "/abcdefgh.j");
    assert_false(outname_insert(small, sizeof small, ".1"));
    assert_string_equal(small, "/abcdefgh.j");
    assert_false(outname_fill("/abcdefghijkl", 0, small, sizeof small));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(placeholders_are_filled_and_the_name_is_absolute),
        cmocka_unit_test(what_is_no_placeholder_stands_for_itself),
        cmocka_unit_test(a_descendants_pid_stands_before_the_extension),
        cmocka_unit_test(a_name_with_the_pid_gets_no_second_one),
        cmocka_unit_test(peers_are_told_apart_by_their_rank),
        cmocka_unit_test(percent_signs_of_the_directory_are_no_placeholders),
        cmocka_unit_test(the_snapshots_number_comes_last),
        cmocka_unit_test(an_absolute_wish_keeps_its_placeholders_wherever_it_is_read),
        cmocka_unit_test(what_does_not_fit_is_refused_and_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

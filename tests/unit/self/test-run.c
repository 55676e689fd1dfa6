/* SPDX-License-Identifier: MIT
 *
 * Who is the first of a run. The test program stands for a preloaded one: the "library" that its
 * children look for in it is its own file. */
#include "self/run.h"

#include "self/identity.h"

#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static void a_process_that_is_told_nothing_is_the_first_of_its_own(void **state)
{
    char run[RUN_BYTES];
    assert_true(run_find(run, 42, 777, NULL, "/no/such-library.so"));
    assert_string_equal(run, "42:777");
    assert_true(run_find(run, 42, 777, NULL, ""));
}

static void being_told_its_own_name_it_is_the_first_still(void **state)
{
    char run[RUN_BYTES];
    assert_true(run_find(run, 42, 777, "42:777", ""));
    assert_string_equal(run, "42:777");
}

static void being_told_anothers_it_belongs_to_that(void **state)
{
    char run[RUN_BYTES];
    assert_false(run_find(run, 42, 777, "42:778", ""));
    assert_string_equal(run, "42:778");
    assert_false(run_find(run, 42, 777, "1:2", ""));
    assert_string_equal(run, "1:2");
}

static void a_malformed_name_counts_as_none(void **state)
{
    static const char *const names[] = {
        "",      ":",    "1:",
        ":1",    "a:1",  "1:2x",
        "1:2:3", "-1:2", "1111111111111111111111111:1111111111111111111111111111"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char run[RUN_BYTES];
        assert_true(run_find(run, 42, 777, names[i], ""));
        assert_string_equal(run, "42:777");
    }
}

/* In a forked child, whose parent (this program) has `library` mapped and named in its environment.
 */
static void a_child_that_is_told_nothing_belongs_to_its_ancestors_run(void **state)
{
    char library[PATH_MAX], expected[64];
    library[identity_executable(library, sizeof library - 1)] = '\0';
    snprintf(expected, sizeof expected, "%d:%llu", getpid(),
             (unsigned long long)identity_stat(identity_pid()).start_time);
    pid_t child = fork();
    if (!child) {
        char run[RUN_BYTES] = "";
        bool is_first =
            run_find(run, identity_pid(), identity_stat(identity_pid()).start_time, NULL, library);
        _exit(!is_first && strcmp(run, expected) == 0 ? 0 : 1);
    }
    int status;
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
}

int main(int argc, char **argv)
{
    /* The environment of a preloaded process names the library; so ours must, from the start. */
    if (!getenv("LD_LIBRARY_PRELOADED")) {
        setenv("LD_LIBRARY_PRELOADED", argv[0], 1);
        execv("/proc/self/exe", argv);
        return 1;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_process_that_is_told_nothing_is_the_first_of_its_own),
        cmocka_unit_test(being_told_its_own_name_it_is_the_first_still),
        cmocka_unit_test(being_told_anothers_it_belongs_to_that),
        cmocka_unit_test(a_malformed_name_counts_as_none),
        cmocka_unit_test(a_child_that_is_told_nothing_belongs_to_its_ancestors_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT
 *
 * What the kernel says of this process, against libc's answers. */
#include "self/identity.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static void pid_tid_and_parent_are_libcs(void **state)
{
    assert_int_equal(identity_pid(), getpid());
    assert_int_equal(identity_tid(), gettid());
    assert_int_equal(identity_stat(identity_pid()).parent_pid, getppid());
}

static void the_start_time_survives_a_name_full_of_parentheses(void **state)
{
    uint64_t before = identity_stat(identity_pid()).start_time;
    assert_true(before > 0);
    char old[16];
    prctl(PR_GET_NAME, old);
    prctl(PR_SET_NAME, "a) 1 2 (b) 3");
    assert_int_equal(identity_stat(identity_pid()).start_time, before);
    prctl(PR_SET_NAME, old);
}

static void a_process_that_is_not_there_has_zeros(void **state)
{
    struct identity_stat stat = identity_stat(UINT32_MAX);
    assert_int_equal(stat.parent_pid, 0);
    assert_int_equal(stat.start_time, 0);
}

static void host_and_executable_are_libcs(void **state)
{
    char host[256], expected[256], path[4096], linked[4096];
    gethostname(expected, sizeof expected);
    assert_int_equal(identity_host(host, sizeof host), strlen(expected));
    assert_string_equal(host, expected);
    assert_int_equal(identity_host(host, 2), 1);
    size_t length = identity_executable(path, sizeof path);
    assert_int_equal(length, readlink("/proc/self/exe", linked, sizeof linked));
    assert_memory_equal(path, linked, length);
}

static void a_missing_file_gives_its_error(void **state)
{
    char data[8];
    assert_int_equal(identity_read_file("/nonexistent", data, sizeof data), -ENOENT);
}

/* In a child's environment of `bytes` bytes before it. */
static void expect_mentioned(size_t bytes)
{
    char *filler = calloc(1, bytes + 3), *const environment[] = {filler, "MARK=here", "Z=1", NULL};
    char *const arguments[] = {"sleep", "60", NULL};
    memset(filler, 'F', bytes + 1);
    filler[1] = '=';
    int ends[2];
    assert_int_equal(pipe2(ends, 02000000 /* O_CLOEXEC */), 0);
    pid_t child = fork();
    if (!child) {
        execve("/bin/sleep", arguments, environment);
        _exit(127);
    }
    close(ends[1]);
    assert_int_equal(read(ends[0], filler, 1), 0); /* closed by the exec */
    char rest[16];
    assert_true(identity_file_mentions((uint32_t)child, "environ", "MARK=", rest, sizeof rest));
    assert_string_equal(rest, "here");
    assert_true(identity_file_mentions((uint32_t)child, "environ", "Z=", rest, sizeof rest));
    assert_string_equal(rest, "1");
    assert_false(identity_file_mentions((uint32_t)child, "environ", "MARKS=", rest, sizeof rest));
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    close(ends[0]);
    free(filler);
}

static void a_text_is_found_wherever_the_reads_cut_it(void **state)
{
    for (size_t bytes = 480; bytes < 530; bytes++) expect_mentioned(bytes);
    expect_mentioned(1);
    expect_mentioned(100000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pid_tid_and_parent_are_libcs),
        cmocka_unit_test(the_start_time_survives_a_name_full_of_parentheses),
        cmocka_unit_test(a_process_that_is_not_there_has_zeros),
        cmocka_unit_test(host_and_executable_are_libcs),
        cmocka_unit_test(a_missing_file_gives_its_error),
        cmocka_unit_test(a_text_is_found_wherever_the_reads_cut_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT
 *
 * Endings and what they leave: one report, or a store that is kept. */
#include "life/finish.h"

#include "fake-companion.h"

#include "life/start.h"

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static void end_twice(void)
{
    fake_record();
    finish_process(STORE_ENDING_EXIT, 3);
    finish_process(STORE_ENDING_EXIT, 4);
    _exit(3);
}

static void two_endings_make_one_report(void **state)
{
    assert_int_equal(fake_child(end_twice), 3 << 8);
    assert_string_equal(fake_report(".json"), "1 3 0 0 1");
    assert_int_equal(fake_files(""), 1); /* and no store */
}

static void end_unrecorded(void)
{
    finish_process(STORE_ENDING_EXIT, 3);
    finish_before_exec();
    _exit(finish_snapshot(NULL) == -ESRCH ? 5 : 6);
}

static void who_recorded_nothing_leaves_nothing(void **state)
{
    assert_int_equal(fake_child(end_unrecorded), 5 << 8);
    assert_int_equal(fake_files(""), 0);
}

static void a_failed_report_keeps_the_store(void **state)
{
    fake_write = FAKE_FAILS;
    assert_int_equal(fake_child(end_twice), 3 << 8);
    assert_int_equal(fake_files(".json"), 0);
    assert_int_equal(fake_files(".store"), 1);
}

static void a_report_that_hangs_is_given_up(void **state)
{
    fake_write = FAKE_HANGS;
    assert_int_equal(fake_child(end_twice), 3 << 8);
    assert_int_equal(fake_files(".store"), 1);
}

static void a_report_that_faults_is_given_up(void **state)
{
    fake_write = FAKE_FAULTS;
    assert_int_equal(fake_child(end_twice), 3 << 8);
    assert_int_equal(fake_files(".store"), 1);
}

static void without_a_companion_the_store_is_kept(void **state)
{
    fake_is_closed = 1;
    assert_int_equal(fake_child(end_twice), 3 << 8);
    assert_int_equal(fake_files(".json"), 0);
    assert_int_equal(fake_files(".store"), 1);
}

static void snapshot_and_end(void)
{
    char path[5000];
    fake_record();
    if (finish_snapshot(NULL)) _exit(1);
    snprintf(path, sizeof path, "%s.other", process.settings.out);
    if (finish_snapshot(path)) _exit(2);
    if (store_head(&process.store)->snapshots != 2) _exit(4);
    finish_process(STORE_ENDING_EXIT, 0);
    _exit(finish_snapshot(NULL) == -ESRCH ? 0 : 5);
}

static void snapshots_do_not_end_the_process(void **state)
{
    assert_int_equal(fake_child(snapshot_and_end), 0);
    assert_string_equal(fake_report(".other"), "snapshot 0 0 0 0 2");
    fake_child(end_unrecorded);
    assert_int_equal(fake_files(".store"), 0);
    assert_int_equal(fake_files(""), 2);
}

/* Where the process stands now, not where it began. */
static void snapshot_by_names(void)
{
    static char too_long[5000];
    char directory[4096], *slash;
    memset(too_long, 'x', sizeof too_long - 1);
    fake_record();
    strcpy(directory, process.settings.out);
    slash = strrchr(directory, '/');
    *slash = '\0';
    if (chdir(directory)) _exit(1);
    if (finish_snapshot("relative")) _exit(2);
    if (access("relative", F_OK)) _exit(3);
    if (finish_snapshot("") != -ENOENT) _exit(4);
    errno = 77;
    if (finish_snapshot(too_long) != -ENAMETOOLONG || errno != 77) _exit(5);
    if (mkdir("gone", 0700) || chdir("gone") || rmdir("../gone")) _exit(6);
    if (finish_snapshot("relative") != -ENOENT) _exit(7);
    if (store_head(&process.store)->snapshots != 1) _exit(8);
    finish_process(STORE_ENDING_EXIT, 0);
    _exit(0);
}

static void a_relative_name_begins_where_the_process_stands(void **state)
{
    assert_int_equal(fake_child(snapshot_by_names), 0);
    assert_string_equal(fake_report("relative"), "snapshot 0 0 0 0 1");
    assert_int_equal(fake_files(""), 2);
}

static void snapshot_by_a_claimed_thread(void)
{
    fake_record();
    if (!finish_claim()) _exit(1);
    if (finish_snapshot(NULL) != -EBUSY) _exit(2); /* as in a handler that interrupts a report */
    finish_release(false);
    finish_before_exec();
    if (finish_snapshot(NULL) != -EBUSY) _exit(3);
    finish_exec_failed();
    if (finish_snapshot(NULL)) _exit(4);
    _exit(0);
}

static void who_is_reporting_gets_no_second_report(void **state)
{
    assert_int_equal(fake_child(snapshot_by_a_claimed_thread), 0);
    assert_int_equal(fake_files("exec"), 0);
}

static void *takes_many(void *failures)
{
    for (int i = 0; i < 200; i++)
        if (finish_snapshot(NULL)) __atomic_fetch_add((int *)failures, 1, __ATOMIC_RELAXED);
    return NULL;
}

static void snapshots_at_once(void)
{
    pthread_t threads[3];
    int failures = 0;
    fake_record();
    for (int i = 0; i < 3; i++) pthread_create(&threads[i], NULL, takes_many, &failures);
    for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
    _exit(failures || store_head(&process.store)->snapshots != 600);
}

static void snapshots_of_several_threads_take_turns(void **state)
{
    assert_int_equal(fake_child(snapshots_at_once), 0);
    assert_string_equal(fake_report(".json"), "snapshot 0 0 0 0 600");
}

static void failing_exec(void)
{
    fake_record();
    finish_before_exec();
    if (access(process.store.path, F_OK) == 0) _exit(1);
    finish_exec_failed();
    if (store_head(&process.store)->ending.kind != STORE_ENDING_NONE) _exit(2);
    finish_exec_failed(); /* nothing to undo */
    finish_process(STORE_ENDING_EXIT, 0);
    _exit(0);
}

static void a_failed_exec_leaves_the_later_report_alone(void **state)
{
    assert_int_equal(fake_child(failing_exec), 0);
    assert_int_equal(fake_files("exec"), 0);
    assert_string_equal(fake_report(".json"), "1 0 0 0 2");
}

static void exec_true(void)
{
    fake_record();
    finish_before_exec();
    execl("/bin/true", "true", (char *)0);
    _exit(1);
}

static void the_life_before_an_exec_has_its_report(void **state)
{
    assert_int_equal(fake_child(exec_true), 0);
    assert_string_equal(fake_report(".exec1.json"), "3 0 0 0 1");
    assert_int_equal(fake_files(""), 1);
}

static void vfork_and_end(void)
{
    fake_record();
    pid_t child = vfork();
    if (child == 0) {
        finish_process(STORE_ENDING_EXIT, 7);
        finish_before_exec();
        finish_exec_failed();
        _exit(7);
    }
    int status;
    waitpid(child, &status, 0);
    if (status != 7 << 8 || store_head(&process.store)->ending.kind) _exit(1);
    finish_process(STORE_ENDING_EXIT, 0);
    _exit(0);
}

static void a_child_of_vfork_ends_without_a_report(void **state)
{
    assert_int_equal(fake_child(vfork_and_end), 0);
    assert_string_equal(fake_report(".json"), "1 0 0 0 1");
}

static void exit_registered(void)
{
    finish_register();
    fake_record();
    exit(21);
}

static void exit_is_seen_with_its_status(void **state)
{
    assert_int_equal(fake_child(exit_registered), 21 << 8);
    assert_string_equal(fake_report(".json"), "1 21 0 0 1");
}

static void quick_exit_registered(void)
{
    finish_register();
    fake_record();
    finish_note_quick_exit(22); /* by the wrapper */
    quick_exit(22);
}

static void quick_exit_is_seen_with_its_status(void **state)
{
    assert_int_equal(fake_child(quick_exit_registered), 22 << 8);
    assert_string_equal(fake_report(".json"), "1 22 0 0 1");
}

int main(void)
{
#define CASE(test) cmocka_unit_test_setup_teardown(test, fake_set_up, fake_tear_down)
    const struct CMUnitTest tests[] = {
        CASE(two_endings_make_one_report),
        CASE(who_recorded_nothing_leaves_nothing),
        CASE(a_failed_report_keeps_the_store),
        CASE(a_report_that_hangs_is_given_up),
        CASE(a_report_that_faults_is_given_up),
        CASE(without_a_companion_the_store_is_kept),
        CASE(snapshots_do_not_end_the_process),
        CASE(a_relative_name_begins_where_the_process_stands),
        CASE(who_is_reporting_gets_no_second_report),
        CASE(snapshots_of_several_threads_take_turns),
        CASE(a_failed_exec_leaves_the_later_report_alone),
        CASE(the_life_before_an_exec_has_its_report),
        CASE(a_child_of_vfork_ends_without_a_report),
        CASE(exit_is_seen_with_its_status),
        CASE(quick_exit_is_seen_with_its_status),
    };
    return cmocka_run_group_tests_name("life/finish", tests, NULL, NULL);
}

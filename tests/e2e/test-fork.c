/* SPDX-License-Identifier: MIT
 *
 * Children: each starts from zero and has a report of its own; the parent's is as if there were
 * none. */
#include "cases.h"

static void check_fork(const char *way, const char *how)
{
    struct both both;
    struct run_spec spec = {.target = "forks", .args = {way, how}};
    both_run_bare(&both, &spec);
    assert_int_equal(WEXITSTATUS(both.plain.status), 6);
    both_check_left(&both, NULL);
    both.report = report_load(&both.stint, "profiling_results.json", CHECK_ALL);
    check_truth(both.report, both.stint.out);
    if (report_others(&both.stint) != 1)
        fail_msg("%s, %s: reports \"%s\"", way, how, run_list(&both.stint, "out"));
    json_t *child = report_load_other(&both.stint, 0, CHECK_CHILD);
    char *truth = run_read(run_path(&both.stint, "work/child-truth"));
    assert_non_null(truth);
    assert_int_equal(report_calls(child, "step"), 70);
    assert_int_equal(report_calls(child, "in_child"), 1);
    assert_int_equal(report_calls(child, "main"), 0);
    assert_int_equal(report_open(child, "main"), 1);
    const json_t *process = json_object_get(child, "process");
    assert_int_equal(integer_at(process, "parent_pid"),
                     integer_at(json_object_get(both.report, "process"), "pid"));
    assert_string_equal(string_at(process, "run"),
                        string_at(json_object_get(both.report, "process"), "run"));
    assert_int_equal(integer_at(json_object_get(process, "ending"), "status"), 5);
    assert_int_equal(json_array_size(json_object_get(child, "threads")), 1);
    json_decref(child);
    free(truth);
    both_fini(&both);
}

static void a_forked_child_starts_from_zero(void **state)
{
    check_fork("fork", "exit");
    check_fork("fork", "_exit");
}

static void a_child_of_other_forks_starts_from_zero(void **state)
{
    check_fork("_Fork", "_exit");
    check_fork("raw-fork", "_exit");
    check_fork("raw-clone", "_exit");
}

static void a_follow_of_0_records_the_first_process_alone(void **state)
{
    struct both both;
    struct run_spec spec = {.target = "forks", .args = {"fork", "exit"}, .env = {"STINT_FOLLOW=0"}};
    both_run(&both, &spec);
    both_fini(&both);
    both_run(&both, &(struct run_spec){.target = "commands", .env = {"STINT_FOLLOW=0"}});
    both_fini(&both);
}

static void forks_beside_busy_threads_do_no_harm(void **state)
{
    struct both both;
    struct run_spec spec = {.target = "forks-in-threads", .args = {"100"}, .truth_varies = true};
    both_run_bare(&both, &spec);
    both_check_left(&both, NULL);
    both.report = report_load(&both.stint, "profiling_results.json", CHECK_ALL);
    check_truth(both.report, both.stint.out);
    const char *children = strstr(both.stint.out, "number children ");
    assert_non_null(children);
    assert_int_equal(report_others(&both.stint), atol(children + strlen("number children ")));
    for (size_t i = 0; i < report_others(&both.stint); i += 25) {
        json_t *child = report_load_other(&both.stint, i, CHECK_CHILD);
        assert_int_equal(report_calls(child, "child_step"), 1);
        assert_int_equal(report_calls(child, "busy_step"), 0);
        json_decref(child);
    }
    both_fini(&both);
}

static void vfork_children_share_the_parents_recording(void **state)
{
    struct both both;
    both_run(&both, &(struct run_spec){.target = "vforks"});
    both_fini(&both);
}

static void check_commands(const char *arg, const char *const *env, size_t children)
{
    struct both both;
    struct run_spec spec = {.target = "commands", .args = {arg}};
    for (size_t i = 0; env[i]; i++) spec.stint_env[i] = env[i];
    both_run_bare(&both, &spec);
    assert_int_equal(both.plain.status, 0);
    both_check_left(&both, NULL);
    both.report = report_load(&both.stint, "profiling_results.json", CHECK_ALL);
    check_truth(both.report, both.stint.out);
    if (report_others(&both.stint) != children)
        fail_msg("reports: %s", run_list(&both.stint, "out"));
    for (size_t i = 0; i < children; i++) {
        json_t *child = report_load_other(&both.stint, i, CHECK_ALL);
        assert_int_equal(report_calls(child, "child_step"), 9);
        assert_int_equal(report_calls(child, "main"), 1);
        json_decref(child);
    }
    both_fini(&both);
}

static void spawned_commands_have_reports_of_their_own(void **state)
{
    check_commands(NULL, (const char *const[]){NULL}, 3);
}

/* A preload and an output named relative to a directory that the program leaves. system and popen
 * hand on `environ` as it is: a documented limit. */
static void relative_names_hold_after_a_chdir(void **state)
{
    char library[4096]; /* above / is / */
    snprintf(library, sizeof library, "LD_PRELOAD=../../../../../../../../../../../..%s",
             run_setting("STINT_LIBRARY"));
    check_commands("chdir",
                   (const char *const[]){library, "STINT_OUT=../out/profiling_results.json", NULL},
                   1);
}

static void check_daemon(const char *arg)
{
    struct both both;
    both_run_bare(&both, &(struct run_spec){.target = "daemon", .args = {arg}});
    assert_int_equal(both.plain.status, 0);
    both_check_left(&both, "profiling_results.json");
    both.report = report_load(&both.stint, "profiling_results.json", CHECK_ALL);
    char *truth = run_read(run_path(&both.stint, "work/daemon-truth"));
    assert_non_null(truth);
    assert_non_null(strstr(truth, "descriptors own 1"));
    check_truth(both.report, truth);
    free(truth);
    both_fini(&both);
}

static void a_program_that_closes_every_descriptor_keeps_its_numbers(void **state)
{
    check_daemon("stays");
}

static void a_daemon_has_its_report_where_it_started(void **state)
{
    struct both both;
    both_run_bare(&both, &(struct run_spec){.target = "daemon", .args = {"daemon"}});
    assert_int_equal(both.plain.status, 0);
    both_check_left(&both, NULL);
    assert_int_equal(report_others(&both.stint), 1);
    json_t *daemon = report_load_other(&both.stint, 0, CHECK_CHILD);
    assert_int_equal(report_calls(daemon, "serve"), 50);
    assert_int_equal(report_calls(daemon, "main"), 0);
    json_decref(daemon);
    both.report = report_load(&both.stint, "profiling_results.json", CHECK_ALL);
    assert_int_equal(report_calls(both.report, "serve"), 1);
    both_fini(&both);
}

/* A script that starts two hundred programs that record nothing: no file of any kind. */
static void a_shell_script_leaves_no_stray_file(void **state)
{
    struct both both;
    struct run_spec spec = {
        .target = "/bin/sh",
        .args = {"-c",
                 "i=0; while [ $i -lt 200 ]; do /bin/true; (exit 3); i=$((i+1)); done; echo $i"}};
    both_run_bare(&both, &spec);
    both_check_left(&both, "");
    both_fini(&both);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_forked_child_starts_from_zero),
        cmocka_unit_test(a_child_of_other_forks_starts_from_zero),
        cmocka_unit_test(a_follow_of_0_records_the_first_process_alone),
        cmocka_unit_test(forks_beside_busy_threads_do_no_harm),
        cmocka_unit_test(vfork_children_share_the_parents_recording),
        cmocka_unit_test(spawned_commands_have_reports_of_their_own),
        cmocka_unit_test(relative_names_hold_after_a_chdir),
        cmocka_unit_test(a_daemon_has_its_report_where_it_started),
        cmocka_unit_test(a_shell_script_leaves_no_stray_file),
        cmocka_unit_test(a_program_that_closes_every_descriptor_keeps_its_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT
 *
 * A process that becomes another program: one report a life. */
#include "cases.h"

static void check_first_life(const struct both *both, json_t *first)
{
    assert_string_equal(report_ending(first, "kind"), "exec");
    char *truth = run_read(run_path(&both->stint, "work/first-truth"));
    assert_non_null(truth);
    check_truth(first, truth);
    assert_int_equal(report_open(first, "goes"), 1);
    free(truth);
}

static void check_exec(const char *way)
{
    struct both both;
    both_run_bare(&both, &(struct run_spec){.target = "execs", .args = {way}});
    assert_int_equal(WEXITSTATUS(both.plain.status), 8);
    both_check_left(&both, NULL);
    both.report = report_load(&both.stint, "profiling_results.json", CHECK_ALL);
    assert_string_equal(report_ending(both.report, "kind"), "exit");
    check_truth(both.report, both.stint.out);
    if (report_others(&both.stint) != 1) fail_msg("%s: %s", way, run_list(&both.stint, "out"));
    json_t *first = report_load_other(&both.stint, 0, CHECK_ALL);
    check_first_life(&both, first);
    json_decref(first);
    char expected[100], *names = run_list(&both.stint, "out");
    snprintf(expected, sizeof expected, "profiling_results.%lld.exec1.json profiling_results.json",
             integer_at(json_object_get(both.report, "process"), "pid"));
    assert_string_equal(names, expected);
    free(names);
    both_fini(&both);
}

static void each_life_has_its_report(void **state) { check_exec("execve"); }

static void every_exec_function_is_followed(void **state)
{
    static const char *const ways[] = {"execv",  "execvp", "execvpe", "execl",
                                       "execlp", "execle", "fexecve", "execveat"};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) check_exec(ways[i]);
}

static void a_program_given_an_empty_environment_is_not_followed(void **state)
{
    struct both both;
    both_run_bare(&both, &(struct run_spec){.target = "execs", .args = {"emptied"}});
    assert_int_equal(WEXITSTATUS(both.plain.status), 8);
    both_check_left(&both, NULL);
    assert_int_equal(report_others(&both.stint), 1);
    json_t *first = report_load_other(&both.stint, 0, CHECK_ALL);
    check_first_life(&both, first);
    json_decref(first);
    both_fini(&both);
}

/* After execs that failed: what was recorded before and after them is not lost to a SIGKILL. */
static void a_failed_exec_leaves_a_whole_store(void **state)
{
    struct run run;
    run_target(&run, &(struct run_spec){.target = "execs", .args = {"killed"}}, true);
    assert_int_equal(WTERMSIG(run.status), SIGKILL);
    assert_string_equal(run.err, "");
    json_t *report = report_recover(&run, CHECK_ALL);
    char *truth = run_read(run_path(&run, "work/first-truth"));
    check_truth(report, truth);
    assert_string_equal(report_ending(report, "kind"), "killed");
    json_decref(report);
    free(truth);
    run_fini(&run);
}

/* Beside another thread the file can't be had back: the recording goes on in memory. */
static void a_failed_exec_beside_threads_goes_on(void **state)
{
    struct both both;
    struct run_spec spec = {.target = "execs", .args = {"execve", "thread"}};
    both_run_bare(&both, &spec);
    assert_int_equal(WEXITSTATUS(both.plain.status), 8);
    assert_int_equal(report_others(&both.stint), 1);
    json_t *first = report_load_other(&both.stint, 0, CHECK_ALL);
    check_first_life(&both, first);
    json_decref(first);
    both_fini(&both);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_life_has_its_report),
        cmocka_unit_test(every_exec_function_is_followed),
        cmocka_unit_test(a_failed_exec_leaves_a_whole_store),
        cmocka_unit_test(a_failed_exec_beside_threads_goes_on),
        cmocka_unit_test(a_program_given_an_empty_environment_is_not_followed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

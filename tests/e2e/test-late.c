/* SPDX-License-Identifier: MIT
 *
 * After main: handlers, destructors, and what they start. */
#include "cases.h"

static void calls_after_main_are_counted(void **state)
{
    struct both both;
    both_run(&both, &(struct run_spec){.target = "late"});
    assert_int_equal(WEXITSTATUS(both.stint.status), 31);
    both_fini(&both);
}

static void a_recorded_process_that_is_killed_leaves_its_store(void **state)
{
    struct run run;
    run_target(&run, &(struct run_spec){.target = "deaths"}, true);
    assert_int_equal(WTERMSIG(run.status), SIGKILL);
    char *out = run_list(&run, "out"), *store = run_list(&run, "store");
    assert_string_equal(out, "");
    assert_memory_equal(store, "stint.", 6);
    assert_null(strchr(store, ' '));
    free(out), free(store);
    run_fini(&run);
}

/* By `stint recover`, as a user would after a bare preload. */
static void check_recovered(const char *target, const char *arg)
{
    struct run run;
    run_target(&run, &(struct run_spec){.target = target, .args = {arg}}, true);
    json_t *report = report_recover(&run, CHECK_ALL);
    check_truth(report, run.out);
    assert_string_equal(report_ending(report, "kind"), "killed");
    json_decref(report);
    run_fini(&run);
}

static void recover_gives_exact_counts_after_a_kill(void **state)
{
    check_recovered("deaths", NULL);
}

static void recover_gives_exact_counts_after_a_raw_exit(void **state)
{
    check_recovered("endings", "raw");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_after_main_are_counted),
        cmocka_unit_test(a_recorded_process_that_is_killed_leaves_its_store),
        cmocka_unit_test(recover_gives_exact_counts_after_a_kill),
        cmocka_unit_test(recover_gives_exact_counts_after_a_raw_exit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

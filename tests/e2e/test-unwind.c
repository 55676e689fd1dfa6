/* SPDX-License-Identifier: MIT
 *
 * Calls that end without their exit hook, and exits in an order of their own. */
#include "cases.h"

static void longjmp_closes_what_it_leaves(void **state)
{
    struct both both;
    both_run(&both, &(struct run_spec){.target = "longjmps"});
    /* the 30 ms of rest belong to nobody that was jumped out of */
    const json_t *jumps = report_function(both.report, "jumps");
    const json_t *rests = report_function(both.report, "rests");
    assert_true(real_at(report_function(both.report, "lands_and_rests"), "Total_ms") >= 30);
    assert_true(real_at(report_function(both.report, "main"), "Total_ms") >=
                real_at(jumps, "Total_ms") + real_at(rests, "Total_ms"));
    assert_int_equal(report_lost(both.report, "unmatched_exits"), 0);
    assert_int_equal(report_lost(both.report, "calls_too_deep"), 0);
    both_fini(&both);
}

static void a_loop_of_unseen_jumps_does_not_nest_for_ever(void **state)
{
    struct both both;
    both_run(&both, &(struct run_spec){.target = "jump-loop"});
    assert_int_equal(report_lost(both.report, "contexts_folded"), 0);
    assert_in_range(json_array_size(json_object_get(both.report, "call_tree")), 3, 20);
    both_fini(&both);
}

/* What a jump that is given up had begun does not keep the recorder busy. */
static void a_jump_that_a_handlers_jump_overtakes_is_given_up(void **state)
{
#if defined(__x86_64__)
    struct run run;
    long long leaves = 0;
    run_target(&run, &(struct run_spec){.target = "stepped-jumps"}, true);
    assert_int_equal(run.status, 0);
    json_t *report = report_load(&run, "profiling_results.json", CHECK_ALL);
    assert_int_equal(sscanf(run.out, "leaves %lld", &leaves), 1);
    assert_true(leaves > 300);
    long long lost = report_lost(report, "calls_while_busy");
    assert_int_equal(integer_at(report_function(report, "leaf"), "Count") + lost, leaves);
    /* of the jump's hundreds of steps those few in which it is ending */
    assert_true(lost < leaves / 20);
    json_decref(report);
    run_fini(&run);
#else
    skip_because("EFLAGS.TF is x86's");
#endif
}

static void longjmp_without_optimisation(void **state) { same_and_true("longjmps@O0"); }

/* Goes by __longjmp_chk. */
static void longjmp_in_fortified_code(void **state) { same_and_true("longjmps@fortified"); }

static void longjmp_in_clangs_code(void **state)
{
    if (access(run_target_path("longjmps@clang"), X_OK)) skip_because("no clang");
    same_and_true("longjmps@clang");
}

static void exceptions_through_gccs_hooks(void **state) { same_and_true("throws"); }

static void exceptions_through_clangs_hooks(void **state)
{
    if (access(run_target_path("throws@clang"), X_OK)) skip_because("no clang");
    same_and_true("throws@clang");
}

static void cancellation_and_thread_exit_unwind(void **state) { same_and_true("forced-unwind"); }

static void cancellation_unwinds_clangs_code(void **state)
{
    if (access(run_target_path("forced-unwind@clang"), X_OK)) skip_because("no clang");
    same_and_true("forced-unwind@clang");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(longjmp_closes_what_it_leaves),
        cmocka_unit_test(a_loop_of_unseen_jumps_does_not_nest_for_ever),
        cmocka_unit_test(a_jump_that_a_handlers_jump_overtakes_is_given_up),
        cmocka_unit_test(longjmp_without_optimisation),
        cmocka_unit_test(longjmp_in_fortified_code),
        cmocka_unit_test(longjmp_in_clangs_code),
        cmocka_unit_test(exceptions_through_gccs_hooks),
        cmocka_unit_test(exceptions_through_clangs_hooks),
        cmocka_unit_test(cancellation_and_thread_exit_unwind),
        cmocka_unit_test(cancellation_unwinds_clangs_code),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT
 *
 * Reports while the program goes on: by a signal, by a timer; what they say of one another, and
 * that the program notices nothing. */
#include "cases.h"

#define BY_SIGNAL "STINT_SNAPSHOT_SIGNAL=SIGUSR2"
#define NUMBERED "STINT_OUT=../out/s-%s.json"

/* A snapshot is valid and says that it is one. */
static json_t *snapshot(const struct run *run, const char *name)
{
    json_t *report = report_load(run, name, CHECK_RACING);
    assert_string_equal(report_ending(report, "kind"), "snapshot");
    return report;
}

static json_t *snapshot_number(const struct run *run, int n)
{
    char name[32];
    snprintf(name, sizeof name, "s-%d.json", n);
    return snapshot(run, name);
}

/* The final report is the one after the last snapshot, and has the truth. */
static json_t * final(const struct run *run, int snapshots)
{
    char name[32];
    snprintf(name, sizeof name, "s-%d.json", snapshots + 1);
    json_t *report = report_load(run, name, CHECK_ALL);
    assert_string_equal(report_ending(report, "kind"), "exit");
    check_truth(report, run->out);
    return report;
}

/* Plain and under stint alike, with so many snapshots. */
static void same_with(struct both *both, const char *mode, const char *argument, int snapshots)
{
    struct run_spec spec = {.target = "snapshots",
                            .args = {mode, argument},
                            .stint_env = {BY_SIGNAL, NUMBERED},
                            .truth_varies = true};
    both_run_bare(both, &spec);
    if (snapshots) json_decref(snapshot_number(&both->stint, snapshots));
    json_decref(final(&both->stint, snapshots));
}

static void check_same(const char *mode, int snapshots)
{
    struct both both;
    same_with(&both, mode, NULL, snapshots);
    both_fini(&both);
}

/* Everything that the earlier one counts, the later one counts too. */
static void check_counts(const char *what, const json_t *earlier, const json_t *later)
{
    long long before = integer_at(earlier, "Count"), after = integer_at(later, "Count");
    if (after < before) fail_msg("%s: %lld calls, then %lld", what, before, after);
    /* An open call's end may have been timed already by a hook that was interrupted just then. */
    if (json_object_get(earlier, "Open")) return;
    /* Each has its own, ever better, measure of a tick. */
    double total = real_at(earlier, "Total_ms"), now = real_at(later, "Total_ms");
    if (now < total * (1 - 1e-4)) fail_msg("%s: %.9g ms, then %.9g", what, total, now);
}

static void check_functions(const json_t *earlier, const json_t *later)
{
    const json_t *function;
    size_t i;
    json_array_foreach(json_object_get(earlier, "functions"), i, function)
    {
        const char *name = string_at(function, "name");
        const json_t *same = report_function(later, name);
        if (!same) fail_msg("%s is gone", name);
        check_counts(name, function, same);
    }
}

/* The thread's row of the function of this name. */
static const json_t *in_thread(const json_t *report, long long thread, const char *name)
{
    const json_t *functions = json_object_get(
        json_array_get(json_object_get(report, "threads"), (size_t)thread), "functions");
    long long id = integer_at(report_function(report, name), "id");
    const json_t *row;
    size_t i;
    json_array_foreach(functions, i, row) if (integer_at(row, "id") == id) return row;
    return NULL;
}

static void check_threads(const json_t *earlier, const json_t *later)
{
    const json_t *function, *thread;
    size_t i, k;
    assert_true(report_threads(later, NULL) >= report_threads(earlier, NULL));
    json_array_foreach(json_object_get(earlier, "threads"), i, thread)
    {
        json_array_foreach(json_object_get(earlier, "functions"), k, function)
        {
            const char *name = string_at(function, "name");
            const json_t *before = in_thread(earlier, (long long)i, name);
            const json_t *after = in_thread(later, (long long)i, name);
            if (before && !after) fail_msg("%s is gone from thread %zu", name, i);
            if (before) check_counts(name, before, after);
        }
    }
}

static void check_nodes(const json_t *earlier, const json_t *later)
{
    long long before = 0, after = 0;
    const json_t *node;
    size_t i;
    json_array_foreach(json_object_get(earlier, "call_tree"), i, node) before +=
        integer_at(node, "Count");
    json_array_foreach(json_object_get(later, "call_tree"), i, node) after +=
        integer_at(node, "Count");
    if (after < before) fail_msg("the tree: %lld calls, then %lld", before, after);
}

static void counts_never_go_back(void **state)
{
    enum { SNAPSHOTS = 30 };
    struct both both;
    json_t *reports[SNAPSHOTS + 1];
    same_with(&both, "many", "30", SNAPSHOTS);
    for (int n = 0; n < SNAPSHOTS; n++) reports[n] = snapshot_number(&both.stint, n + 1);
    reports[SNAPSHOTS] = final(&both.stint, SNAPSHOTS);
    for (int a = 0; a <= SNAPSHOTS; a++)
        for (int b = a + 1; b <= SNAPSHOTS; b++) {
            check_functions(reports[a], reports[b]);
            check_threads(reports[a], reports[b]);
            check_nodes(reports[a], reports[b]);
        }
    /* They went on between: the first one has not all. */
    assert_true(report_calls(reports[0], "leaf") < report_calls(reports[SNAPSHOTS], "leaf"));
    for (int n = 0; n <= SNAPSHOTS; n++) json_decref(reports[n]);
    both_fini(&both);
}

static void the_helper_is_no_thread_of_the_report(void **state)
{
    struct both both;
    same_with(&both, "many", "2", 2);
    json_t *report = snapshot_number(&both.stint, 2);
    assert_int_equal(report_threads(report, NULL), 3);
    assert_null(report_thread(report, "stint"));
    json_decref(report);
    both_fini(&both);
}

static void without_a_number_the_newest_replaces(void **state)
{
    struct both both;
    struct run_spec spec = {.target = "counts", .stint_env = {"STINT_SNAPSHOT_EVERY=1ms"}};
    both_run(&both, &spec);
    both_check_left(&both, "profiling_results.json");
    both_fini(&both);
}

static void the_programs_own_handler_is_called_too(void **state)
{
    struct both both;
    same_with(&both, "own-handler", NULL, 5);
    assert_non_null(strstr(both.stint.out, "handled 4\n"));
    both_fini(&both);
}

static void where_all_threads_block_the_signal_it_is_served(void **state)
{
    check_same("blocked", 20);
}

static void calls_are_restarted(void **state) { check_same("restarts", 5); }
static void a_signal_to_stints_own_thread_interrupts_nothing(void **state)
{
    check_same("waits", 5);
}

static void a_forked_child_is_served_too(void **state)
{
    struct both both;
    same_with(&both, "forks", NULL, 1);
    char *left = run_list(&both.stint, "out"), *child = strstr(left, "s-4.");
    assert_non_null(child);
    json_t *report = report_load(&both.stint, strtok(child, " "), CHECK_CHILD);
    assert_string_equal(report_ending(report, "kind"), "exit");
    assert_int_equal(report_calls(report, "leaf"), 1);
    json_decref(report);
    free(left);
    both_fini(&both);
}

static void in_a_child_that_nobody_saw_the_signal_does_nothing(void **state)
{
    check_same("raw-fork", 1);
}

static void a_program_whose_main_thread_leaves_still_ends(void **state)
{
    check_same("main-leaves", 1);
}

/* By the timer; how many come is the machine's affair. */
static void timed(struct both *both, const char *mode, const char *argument, const char *every)
{
    char setting[64];
    snprintf(setting, sizeof setting, "STINT_SNAPSHOT_EVERY=%s", every);
    struct run_spec spec = {.target = "snapshots",
                            .args = {mode, argument},
                            .stint_env = {setting, NUMBERED},
                            .truth_varies = true};
    both_run_bare(both, &spec);
}

static void a_timer_writes_them(void **state)
{
    struct both both;
    timed(&both, "awaits", "5", "3ms");
    for (int n = 1; n <= 5; n++) json_decref(snapshot_number(&both.stint, n));
    both_fini(&both);
}

static void the_programs_descriptors_are_its_own(void **state)
{
    struct both both;
    timed(&both, "descriptors", NULL, "1ms");
    assert_null(strstr(both.stint.out, "got"));
    both_fini(&both);
}

/* Whenever the end comes, also in the middle of a snapshot, there is one final report. */
static void the_end_waits_for_a_snapshot(void **state)
{
    for (int i = 0; i < 10; i++) {
        struct run run;
        struct run_spec spec = {.target = "snapshots",
                                .args = {"many", "0"},
                                .stint_env = {"STINT_SNAPSHOT_EVERY=1ms"}};
        run_target(&run, &spec, true);
        assert_int_equal(run.status, 0);
        json_t *report = report_load(&run, "profiling_results.json", CHECK_ALL);
        assert_string_equal(report_ending(report, "kind"), "exit");
        check_truth(report, run.out);
        json_decref(report);
        char *left = run_list(&run, "out"), *stores = run_list(&run, "store");
        assert_string_equal(left, "profiling_results.json");
        assert_string_equal(stores, "");
        free(left);
        free(stores);
        run_fini(&run);
    }
}

/* `stint run` with a program that ends by itself or is killed after three snapshots at least: the
 * report that it shows is the last one, and no snapshot has lost its place to it. */
static void run_by_command(const char *signal, const char *kind)
{
    struct run run;
    char target[512], shown[64];
    int last = 0, n;
    snprintf(target, sizeof target, "%s", run_target_path("snapshots"));
    struct run_spec spec = {
        .target = run_setting("STINT_COMMAND"),
        .args = {"run", "-o", "../out/s-%s.json", "--snapshot-every=3ms", target, "awaits", "3",
                 signal},
        .no_preload = true,
    };
    run_target(&run, &spec, true);
    char *left = run_list(&run, "out");
    for (char *name = left; (name = strstr(name, "s-")); name++)
        if (sscanf(name, "s-%d.json", &n) == 1 && n > last) last = n;
    assert_true(last > 3);
    for (n = 1; n < last; n++) {
        char name[64];
        snprintf(name, sizeof name, "out/s-%d.json", n);
        json_t *report = json_load_file(run_path(&run, name), 0, NULL);
        assert_string_equal(report_ending(report, "kind"), "snapshot");
        json_decref(report);
    }
    snprintf(shown, sizeof shown, "s-%d.json", last);
    json_t *report = report_load(&run, shown, CHECK_ALL);
    assert_string_equal(report_ending(report, "kind"), kind);
    const char *line = strstr(run.err, "stint: report: ");
    assert_non_null(line);
    assert_ptr_equal(strstr(line, shown), strpbrk(line, "\n") - strlen(shown));
    json_decref(report);
    free(left);
    run_fini(&run);
}

static void the_report_after_the_snapshots_is_shown(void **state) { run_by_command(NULL, "exit"); }

static void a_killed_programs_report_comes_after_its_snapshots(void **state)
{
    run_by_command("9", "killed");
}

static void who_recorded_nothing_writes_none(void **state)
{
    struct both both;
    struct run_spec spec = {.target = "nothing",
                            .stint_env = {BY_SIGNAL, "STINT_SNAPSHOT_EVERY=1ms"}};
    both_run_bare(&both, &spec);
    both_check_left(&both, "");
    both_fini(&both);
}

static void a_signal_that_is_needed_is_refused_in_one_line(void **state)
{
    static const char *const names[] = {"KILL", "SIGSTOP", "SEGV", "11",
                                        "TERM", "CHLD",    "33",   "65"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char setting[64], line[128];
        struct both both;
        snprintf(setting, sizeof setting, "STINT_SNAPSHOT_SIGNAL=%s", names[i]);
        struct run_spec spec = {.target = "counts", .stint_env = {setting}, .says = true};
        both_run(&both, &spec);
        snprintf(line, sizeof line, "stint: %s is not a signal", setting);
        assert_non_null(strstr(both.stint.err, line));
        assert_ptr_equal(strchr(both.stint.err, '\n'), strrchr(both.stint.err, '\n'));
        both_fini(&both);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_never_go_back),
        cmocka_unit_test(the_helper_is_no_thread_of_the_report),
        cmocka_unit_test(without_a_number_the_newest_replaces),
        cmocka_unit_test(the_programs_own_handler_is_called_too),
        cmocka_unit_test(where_all_threads_block_the_signal_it_is_served),
        cmocka_unit_test(calls_are_restarted),
        cmocka_unit_test(a_signal_to_stints_own_thread_interrupts_nothing),
        cmocka_unit_test(a_forked_child_is_served_too),
        cmocka_unit_test(in_a_child_that_nobody_saw_the_signal_does_nothing),
        cmocka_unit_test(a_program_whose_main_thread_leaves_still_ends),
        cmocka_unit_test(a_timer_writes_them),
        cmocka_unit_test(the_programs_descriptors_are_its_own),
        cmocka_unit_test(the_end_waits_for_a_snapshot),
        cmocka_unit_test(the_report_after_the_snapshots_is_shown),
        cmocka_unit_test(a_killed_programs_report_comes_after_its_snapshots),
        cmocka_unit_test(who_recorded_nothing_writes_none),
        cmocka_unit_test(a_signal_that_is_needed_is_refused_in_one_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

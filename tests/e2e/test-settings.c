/* SPDX-License-Identifier: MIT
 *
 * Each variable does what its page says; a bad value is one line and the default. */
#include "cases.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>

/* The name of the one report, for a STINT_OUT with placeholders. */
static void check_out_name(const char *setting, const char *target, const char *expected)
{
    struct run run;
    run_target(&run,
               &(struct run_spec){.target = target, .env = {setting, "OMPI_COMM_WORLD_RANK=7"}},
               true);
    char *out = run_list(&run, "out");
    json_t *report = report_load(&run, out, CHECK_ALL);
    char pid[32], host[300], filled[700];
    snprintf(pid, sizeof pid, "%lld", integer_at(json_object_get(report, "process"), "pid"));
    gethostname(host, sizeof host);
    snprintf(filled, sizeof filled, expected, !strcmp(setting, "STINT_OUT=../out/%h") ? host : pid);
    assert_string_equal(out, filled);
    json_decref(report);
    free(out);
    run_fini(&run);
}

static void out_may_have_placeholders(void **state)
{
    check_out_name("STINT_OUT=../out/a-%p.json", "counts", "a-%s.json");
    check_out_name("STINT_OUT=../out/%n.json", "counts", "counts.json");
    check_out_name("STINT_OUT=../out/%h", "counts", "%s");
    check_out_name("STINT_OUT=../out/rank-%r.json", "counts", "rank-7.json");
    check_out_name("STINT_OUT=../out/100%%.json", "counts", "100%%.json");
}

/* nginx, PostgreSQL and sendmail write a title over their arguments and their environment. */
static void a_title_over_the_arguments_changes_no_childs_name(void **state)
{
    struct run run;
    run_target(&run,
               &(struct run_spec){.target = "forks",
                                  .args = {"fork", "exit", "title"},
                                  .env = {"STINT_OUT=../out/%n.%r", "OMPI_COMM_WORLD_RANK=07"}},
               true);
    char *out = run_list(&run, "out"), *store = run_list(&run, "store");
    long child = 0;
    int used = 0;
    /* A descendant's pid goes before the last dot. 07 stands before every pid in the list. */
    if (sscanf(out, "forks.07 forks.%ld.07%n", &child, &used) != 1 || !used || out[used])
        fail_msg("reports: %s", out);
    assert_string_equal(store, "");
    assert_string_equal(run.err, "");
    free(out);
    free(store);
    run_fini(&run);
}

static void a_pid_is_not_added_where_the_name_has_one(void **state)
{
    struct run run;
    struct run_spec spec = {
        .target = "forks", .args = {"fork", "exit"}, .env = {"STINT_OUT=../out/r.%p.json"}};
    run_target(&run, &spec, true);
    char *out = run_list(&run, "out");
    long first, second;
    int used = 0;
    if (sscanf(out, "r.%ld.json r.%ld.json%n", &first, &second, &used) != 2 || out[used])
        fail_msg("reports: %s", out);
    free(out);
    run_fini(&run);
}

static void store_may_be_a_directory(void **state)
{
    struct run run;
    struct run_spec spec = {.target = "deaths", .env = {"STINT_STORE=../out"}};
    run_target(&run, &spec, true);
    char *out = run_list(&run, "out"), *store = run_list(&run, "store");
    assert_memory_equal(out, "stint.", 6);
    assert_string_equal(store, "");
    free(out), free(store);
    run_fini(&run);
}

static void store_may_be_memory_alone(void **state)
{
    struct run run;
    run_target(&run, &(struct run_spec){.target = "deaths", .env = {"STINT_STORE=none"}}, true);
    char *out = run_list(&run, "out"), *store = run_list(&run, "store");
    assert_string_equal(out, "");
    assert_string_equal(store, "");
    free(out), free(store);
    run_fini(&run);
    struct both both;
    both_run(&both, &(struct run_spec){.target = "threads", .env = {"STINT_STORE=none"}});
    both_fini(&both);
}

static void disable_records_nothing(void **state)
{
    struct both both;
    both_run_bare(&both, &(struct run_spec){.target = "forks",
                                            .args = {"fork", "exit"},
                                            .env = {"STINT_DISABLE=1"}});
    both_check_left(&both, "");
    both_fini(&both);
}

static void function_samples_make_percentiles_exact(void **state)
{
    struct both both;
    both_run(&both,
             &(struct run_spec){.target = "counts", .env = {"STINT_FUNCTION_SAMPLES=10000"}});
    assert_string_equal(string_at(report_function(both.report, "leaf"), "percentiles"), "exact");
    both_fini(&both);
    both_run(&both, &(struct run_spec){.target = "counts", .env = {"STINT_FUNCTION_SAMPLES=100"}});
    assert_string_equal(string_at(report_function(both.report, "leaf"), "percentiles"),
                        "histogram");
    both_fini(&both);
    both_run(&both, &(struct run_spec){.target = "counts"});
    assert_string_equal(string_at(report_function(both.report, "leaf"), "percentiles"),
                        "histogram");
    both_fini(&both);
}

static void sample_bytes_bounds_the_samples(void **state)
{
    struct both both;
    struct run_spec spec = {.target = "counts",
                            .env = {"STINT_FUNCTION_SAMPLES=1000000", "STINT_SAMPLE_BYTES=4K"}};
    both_run(&both, &spec);
    assert_string_equal(string_at(report_function(both.report, "leaf"), "percentiles"),
                        "histogram");
    both_fini(&both);
}

static void max_nodes_folds_paths_and_keeps_every_count(void **state)
{
    struct both both;
    struct run_spec spec = {.target = "limits", .env = {"STINT_MAX_NODES=100"}};
    both_run_bare(&both, &spec);
    both_check_left(&both, "profiling_results.json");
    both.report = report_load(&both.stint, "profiling_results.json", CHECK_FOLDED);
    check_truth(both.report, both.stint.out);
    assert_true(report_lost(both.report, "contexts_folded") > 0);
    assert_true(json_array_size(json_object_get(both.report, "call_tree")) <= 120);
    double whole = real_at(report_function(both.report, "main"), "Total_ms"), self = 0;
    const json_t *function;
    size_t i;
    json_array_foreach(json_object_get(both.report, "functions"), i, function)
    {
        assert_true(real_at(function, "Total_ms") <= whole);
        self += real_at(function, "Self_ms");
    }
    assert_true(self <= whole * (1 + 1e-9));
    both_fini(&both);
    both_run(&both, &(struct run_spec){.target = "limits"});
    assert_int_equal(report_lost(both.report, "contexts_folded"), 0);
    both_fini(&both);
}

static void thread_trees_are_there_when_asked_for(void **state)
{
    struct both both;
    both_run(&both, &(struct run_spec){.target = "threads"});
    assert_null(
        json_object_get(json_array_get(json_object_get(both.report, "threads"), 0), "call_tree"));
    both_fini(&both);
    both_run(&both, &(struct run_spec){.target = "threads", .env = {"STINT_THREAD_TREES=1"}});
    assert_non_null(
        json_object_get(json_array_get(json_object_get(both.report, "threads"), 0), "call_tree"));
    both_fini(&both);
}

/* Reads so slowly that the report would take long, and so often that its writer keeps waiting. */
static void read_slowly(int fd)
{
    char read_bytes[1024];
    struct pollfd report = {.fd = fd, .events = POLLIN};
    alarm(60); /* should nobody write */
    while (poll(&report, 1, -1) == 1 && !(report.revents & POLLHUP)) {
        if (read(fd, read_bytes, sizeof read_bytes) < 0) break;
        sleep(1);
    }
    _exit(0);
}

static void make_slow_fifo(const char *dir)
{
    char path[200];
    snprintf(path, sizeof path, "%s/out/report.json", dir);
    assert_int_equal(mkfifo(path, 0666), 0);
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    assert_true(fd >= 0);
    assert_true(fcntl(fd, F_SETPIPE_SZ, 4096) >= 0);
    pid_t reader = fork();
    assert_true(reader >= 0);
    if (!reader) read_slowly(fd);
    close(fd);
}

/* Without it the reader would have the whole report in the end. */
static void report_timeout_ends_a_report_and_not_the_program(void **state)
{
    struct run plain, stint;
    struct run_spec spec = {.target = "counts"};
    run_target(&plain, &spec, false);
    spec.env[0] = "STINT_OUT=../out/report.json";
    spec.env[1] = "STINT_REPORT_TIMEOUT=500ms";
    spec.arrange = make_slow_fifo;
    run_target(&stint, &spec, true);
    char *store = run_list(&stint, "store");
    assert_int_equal(stint.status, plain.status);
    assert_string_equal(stint.out, plain.out);
    assert_non_null(strstr(stint.err, "took too long"));
    assert_ptr_equal(strchr(stint.err, '\n'), stint.err + strlen(stint.err) - 1);
    assert_memory_equal(store, "stint.", 6);
    assert_non_null(strstr(stint.err, store));
    free(store);
    run_fini(&plain);
    run_fini(&stint);
}

/* Each is said in one line that names the variable, and the default holds. */
static void bad_values_are_said_and_the_default_holds(void **state)
{
    static const char *const bad[] = {
        "STINT_FOLLOW=perhaps",
        "STINT_CLOCK=sundial",
        "STINT_DISABLE=-",
        "STINT_MAX_SAMPLES=-1",
        "STINT_FUNCTION_SAMPLES=1e3",
        "STINT_SAMPLE_BYTES=12Q",
        "STINT_MAX_NODES=0x10",
        "STINT_MAX_DEPTH=",
        "STINT_MAX_THREADS=99999999999999999999",
        "STINT_THREAD_TREES=2",
        "STINT_REPORT_TIMEOUT=soon",
        "STINT_STORE=relative\n/nowhere",
        "STINT_NO_SUCH_VARIABLE=1",
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct both both;
        both_run_bare(&both, &(struct run_spec){.target = "counts", .env = {bad[i]}, .says = true});
        char *name = strndup(bad[i], strcspn(bad[i], "="));
        const char *line = strstr(both.stint.err, "stint: ");
        if (!line || !strstr(line, name) || strchr(line, '\n') != line + strlen(line) - 1)
            fail_msg("%s: not said in one line: \"%s\"", bad[i], both.stint.err);
        both.report = report_load(&both.stint, "profiling_results.json", CHECK_ALL);
        check_truth(both.report, both.stint.out);
        free(name);
        both_fini(&both);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(out_may_have_placeholders),
        cmocka_unit_test(a_title_over_the_arguments_changes_no_childs_name),
        cmocka_unit_test(a_pid_is_not_added_where_the_name_has_one),
        cmocka_unit_test(store_may_be_a_directory),
        cmocka_unit_test(store_may_be_memory_alone),
        cmocka_unit_test(disable_records_nothing),
        cmocka_unit_test(function_samples_make_percentiles_exact),
        cmocka_unit_test(sample_bytes_bounds_the_samples),
        cmocka_unit_test(max_nodes_folds_paths_and_keeps_every_count),
        cmocka_unit_test(thread_trees_are_there_when_asked_for),
        cmocka_unit_test(report_timeout_ends_a_report_and_not_the_program),
        cmocka_unit_test(bad_values_are_said_and_the_default_holds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT
 *
 * `stint recover`: what a killed program recorded becomes its report, over nothing that exists. */
#include "cli.h"

/* Leaves one store of a program that was killed after 1234 calls of step. */
#define KILLED "LD_PRELOAD=\"$LIB\" \"$T/deaths\" >/dev/null 2>&1; "

static void check_recovered(const struct run *run, const char *path)
{
    json_t *report = report_load_path(run_path(run, path), CHECK_ALL);
    assert_int_equal(report_calls(report, "step"), 1234);
    assert_string_equal(report_ending(report, "kind"), "killed");
    json_decref(report);
}

static void check_stores(const struct run *run, int count)
{
    char *names = run_list(run, "store");
    int stores = *names != '\0';
    for (const char *c = names; *c; c++) stores += *c == ' ';
    assert_int_equal(stores, count);
    free(names);
}

static void stores_left_behind_are_listed_and_kept(void **state)
{
    struct run run;
    cli(&run, KILLED KILLED "\"$STINT\" recover");
    assert_int_equal(cli_status(&run), 0);
    assert_int_equal(cli_lines(run.out, "Pid"), 1);
    const char *first = strstr(run.out, " gone ");
    assert_non_null(first);
    assert_non_null(strstr(first + 1, " gone "));
    cli_expect(run.out, "KiB  deaths ");
    cli_expect(run.out, ".store → /");
    cli_expect(run.out, "/out/profiling_results.json\n");
    check_stores(&run, 2);
    run_fini(&run);
}

static void that_there_is_none_is_said(void **state)
{
    struct run run;
    cli(&run, "\"$STINT\" recover; \"$STINT\" recover --all");
    assert_string_equal(run.out, "no stores\nno store of a program that is gone\n");
    run_fini(&run);
}

static void a_report_takes_the_name_that_its_program_had_for_it(void **state)
{
    struct run run;
    cli(&run, KILLED "\"$STINT\" recover ../store/*");
    assert_int_equal(cli_status(&run), 0);
    CLI_LINE(run.err, "stint: recovered deaths: ", "/out/profiling_results.json");
    check_recovered(&run, "out/profiling_results.json");
    check_stores(&run, 0);
    run_fini(&run);
}

static void a_report_takes_the_name_that_is_asked_for(void **state)
{
    struct run run;
    cli(&run, KILLED "\"$STINT\" recover ../store/* -o mine.json && ls");
    assert_string_equal(run.out, "mine.json\n");
    check_recovered(&run, "work/mine.json");
    run_fini(&run);
}

static void where_the_name_is_taken_the_pid_goes_into_it(void **state)
{
    struct run run;
    cli(&run, KILLED KILLED "echo old >../out/profiling_results.json; \"$STINT\" recover --all;"
                            "cat ../out/profiling_results.json");
    assert_int_equal(cli_status(&run), 0);
    assert_string_equal(run.out, "old\n");
    char *names = run_list(&run, "out"), path[128];
    int first = 0, second = 0;
    assert_int_equal(
        sscanf(names, "profiling_results.%d.json profiling_results.%d.json", &first, &second), 2);
    snprintf(path, sizeof path, "out/profiling_results.%d.json", first);
    check_recovered(&run, path);
    snprintf(path, sizeof path, "out/profiling_results.%d.json", second);
    check_recovered(&run, path);
    check_stores(&run, 0);
    free(names);
    run_fini(&run);
}

static void a_name_that_was_asked_for_and_exists_is_left_alone(void **state)
{
    struct run run;
    cli(&run, KILLED "echo old >mine.json; ln -s nowhere link.json;"
                     "\"$STINT\" recover ../store/* -o mine.json; echo $?;"
                     "\"$STINT\" recover ../store/* -o link.json; echo $?; cat mine.json; ls");
    assert_string_equal(run.out, "3\n3\nold\nlink.json\nmine.json\n");
    cli_expect(run.err, "stint: mine.json: the report's name is taken: File exists\n");
    check_stores(&run, 1);
    run_fini(&run);
}

static void a_store_stays_until_its_report_is_written(void **state)
{
    struct run run;
    cli(&run, KILLED "\"$STINT\" recover ../store/* -o no/such/directory.json");
    assert_int_equal(cli_status(&run), 3);
    CLI_LINE(run.err, "no/such/directory.json: ", "No such file or directory");
    check_stores(&run, 1);
    run_fini(&run);
}

static void a_directory_is_no_name_for_a_report(void **state)
{
    struct run run;
    cli(&run, "mkdir d e; export STINT_OUT=$PWD/d; " KILLED "STINT_OUT=$PWD/e/; " KILLED
              "rmdir e; \"$STINT\" recover --all; echo $?; ls . d");
    assert_string_equal(run.out, "3\n.:\nd\n\nd:\n");
    assert_int_equal(cli_lines(run.err, "stint: "), 2);
    cli_expect(run.err, "/work/d: is a directory; name another with -o FILE\n");
    cli_expect(run.err, "/work/e/: no such directory; name another with -o FILE\n");
    check_stores(&run, 2);
    run_fini(&run);
}

/* Asked from within: the program that runs the command is the store's own. */
static void the_store_of_a_program_that_runs_is_left_alone(void **state)
{
    struct run run;
    cli(&run, "LD_PRELOAD=\"$LIB\" \"$C/runs-command\" 'unset LD_PRELOAD; \"$STINT\" recover;"
              "\"$STINT\" recover --all; \"$STINT\" recover ../store/*; echo $?; ls ../out'");
    cli_expect(run.out, " alive ");
    cli_expect(run.out, "\nno store of a program that is gone\n3\n");
    CLI_LINE(run.err, "its program still runs; left alone");
    json_t *report = report_load(&run, "profiling_results.json", CHECK_ALL);
    assert_int_equal(report_calls(report, "step"), 1);
    json_decref(report);
    check_stores(&run, 0);
    run_fini(&run);
}

/* Seen from outside, where it has another pid; two pipes hold it while we look. */
static void a_program_in_a_pid_namespace_is_seen_to_run(void **state)
{
    struct run run;
    if (geteuid() != 0) skip();
    cli(&run, "mkfifo up down; LD_PRELOAD=\"$LIB\" unshare --pid --fork \"$C/runs-command\" "
              "'echo >up; read x <down' & read x <up; \"$STINT\" recover; "
              "\"$STINT\" recover ../store/*; echo $?; echo >down; wait");
    cli_expect(run.out, " alive ");
    cli_expect(run.out, "\n3\n");
    CLI_LINE(run.err, "its program still runs; left alone");
    check_stores(&run, 0);
    run_fini(&run);
}

static void what_is_no_store_is_told_in_one_line(void **state)
{
    static const char *const cases[] = {
        "echo hello >f; \"$STINT\" recover f",     ": >f; \"$STINT\" recover f",
        "mkdir f; \"$STINT\" recover f",           "\"$STINT\" recover f",
        "ln -s /dev/zero f; \"$STINT\" recover f",
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct run run;
        cli(&run, cases[i]);
        assert_int_equal(cli_status(&run), 3);
        CLI_LINE(run.err, "stint: f: ");
        run_fini(&run);
    }
}

static void a_cut_store_is_told_or_reported_but_never_believed_blindly(void **state)
{
    for (int kilobytes = 0; kilobytes < 24; kilobytes += 3) {
        struct run run;
        char line[400];
        snprintf(line, sizeof line,
                 KILLED
                 "truncate -s %dK ../store/*; \"$STINT\" recover ../store/* -o cut.json; r=$?;"
                 "\"$STINT\" recover >list; test $r = 3 || test $r = 0 -a -s cut.json",
                 kilobytes);
        cli(&run, line);
        assert_int_equal(cli_status(&run), 0);
        assert_int_equal(cli_lines(run.err, "stint: "), 1);
        run_fini(&run);
    }
}

static void another_users_store_is_not_believed(void **state)
{
    struct run run;
    if (geteuid() != 0) skip();
    cli(&run, KILLED "chown 65534 ../store/*; \"$STINT\" recover; \"$STINT\" recover --all;"
                     "\"$STINT\" recover ../store/*; echo $?; ls ../out");
    assert_string_equal(run.out, "no stores\nno store of a program that is gone\n3\n");
    CLI_LINE(run.err, "another user's");
    run_fini(&run);
}

static void mistakes_have_status_2(void **state)
{
    struct run run;
    cli(&run,
        "for a in '--all x' '-o x' '-o x a b' '--one'; do \"$STINT\" recover $a; echo $?; done");
    assert_string_equal(run.out, "2\n2\n2\n2\n");
    run_fini(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stores_left_behind_are_listed_and_kept),
        cmocka_unit_test(that_there_is_none_is_said),
        cmocka_unit_test(a_report_takes_the_name_that_its_program_had_for_it),
        cmocka_unit_test(a_report_takes_the_name_that_is_asked_for),
        cmocka_unit_test(where_the_name_is_taken_the_pid_goes_into_it),
        cmocka_unit_test(a_name_that_was_asked_for_and_exists_is_left_alone),
        cmocka_unit_test(a_store_stays_until_its_report_is_written),
        cmocka_unit_test(a_directory_is_no_name_for_a_report),
        cmocka_unit_test(the_store_of_a_program_that_runs_is_left_alone),
        cmocka_unit_test(a_program_in_a_pid_namespace_is_seen_to_run),
        cmocka_unit_test(what_is_no_store_is_told_in_one_line),
        cmocka_unit_test(a_cut_store_is_told_or_reported_but_never_believed_blindly),
        cmocka_unit_test(another_users_store_is_not_believed),
        cmocka_unit_test(mistakes_have_status_2),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

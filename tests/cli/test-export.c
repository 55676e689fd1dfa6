/* SPDX-License-Identifier: MIT
 *
 * `stint export` as a command: what it accepts, where it writes, what it says of mistakes. What is
 * in the files is for other programs to say: exports/readers.py. */
#include "cli.h"

#define EACH_FORMAT "folded speedscope chrome callgrind openmetrics csv dot"

static void each_format_is_the_same_in_a_file_and_on_standard_output(void **state)
{
    struct run run;
    cli(&run, "for f in " EACH_FORMAT "; do "
              "\"$STINT\" export -f $f \"$REPORTS/known.json\" >a || echo bad $f;"
              "\"$STINT\" export --format=$f -o b - <\"$REPORTS/known.json\" || echo bad $f;"
              "cmp a b && test -s a || test $f = folded || echo differs $f; rm b; done; ls -A");
    assert_int_equal(cli_status(&run), 0);
    assert_string_equal(run.out, "a\n");
    assert_string_equal(run.err, "");
    run_fini(&run);
}

static void without_a_name_the_usual_report_is_read(void **state)
{
    struct run run;
    cli(&run, "cp \"$REPORTS/known.json\" profiling_results.json; \"$STINT\" export -fcsv | "
              "cut -d, -f1,2,5,6");
    assert_int_equal(cli_status(&run), 0);
    assert_string_equal(run.out, "kind,name,offset,count\n"
                                 "function,parse(char const*),0x10,3\n"
                                 "function,b_tick,0x20,1000000\nfunction,main,0x30,1\n"
                                 "category,Frame,,60\n");
    run_fini(&run);
}

static void mistakes_are_told_with_what_there_is(void **state)
{
    static const char *const cases[][2] = {
        {"", "--format=FORMAT is missing: folded|speedscope|chrome|"},
        {"-f svg", "not a value that --format takes (folded|speedscope|chrome|"},
        {"-f folded --rows=5", "this format takes no --rows: folded"},
        {"-f csv -m 5", "this format takes no --min-percent: csv"},
        {"-f dot -m 101", "not a number from 0 to 100: 101"},
        {"-f dot -m 1e1", "not a number from 0 to 100: 1e1"},
        {"-f dot -m .", "not a number from 0 to 100: ."},
        {"-f csv -n -1", "not a number of rows"},
        {"-f csv a b", "one report only: b"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct run run;
        char line[200];
        snprintf(line, sizeof line, "\"$STINT\" export %s", cases[i][0]);
        cli(&run, line);
        assert_int_equal(cli_status(&run), 2);
        CLI_LINE(run.err, "stint: export: ", cases[i][1]);
        assert_string_equal(run.out, "");
        run_fini(&run);
    }
}

/* Either it is built in, or it says what is missing. */
static void pprof_is_for_no_terminal(void **state)
{
    struct run run;
    cli(&run, "\"$STINT\" export -f pprof \"$REPORTS/known.json\" >file; echo $?;"
              "script -qec '\"$STINT\" export -f pprof \"$REPORTS/known.json\"; echo status $?' "
              "/dev/null </dev/null; od -An -tx1 -N2 file");
    bool is_built = cli_has(run.out, "0\n");
    cli_expect(run.out, "status 2");
    cli_expect(is_built ? run.out : run.err,
               is_built ? "not for a terminal (use -o FILE): pprof" : "pprof is missing here: ");
    if (is_built) cli_expect(run.out, " 1f 8b\n");
    run_fini(&run);
}

static void what_is_no_report_leaves_the_file_as_it_was(void **state)
{
    struct run run;
    cli(&run, "echo old >out.csv; printf '{\\n\"schema\": x' >bad.json;"
              "\"$STINT\" export -f csv -o out.csv bad.json; echo $?;"
              "\"$STINT\" export -f csv -o out.csv nowhere.json; echo $?; cat out.csv; ls -A");
    assert_string_equal(run.out, "3\n3\nold\nbad.json\nout.csv\n");
    cli_expect(run.err, "stint: bad.json:2:");
    cli_expect(run.err, "stint: nowhere.json: can't be opened: No such file or directory\n");
    run_fini(&run);
}

/* The limit of a file's size stands for a full disk: the write fails in the middle. */
static void what_cannot_be_written_whole_is_not_written(void **state)
{
    struct run run;
    cli(&run,
        "more=$(for i in $(seq 3 200); do printf ', {"
        "\"id\": %d, \"name\": \"f%d\", \"Count\": 1, \"Total_ms\": 1.5, \"Self_ms\": 1.5}'"
        " $i $i; done); sed \"s/\\\"Self_ms\\\": 1.5}/&$more/\" \"$REPORTS/known.json\" >big.json;"
        "echo old >out; for f in speedscope openmetrics csv; do "
        "(ulimit -f 1; exec \"$STINT\" export -f $f -o out big.json); echo $?; done;"
        "cat out; ls -A");
    assert_string_equal(run.out, "3\n3\n3\nold\nbig.json\nout\n");
    assert_int_equal(cli_lines(run.err, "stint: out: can't be written: File too large"), 3);
    run_fini(&run);
}

static void a_full_device_is_a_failure(void **state)
{
    struct run run;
    cli(&run, "for f in " EACH_FORMAT "; do "
              "\"$STINT\" export -f $f \"$REPORTS/known.json\" >/dev/full; echo $?;"
              "\"$STINT\" export -f $f -o /dev/full \"$REPORTS/known.json\"; echo $?; done |"
              "sort | uniq -c | tr -s ' '");
    /* known.json has no call tree: folded is empty, and nothing is no failure */
    assert_string_equal(run.out, " 2 0\n 12 3\n");
    assert_int_equal(cli_lines(run.err, "stint: standard output: can't be written: No space"), 6);
    assert_int_equal(cli_lines(run.err, "stint: /dev/full: can't be written: No space"), 6);
    run_fini(&run);
}

static void places_that_cannot_be_are_told(void **state)
{
    struct run run;
    cli(&run, "mkdir d; for o in d nowhere/out ''; do "
              "\"$STINT\" export -f csv -o \"$o\" \"$REPORTS/known.json\"; echo $?; done");
    assert_string_equal(run.out, "3\n3\n3\n");
    cli_expect(run.err, "stint: d: can't be written: Is a directory\n");
    cli_expect(run.err, "stint: nowhere/out: can't be written: No such file or directory\n");
    run_fini(&run);
}

static void rows_are_those_with_the_largest_self(void **state)
{
    struct run run;
    cli(&run, "\"$STINT\" export -f csv -n 2 \"$REPORTS/known.json\" | cut -d, -f1,2");
    assert_string_equal(run.out, "kind,name\nfunction,parse(char const*)\n"
                                 "function,b_tick\ncategory,Frame\n");
    run_fini(&run);
}

/* Two names that differ in 300 characters only, and one of 256. */
static void folded_names_are_bounded_and_stay_apart(void **state)
{
    struct run run;
    cli(&run, "long=$(printf %0300d 7); most=$(printf %0252d 7);"
              "sed \"s/\\\"parse(char const\\*)\\\"/\\\"f<$long>(int)\\\"/; "
              "s/\\\"walk\\\"/\\\"f<1$long>(int)\\\"/;"
              "s/\\\"name\\\": \\\"main\\\"/\\\"name\\\": \\\"g<$most>\\\"/\" "
              "\"$REPORTS/views.json\" >long.json;"
              "\"$STINT\" export -f folded long.json | sed \"s/$most/M/\" | sed -n '4p;8p'");
    assert_string_equal(
        run.out,
        "g<M>;f<…>(…) [libwalk.so.1+0x20];f<…>(…) [libwalk.so.1+0x20];f<…>(…) [app+0x10] 5000000\n"
        "g<M>;Frame_Total 250000\n");
    run_fini(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_format_is_the_same_in_a_file_and_on_standard_output),
        cmocka_unit_test(without_a_name_the_usual_report_is_read),
        cmocka_unit_test(mistakes_are_told_with_what_there_is),
        cmocka_unit_test(pprof_is_for_no_terminal),
        cmocka_unit_test(what_is_no_report_leaves_the_file_as_it_was),
        cmocka_unit_test(what_cannot_be_written_whole_is_not_written),
        cmocka_unit_test(a_full_device_is_a_failure),
        cmocka_unit_test(places_that_cannot_be_are_told),
        cmocka_unit_test(rows_are_those_with_the_largest_self),
        cmocka_unit_test(folded_names_are_bounded_and_stay_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

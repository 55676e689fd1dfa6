/* SPDX-License-Identifier: MIT
 *
 * `stint report`: what the table says of a report of known content, and what is said of files that
 * are none and of wishes that do not fit it. */
#include "cli.h"

/* The place of each name in the text: 1 for the first … in the order given, or the test fails. */
static void expect_order(const char *text, const char *const *names)
{
    const char *at = text;
    for (; *names; names++) {
        const char *found = strstr(at, *names);
        if (!found) fail_msg("%s comes too early or not at all in:\n%s", *names, text);
        at = found;
    }
}
#define ORDER(text, ...) expect_order(text, (const char *const[]){__VA_ARGS__, NULL})

static void the_table_shows_what_the_report_holds(void **state)
{
    struct run run;
    cli(&run, "\"$STINT\" report \"$REPORTS/known.json\"");
    assert_int_equal(cli_status(&run), 0);
    assert_string_equal(run.err, "");
    cli_expect(run.out,
               "app, pid 4242: SIGSEGV (SEGV_MAPERR) after 2.01 s; 1 thread, 1000064 calls");
    cli_expect(run.out, "not as it happened: calls_too_deep 7 (deeper than STINT_MAX_DEPTH)\n");
    cli_expect(run.out, "   at address 0x0, in thread app (tid 4242)\n"
                        "   in parse(char const*)  app+0x10\n");
    ORDER(strstr(run.out, "Total"), "Total", "Self", "Calls", "Avg", "P50", "P99", "P99.9", "Max",
          "Function", "Module");
    ORDER(strstr(run.out, "12.5 ms"), "12.5 ms", "9.25 ms", " 3 ", "4.17 ms", "4.00 ms", "5.47 ms",
          "5.50 ms", "5.50 ms", "parse(char const*)", "app\n");
    ORDER(strstr(run.out, "3.25 ms"), "3.25 ms", "3.25 ms", " 1000000 ", " 3 ns", " 3 ns",
          "1.00 µs", "1.25 µs", "42.5 µs", "b_tick", "libb.so.1\n");
    run_fini(&run);
}

/* 40 frames, one without a symbol and one of stint itself among them. */
static void a_long_backtrace_says_how_much_is_left_out(void **state)
{
    struct run run;
    cli(&run, "f='{\"name\": \"deep\", \"module\": \"/m\", \"offset\": \"0x1\"},';"
              "b='{\"name\": \"libc.so.6+0x7\", \"module\": \"/l/libc.so.6\", \"offset\": "
              "\"0x7\"}, {\"name\": \"hook\", \"module\": \"/l/libstint.so\", \"offset\": "
              "\"0x9\"},'; for i in $(seq 37); do b=$b$f; done;"
              "sed \"s|\\\"backtrace\\\": .|&$b|\" \"$REPORTS/known.json\" | \"$STINT\" report -");
    assert_int_equal(cli_status(&run), 0);
    cli_expect(run.out, "   in libc.so.6+0x7\n   by hook  libstint.so+0x9  (stint's own)\n");
    assert_int_equal(cli_lines(run.out, "by deep  m+0x1"), 30);
    assert_int_equal(cli_lines(run.out, "… and 8 more"), 1);
    run_fini(&run);
}

static void values_that_do_not_exist_are_dashes(void **state)
{
    struct run run;
    cli(&run, "\"$STINT\" report \"$REPORTS/known.json\" | grep -E ' main | Frame '");
    ORDER(run.out, "2.00 s", "1.50 ms", " 1 ", " - ", " - ", " - ", " - ", " - ", "main");
    ORDER(run.out, "960 ms", " - ", " 60 ", "16.0 ms", "16.1 ms", "30.5 ms", "33.0 ms", "33.3 ms",
          "Frame", "(category)\n");
    run_fini(&run);
}

static void rows_are_sorted_by_self_or_as_asked(void **state)
{
    struct run run;
    cli(&run, "for by in self total calls max function module; do "
              "\"$STINT\" report --sort=$by \"$REPORTS/known.json\" | sed 1,5d |"
              "grep -oE 'parse|b_tick|main|Frame' | tr '\\n' ' '; echo; done");
    assert_string_equal(run.out, "parse b_tick main Frame \nmain Frame parse b_tick \n"
                                 "b_tick Frame parse main \nFrame parse b_tick main \n"
                                 "Frame b_tick main parse \nFrame parse main b_tick \n");
    run_fini(&run);
}

static void rows_beyond_the_limit_are_counted(void **state)
{
    struct run run;
    cli(&run, "\"$STINT\" report -n2 \"$REPORTS/known.json\"; \"$STINT\" report -n 0 "
              "\"$REPORTS/known.json\"");
    assert_int_equal(cli_lines(run.out, "… and 2 more"), 1);
    assert_int_equal(cli_lines(run.out, "…"), 1);
    run_fini(&run);
}

static void a_report_may_come_from_standard_input_or_a_pipe(void **state)
{
    struct run run;
    cli(&run,
        "cat \"$REPORTS/known.json\" | \"$STINT\" report - >one; mkfifo pipe;"
        "cat \"$REPORTS/known.json\" >pipe & \"$STINT\" report pipe >two; cmp one two && cat one");
    assert_int_equal(cli_status(&run), 0);
    cli_expect(run.out, "b_tick");
    run_fini(&run);
}

static void without_a_name_the_usual_one_is_read(void **state)
{
    struct run run;
    cli(&run, "\"$STINT\" report; echo $?; cp \"$REPORTS/known.json\" profiling_results.json;"
              "\"$STINT\" report -n1");
    cli_expect(run.out, "3\napp, pid 4242: ");
    CLI_LINE(run.err, "stint: profiling_results.json: can't be opened: ");
    run_fini(&run);
}

static void threads_have_a_table_of_their_own(void **state)
{
    struct run run;
    cli(&run,
        "sed 's/\"functions\": ..,/\"functions\": [{\"id\": 0, \"Count\": 3, \"Self_ms\": 9},"
        "{\"id\": 2, \"Count\": 4, \"Self_ms\": 1}],/; s/\"generations\": 1/\"generations\": 5/' "
        "\"$REPORTS/known.json\" | \"$STINT\" report --threads -");
    assert_int_equal(cli_status(&run), 0);
    ORDER(run.out, "Tid", "Lifetime", "CPU", "Self", "Calls", "Thread\n", " 4242 ", "2.01 s",
          "2.00 s", "10.0 ms", " 7 ", "app (the last of 5)\n");
    run_fini(&run);
}

static void a_fault_in_the_text_has_its_line_and_column(void **state)
{
    struct run run;
    cli(&run, "printf '{\"schema\": 1,\\n \"stint\": x}' >bad.json; \"$STINT\" report bad.json");
    assert_int_equal(cli_status(&run), 3);
    assert_string_equal(run.out, "");
    CLI_LINE(run.err, "stint: bad.json:2:11: ");
    run_fini(&run);
}

static void what_is_no_report_is_told_in_one_line(void **state)
{
    static const char *const cases[][2] = {
        {"{}", "JSON, but not a report of stint"},
        {"[1]", "JSON, but not a report of stint"},
        {"{\"schema\": 2, \"stint\": \"9.0.0\"}",
         "a report of schema 2; this stint reads schema 1"},
        {"{\"schema\": 1, \"stint\": \"0.1.0\"}", "not a report: no process"},
        {"", "empty"},
        {"{\"schema\": 1, \"schema\": 1}", "duplicate"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct run run;
        char line[200];
        snprintf(line, sizeof line, "printf '%%s' '%s' | \"$STINT\" report -", cases[i][0]);
        cli(&run, line);
        assert_int_equal(cli_status(&run), 3);
        CLI_LINE(run.err, "stint: /dev/stdin:", cases[i][1]);
        run_fini(&run);
    }
}

/* One member at a time is damaged; the fault names it. */
static void a_member_of_the_wrong_kind_is_named(void **state)
{
    static const char *const cases[][2] = {
        {"s/\"pid\": 4242/\"pid\": \"4242\"/", "process.pid is not an integer"},
        {"s/\"kind\": \"signal\", //", "no process.ending.kind"},
        {"s/\"Self_ms\": 3.25/\"Self_ms\": null/", "functions[1].Self_ms is not a number"},
        {"s/\"id\": 2, \"name\": \"main\",/\"id\": 2,/", "no functions[2].name"},
        {"s/\\[\\[3, 4, 1000000\\]\\]/[[4, 4, 1]]/", "functions[1].histogram[0] is no bucket"},
        {"s/\"Count\": 60/\"Count\": 6.5/", "categories.Frame.Count is not an integer"},
        {"s/\"call_tree\": \\[\\]/\"call_tree\": {}/", "call_tree is not an array"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct run run;
        char line[400];
        snprintf(line, sizeof line, "sed '%s' \"$REPORTS/known.json\" | \"$STINT\" report -",
                 cases[i][0]);
        cli(&run, line);
        assert_int_equal(cli_status(&run), 3);
        CLI_LINE(run.err, "not a report: ", cases[i][1]);
        run_fini(&run);
    }
}

static void what_a_terminal_would_obey_is_not_printed(void **state)
{
    struct run run;
    cli(&run, "sed 's/\"name\": \"b_tick\"/\"name\": \"b\\\\u001b[2J\\\\u009b\"/' "
              "\"$REPORTS/known.json\" |"
              "\"$STINT\" report -");
    cli_expect(run.out, "b?[2J?");
    assert_null(strchr(run.out, '\033'));
    run_fini(&run);
}

static void files_that_cannot_be_read_are_told_with_the_systems_word(void **state)
{
    struct run run;
    cli(&run, "\"$STINT\" report nowhere.json; echo $?; \"$STINT\" report .; echo $?");
    assert_string_equal(run.out, "3\n3\n");
    cli_expect(run.err, "stint: nowhere.json: can't be opened: No such file or directory\n");
    cli_expect(run.err, "stint: .: can't be read: Is a directory\n");
    run_fini(&run);
}

static void mistakes_have_status_2(void **state)
{
    struct run run;
    cli(&run, "for a in 'a b' '-n x a' '--sort=colour a' '--rows' ; do "
              "\"$STINT\" report $a; echo $?; done");
    assert_string_equal(run.out, "2\n2\n2\n2\n");
    assert_int_equal(cli_lines(run.err, "stint: report: "), 4);
    run_fini(&run);
}

static void a_full_disk_is_a_failure(void **state)
{
    struct run run;
    cli(&run, "\"$STINT\" report \"$REPORTS/known.json\" >/dev/full");
    assert_int_equal(cli_status(&run), 3);
    CLI_LINE(run.err, "No space left on device");
    run_fini(&run);
}

#define VIEWS "\"$STINT\" report \"$REPORTS/views.json\" "

static void what_the_report_does_not_have_is_refused_before_anything_is_printed(void **state)
{
    static const char *const cases[][2] = {
        {"-T 99", "no thread is called 99"},
        {"--threads -T nobody", "no thread is called nobody"},
        {"--tree -T 99", "no thread is called 99"},
        {"--histogram parse -T 99", "no thread is called 99"},
        {"--histogram parse -T app", "parse was not called in thread app"},
        {"--histogram packet -T app", "packet is a value, of all threads together"},
        {"--histogram nowhere", "no function or category is called nowhere"},
        {"--callees nowhere", "no function or category is called nowhere"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct run run;
        char line[200];
        snprintf(line, sizeof line, "\"$STINT\" report \"$REPORTS/views.json\" %s", cases[i][0]);
        cli(&run, line);
        assert_int_equal(cli_status(&run), 2);
        assert_string_equal(run.out, "");
        CLI_LINE(run.err, "stint: ", cases[i][1]);
        run_fini(&run);
    }
}

static void a_value_out_of_a_closed_list_is_told_with_the_list(void **state)
{
    struct run run;
    cli(&run, VIEWS "--sort=foo; echo $?; " VIEWS "-s p5; echo $?; " VIEWS "--color 'auto|'");
    assert_string_equal(run.out, "2\n2\n");
    cli_expect(run.err,
               "stint: report: not a value that --sort takes (self|total|calls|avg|p50|p99|"
               "p99.9|max|function|module): foo; see `stint report --help`\n");
    cli_expect(run.err, "): p5; see ");
    cli_expect(run.err, "not a value that --color takes (auto|always|never): auto|; see ");
    run_fini(&run);
}

/* The tree is read straight from the text where it is as stint writes it: what is wrong with one is
 * told as of any part. */
static void a_damaged_tree_is_told_with_its_place(void **state)
{
    static const char *const cases[][2] = {
        {"s/\"id\": 6, \"parent\": 0/\"id\": 6, \"parent\": 6/",
         "call_tree[6].parent is not the id of a node before it"},
        {"s/\"id\": 5, \"parent\"/\"id\": 4, \"parent\"/",
         "call_tree[5].id is not its place in the list"},
        {"s/\"parent\": 1, \"function\": 0/\"parent\": 1, \"function\": 5/",
         "call_tree[5].function is not"},
        {"s/\"parent\": 0, \"category\": \"Frame_Total\"/\"parent\": 0, \"category\": \"Frame\"/",
         "call_tree[7].category is not"},
        {"s/\"Total_ms\": 29.75/\"Total_ms\": -1/", "call_tree[6].Total_ms is not"},
        {"s/\"Total_ms\": 29.75/\"Total_ms\": 1, \"Total_ms\": 1/", "r.json:51:77: "},
        {"s/\"Total_ms\": 29.75/\"Total_ms\": 99999999999999999999/", "too big integer"},
        {"s/\"drift\": {/\"drift\": /", "r.json:55:74: "},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct run run;
        char line[400];
        snprintf(line, sizeof line,
                 "sed '%s' \"$REPORTS/views.json\" >r.json; \"$STINT\" report r.json", cases[i][0]);
        cli(&run, line);
        assert_int_equal(cli_status(&run), 3);
        assert_string_equal(run.out, "");
        CLI_LINE(run.err, "stint: ", cases[i][1]);
        run_fini(&run);
    }
}

/* 31 characters of numbers, a name of 90, and "app" in 80 characters; "…" is three bytes. */
static void a_callers_row_fits_the_terminal(void **state)
{
    struct run run;
    cli(&run,
        "sed \"s/\\\"name\\\": \\\"main\\\"/\\\"name\\\": \\\"$(printf %090d 7)\\\"/\" "
        "\"$REPORTS/views.json\" >long.json;"
        "script -qec \"stty cols 80; '$STINT' report long.json --color=never --callers=walk\" "
        "/dev/null "
        "</dev/null | tr -d '\\r' | LC_ALL=C awk '/000/ { print length(), substr($0, 74) }'");
    assert_string_equal(run.out, "82 0007  app\n");
    run_fini(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_table_shows_what_the_report_holds),
        cmocka_unit_test(a_long_backtrace_says_how_much_is_left_out),
        cmocka_unit_test(values_that_do_not_exist_are_dashes),
        cmocka_unit_test(rows_are_sorted_by_self_or_as_asked),
        cmocka_unit_test(rows_beyond_the_limit_are_counted),
        cmocka_unit_test(a_report_may_come_from_standard_input_or_a_pipe),
        cmocka_unit_test(without_a_name_the_usual_one_is_read),
        cmocka_unit_test(threads_have_a_table_of_their_own),
        cmocka_unit_test(a_fault_in_the_text_has_its_line_and_column),
        cmocka_unit_test(what_is_no_report_is_told_in_one_line),
        cmocka_unit_test(a_member_of_the_wrong_kind_is_named),
        cmocka_unit_test(what_a_terminal_would_obey_is_not_printed),
        cmocka_unit_test(files_that_cannot_be_read_are_told_with_the_systems_word),
        cmocka_unit_test(mistakes_have_status_2),
        cmocka_unit_test(a_full_disk_is_a_failure),
        cmocka_unit_test(what_the_report_does_not_have_is_refused_before_anything_is_printed),
        cmocka_unit_test(a_value_out_of_a_closed_list_is_told_with_the_list),
        cmocka_unit_test(a_damaged_tree_is_told_with_its_place),
        cmocka_unit_test(a_callers_row_fits_the_terminal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

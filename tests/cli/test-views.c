/* SPDX-License-Identifier: MIT
 *
 * `stint report`'s views of a report of known content (reports/views.json: its sums are said where
 * they are expected), on a pipe and on a terminal, and the lines of functions that know theirs. */
#include "cli.h"

#define VIEWS "\"$STINT\" report \"$REPORTS/views.json\" "

static void show(struct run *run, const char *options)
{
    char line[1024];
    snprintf(line, sizeof line, VIEWS "%s", options);
    cli(run, line);
    if (cli_status(run) != 0) fail_msg("%s: status %d\n%s", options, cli_status(run), run->err);
    assert_string_equal(run->err, "");
}

static void the_tree_has_shares_of_all_roots(void **state)
{
    struct run run;
    show(&run, "--tree"); /* the whole: main's 100 ms and 2 ms of folded paths */
    assert_string_equal(
        run.out, " Share     Total      Self        Calls  Function\n"
                 "98.0 %    100 ms   10.0 ms            1  main\n"
                 "58.8 %   60.0 ms   20.0 ms            2  ├─ walk\n"
                 "29.4 %   30.0 ms   21.0 ms            4  │  ├─ walk\n"
                 " 4.9 %   5.00 ms   5.00 ms            7  │  │  ├─ parse(char const*)\n"
                 " 3.9 %   4.00 ms   4.00 ms            2  │  │  └─ walk\n"
                 " 9.8 %   10.0 ms   10.0 ms            3  │  └─ parse(char const*)\n"
                 "29.2 %   29.8 ms   29.8 ms            5  └─ parse(char const*)\n"
                 " 2.0 %   2.00 ms      0 ns            0  [folded]\n"
                 " 2.0 %   2.00 ms   2.00 ms            9  └─ parse(char const*) (all paths)\n");
    run_fini(&run);
}

static void the_tree_is_cut_by_depth_and_by_share(void **state)
{
    struct run run;
    show(&run, "--tree --depth 1");
    cli_expect(run.out, "  main …\n");
    assert_false(cli_has(run.out, "walk"));
    run_fini(&run);
    show(&run, "--tree --min-percent 0 | grep Frame_Total");
    cli_expect(run.out, " 0.2 %    250 µs    250 µs            1  └─ Frame_Total\n");
    run_fini(&run);
    /* 10 and 5 of 102 are too small; 30 + 0.25 are not */
    show(&run, "--tree --min-percent 15");
    assert_int_equal(cli_lines(run.out, ""), 5);
    cli_expect(run.out, "29.2 %   29.8 ms   29.8 ms            5  └─ parse(char const*)\n");
    run_fini(&run);
    /* main's own children of 29.75 and 0.25 stand together for 30 */
    show(&run, "--tree --min-percent 29.3");
    cli_expect(run.out, "29.4 %   30.0 ms   30.0 ms            6  └─ (2 smaller)\n");
    run_fini(&run);
}

static void a_locale_without_utf8_has_a_tree_of_ascii(void **state)
{
    struct run run;
    cli(&run, "LC_ALL=C " VIEWS "--tree; LC_ALL=C " VIEWS "--histogram walk;"
              "LC_ALL=C " VIEWS "--histogram parse; LC_ALL=C " VIEWS "--frames");
    cli_expect(run.out, "|- walk\n");
    cli_expect(run.out, "|  |  `- walk\n");
    cli_expect(run.out, "50.0 %  ####################");
    assert_false(cli_has(run.out, "█"));
    assert_false(cli_has(run.out, "─"));
    run_fini(&run);
}

/* walk's inner calls lie within its outer ones, which main made: 4 calls and 2 in those, 30 ms. */
static void callers_add_up_and_recursion_counts_once(void **state)
{
    struct run run;
    show(&run, "--callers walk");
    cli_expect(run.out, " 60.0 ms   100 %            2  main  app\n"
                        " 30.0 ms  50.0 %            6  walk  libwalk.so.1\n");
    run_fini(&run);
    show(&run, "--callers parse"); /* from walk 5 + 10 ms, 7 + 3 calls */
    cli_expect(run.out, " 29.8 ms  63.6 %            5  main  app\n"
                        " 15.0 ms  32.1 %           10  walk  libwalk.so.1\n"
                        " 2.00 ms   4.3 %            9  (paths beyond the recorder's limit)\n");
    run_fini(&run);
    show(&run, "--callees main");
    cli_expect(run.out, " 60.0 ms  60.0 %            2  walk  libwalk.so.1\n"
                        " 29.8 ms  29.8 %            5  parse(char const*)  app\n"
                        "  250 µs   0.2 %            1  Frame_Total  (category)\n");
    run_fini(&run);
}

static void a_function_is_meant_by_its_name_before_the_brackets_or_a_glob(void **state)
{
    struct run run;
    show(&run, "--callers World::update | grep ^World");
    assert_string_equal(run.out, "World::update(float)  app\nWorld::update(int)  app\n");
    run_fini(&run);
    show(&run, "--callers _ZN5World6updateEi | grep ^World");
    assert_string_equal(run.out, "World::update(int)  app\n");
    run_fini(&run);
    show(&run, "--callers 'w*' | grep -E '^[a-zA-Z]'");
    assert_string_equal(run.out, "walk  libwalk.so.1\n");
    run_fini(&run);
    cli(&run, VIEWS "--callers upd");
    assert_int_equal(cli_status(&run), 2);
    CLI_LINE(run.err, "no function or category is called upd; there is World::update(float), "
                      "World::update(int)");
    run_fini(&run);
}

static void rows_are_chosen_by_name_module_and_thread(void **state)
{
    struct run run;
    show(&run, "--name 'World*' --name walk --json | grep '\"name\"'");
    assert_int_equal(cli_lines(run.out, "\"name\""), 3);
    run_fini(&run);
    show(&run, "--module 'libwalk*' --json | grep '\"name\"'");
    assert_string_equal(run.out, "   \"name\": \"walk\",\n");
    run_fini(&run);
    show(&run, "--module '/opt/app/bin/*' --name '*a*' --json | grep '\"name\"'");
    assert_int_equal(cli_lines(run.out, "\"name\""), 4);
    run_fini(&run);
    show(&run, "--thread 4242 --json | grep '\"name\"'");
    assert_string_equal(run.out, "   \"name\": \"walk\",\n   \"name\": \"main\",\n");
    run_fini(&run);
    cli(&run, VIEWS "--thread nobody");
    assert_int_equal(cli_status(&run), 2);
    CLI_LINE(run.err, "no thread is called nobody");
    run_fini(&run);
}

/* 4 calls of 10 ns and 12 of 20: numpy says mean 17.5, median and all above 20, and quantile 0.25
 * is 17.5 between ranks 3 and 4; here P50 … are asked for. */
static void several_threads_are_added_up(void **state)
{
    struct run run;
    show(&run, "--thread worker --name parse* | tail -n 1");
    assert_string_equal(run.out, "  280 ns    280 ns           16     18 ns     20 ns     20 ns"
                                 "     20 ns     20 ns  parse(char const*)  app\n");
    run_fini(&run);
    show(&run, "--thread worker --histogram parse");
    cli_expect(run.out, "   10 ns …    11 ns          4  25.0 %  ██████▋\n");
    cli_expect(run.out, "   20 ns …    21 ns         12  75.0 %  ████████████████████ ◀ P50 20 ns");
    run_fini(&run);
}

static void a_thread_without_a_named_start_is_told_by_its_own_function(void **state)
{
    struct run run;
    cli(&run, "sed 's/\"start_routine\": [^,]*/\"start_routine\": \"libstdc++.so.6+0xd4490\"/; "
              "s/\"name\": \"main\"/\"name\": \"void std::go<A>(int)\"/' \"$REPORTS/views.json\" | "
              "\"$STINT\" report --threads - | cut -c 60- | sed 's/^ *[0-9]* *//'");
    assert_string_equal(run.out, "Thread\napp, walk\nworker, parse(char const*)\n"
                                 "worker, parse(char const*)\n");
    run_fini(&run);
}

static void a_threads_own_tree_is_shown_where_there_is_one(void **state)
{
    struct run run;
    show(&run, "--tree --thread app");
    cli_expect(run.out, " 100 %   8.00 ms   6.00 ms            1  main\n"
                        "25.0 %   2.00 ms   2.00 ms            1  └─ walk\n");
    run_fini(&run);
    cli(&run, VIEWS "--tree --thread 1; echo $?; " VIEWS "--tree --thread 'w*'; echo $?");
    assert_string_equal(run.out, "2\n2\n");
    cli_expect(run.err, "--thread-trees");
    cli_expect(run.err, "several are called w*");
    run_fini(&run);
}

static void the_histogram_marks_its_quantiles(void **state)
{
    struct run run;
    show(&run, "--histogram parse");
    cli_expect(run.out, "   10 ns …    11 ns         12  50.0 %  ████████████████████\n");
    cli_expect(run.out, "   15 ns …    16 ns          0   0.0 %   ◀ P50 15 ns\n");
    cli_expect(run.out, "12  50.0 %  ████████████████████ ◀ P90 20 ns ◀ P99 20 ns ◀ P99.9 20 ns\n");
    run_fini(&run);
    show(&run, "--histogram walk");
    cli_expect(run.out, "no call has ended");
    run_fini(&run);
}

/* Over many octaves: every call is in one row, and the rows' counts are the calls. */
static void a_wide_histogram_loses_no_call(void **state)
{
    struct run run;
    cli(&run,
        "sed 's/\\[\\[10, 11, 12\\], \\[20, 21, 12\\]\\]/[[0, 1, 3], [5, 6, 10], [1000, 1008, "
        "200], [1000000, 1007616, 4000], [9007199254740992, 9077567998918656, 70000]]/' "
        "\"$REPORTS/views.json\" | \"$STINT\" report --histogram parse - |"
        "awk '$3 == \"…\" { sum += $6; rows++ } END { print sum, rows }'");
    assert_string_equal(run.out, "74213 24\n");
    run_fini(&run);
}

/* Its buckets, 1 at 512 … 520 and 2 at 2048 … 2080 bytes, lie more than a factor of 4 apart. */
static void the_histogram_of_a_value_is_in_its_unit(void **state)
{
    struct run run;
    show(&run, "--histogram packet");
    cli_expect(run.out, "packet  (value, bytes)\n"
                        "  3 values, avg  1.50 Ki, min      512, max  2.00 Ki; percentiles: exact\n"
                        "     512 …      543          1  33.3 %  ██████████\n");
    cli_expect(run.out,
               " 1.92 Ki …  2.03 Ki          2  66.7 %  ████████████████████ ◀ P50 2.00 Ki");
    run_fini(&run);
    show(&run,
         "--json --histogram 'pac*' | python3 -c 'import json, sys; d = json.load(sys.stdin); "
         "print(d[\"functions\"], d[\"values\"][\"packet\"][\"histogram\"])'");
    assert_string_equal(run.out, "[] [[512.0, 520.0, 1], [2048.0, 2080.0, 2]]\n");
    run_fini(&run);
}

/* Below zero, at zero and above: no value is lost, and the bounds ascend. */
static void a_values_histogram_of_both_signs_loses_nothing(void **state)
{
    static const char *const buckets[] = {
        "[-8.0, -7.875, 3], [0.0, 1e-15, 10], [5.0, 5.0625, 7]", /* 24 rows of equal width */
        "[0.0, 1e-15, 10], [5.0, 5.0625, 3], [1e6, 1.01e6, 7]",  /* zero is in the first row */
        "[-1.01e6, -1e6, 10], [-5.0625, -5.0, 10]",              /* ratios, mirrored */
    };
    for (size_t i = 0; i < 3; i++) {
        struct run run;
        char line[700];
        snprintf(
            line, sizeof line,
            "sed 's/\\[512.0, 520.0, 1\\], \\[2048.0, 2080.0, 2\\]/%s/; s/\"bytes\"/\"m\"/' "
            "\"$REPORTS/views.json\" | \"$STINT\" report --histogram packet - | sed 's/ [kM]//g' |"
            "awk '$2 == \"…\" { sum += $4; rows++ } END { print sum, rows }'",
            buckets[i]);
        cli(&run, line);
        assert_string_equal(run.out, "20 24\n");
        run_fini(&run);
    }
}

static void frames_show_the_worst_and_their_culprits(void **state)
{
    struct run run;
    show(&run, "--frames");
    cli_expect(run.out,
               "Frame_Total: 240 frames, avg 16.5 ms, P50 16.3 ms, P99 33.5 ms, max 40.3 ms; "
               "12 over the budget of 16.8 ms\n");
    cli_expect(run.out, "thread 0: ▃█▅ at most 40.0 ms\n");
    cli_expect(run.out,
               "       123       0   10.0 ms   40.3 ms   20.3 ms   20.5 ms    250 µs  walk  "
               "libwalk.so.1\n"
               "                                         5.00 ms   5.50 ms    500 µs  parse(char "
               "const*)  app\n"
               "         7       0   50.0 ms   33.5 ms         -\n");
    cli_expect(run.out, "    813 ms        60  walk  libwalk.so.1\n"
                        "   2.50 ms         3  Frame_Total  (category)\n");
    run_fini(&run);
    cli(&run, "\"$STINT\" report --frames \"$REPORTS/known.json\"");
    cli_expect(run.out, "no frames");
    run_fini(&run);
}

static void counters_and_values_stand_below_the_functions(void **state)
{
    struct run run;
    show(&run, "");
    cli_expect(run.out, "              987654           12  cache_hits\n");
    cli_expect(run.out, "                  -5            2  drift\n");
    cli_expect(run.out, "          3   4.50 Ki   1.50 Ki       512   2.00 Ki   2.00 Ki   2.00 Ki  "
                        "packet (bytes)\n");
    cli_expect(run.out,
               "          1     -0.50     -0.50     -0.50         -         -     -0.50  load\n");
    cli_expect(run.out, "Frame_Total: 240 frames, 12 over 16.8 ms, worst 40.3 ms; ");
    run_fini(&run);
}

/* Read by another reader than stint's. */
static void a_merged_report_names_its_programs(void **state)
{
    struct run run;
    cli(&run, "\"$STINT\" merge -o m.json \"$REPORTS/views.json\" \"$REPORTS/views.json\" "
              ">/dev/null 2>&1;"
              "\"$STINT\" report m.json");
    assert_int_equal(cli_status(&run), 0);
    cli_expect(run.out, "2 processes (app), merged: ");
    cli_expect(run.out, "93.5 ms   93.5 ms           48     15 ns     15 ns"); /* each twice */
    run_fini(&run);
}

static void json_is_json_in_every_view(void **state)
{
    static const char *const views[][2] = {
        {"", "d['functions'][0]['P50_ms'] == 1.5e-5 and d['counters']['drift']['Sum'] == -5"},
        {"--threads", "[t['Count'] for t in d['threads']] == [9, 4, 13]"},
        {"--tree", "len(d['call_tree']) == 9 and d['call_tree'][1]['percent'] == 60 / 1.02"},
        {"--callers walk", "d['functions'][0]['callers'][0] == {'name': 'main', 'module': "
                           "'/opt/app/bin/app', 'Count': 2, 'Total_ms': 60.0}"},
        {"--callees walk", "d['functions'][0]['callees'][1]['Count'] == 10"},
        {"--frames", "d['frames']['Frame_Total']['missed'] == 12"},
        {"--histogram parse", "d['functions'][0]['histogram'] == [[10, 11, 12], [20, 21, 12]]"},
    };
    for (size_t i = 0; i < sizeof views / sizeof views[0]; i++) {
        struct run run;
        char line[600];
        snprintf(line, sizeof line,
                 VIEWS "--json %s | python3 -c \"import json, sys; d = json.load(sys.stdin); "
                       "print(%s)\"",
                 views[i][0], views[i][1]);
        cli(&run, line);
        if (strcmp(run.out, "True\n") != 0) fail_msg("%s: %s%s", views[i][0], run.out, run.err);
        run_fini(&run);
    }
}

/* util-linux's script gives a terminal. */
#define ON_TERMINAL(columns, line)                                                                 \
    "export TERM=xterm; script -qec \"stty cols " columns                                          \
    "; '$STINT' report '$REPORTS/views.json' " line "\" /dev/null </dev/null"

static void colours_are_for_terminals_and_can_be_refused(void **state)
{
    struct run run;
    cli(&run,
        ON_TERMINAL("100", "") "| grep -c '\033\\[1m'; NO_COLOR=1; export NO_COLOR;" ON_TERMINAL(
            "100", "") "| grep -c '\033\\['; " VIEWS "| grep -c '\033\\[';" VIEWS
                       "--color=always | grep -c '\033\\[1m'; unset NO_COLOR; " ON_TERMINAL(
                           "100", "--color=never") "| grep -c '\033\\['");
    assert_string_equal(run.out, "4\n0\n0\n4\n0\n");
    run_fini(&run);
    cli(&run, VIEWS "--color=purple");
    assert_int_equal(cli_status(&run), 2);
    run_fini(&run);
}

/* Columns leave before names are cut to nothing, and no line is longer than the terminal. */
static void a_table_keeps_to_the_terminal(void **state)
{
    struct run run;
    cli(&run, "for c in 80 100 140; do " ON_TERMINAL(
                  "$c", "--color=never") "| tr -d '\\r' |"
                                         "sed -n '2,/^$/p' | wc -L; done");
    int widths[3] = {0};
    assert_int_equal(sscanf(run.out, "%d %d %d", &widths[0], &widths[1], &widths[2]), 3);
    assert_true(widths[0] <= 80 && widths[1] <= 100 && widths[2] <= 140);
    assert_true(widths[0] < widths[1] && widths[1] < widths[2]);
    run_fini(&run);
    cli(&run, ON_TERMINAL("80", "--color=never -s p50") "| sed -n 2p");
    cli_expect(run.out, "P50"); /* what is sorted by stays */
    assert_false(cli_has(run.out, "Avg"));
    run_fini(&run);
}

static void one_view_at_a_time(void **state)
{
    struct run run;
    cli(&run, "for o in '--tree --threads' '--callers a --callees a' '--depth 0' '--min-percent x' "
              "'--min-percent 101'; do " VIEWS "$o; echo $?; done");
    assert_string_equal(run.out, "2\n2\n2\n2\n2\n");
    assert_int_equal(cli_lines(run.err, "stint: report: "), 5);
    run_fini(&run);
    cli(&run, "for o in '--tree --name a' '--callers walk -T app' '--depth 2' '--frames -s p99' "
              "'--threads -m app'; do " VIEWS "$o; echo $?; done");
    assert_string_equal(run.out, "2\n2\n2\n2\n2\n");
    assert_int_equal(cli_lines(run.err, "stint: report: this view has no use for --"), 5);
    run_fini(&run);
    show(&run, "--threads -n 2");
    cli_expect(run.out, "… and 1 more; -n 0 shows all\n");
    run_fini(&run);
}

static void a_name_that_fits_nothing_is_said(void **state)
{
    struct run run;
    cli(&run, VIEWS "--name nowhere");
    assert_int_equal(cli_status(&run), 0);
    cli_expect(run.out, "no function or category has such a name\n");
    assert_int_equal(cli_lines(run.out, "Function"), 0);
    run_fini(&run);
    show(&run, "--module nowhere");
    cli_expect(run.out, "no function is of such a module\n");
    run_fini(&run);
    cli(&run, VIEWS "--frames --name nowhere");
    cli_expect(run.out, "no frames; to mark some: stint_start_frame");
    run_fini(&run);
}

static void what_reached_the_end_of_its_type_is_said(void **state)
{
    struct run run;
    cli(&run, "sed 's/\"Self_ms\": 45.0}/\"Self_ms\": 45.0, \"saturated\": true}/' "
              "\"$REPORTS/views.json\" | \"$STINT\" report -");
    assert_int_equal(cli_status(&run), 0);
    cli_expect(run.out, "\nat least what is shown, past the end of 64 bits: walk\n");
    run_fini(&run);
    show(&run, "");
    assert_false(cli_has(run.out, "at least what is shown"));
    run_fini(&run);
}

static void a_value_of_minus_zero_is_zero(void **state)
{
    struct run run;
    cli(&run, "sed 's/\"Min\": 512.0/\"Min\": -0.0/' \"$REPORTS/views.json\" | "
              "\"$STINT\" report -N packet - | awk '$NF == \"(bytes)\" { print $6 }'");
    assert_string_equal(run.out, "0\n");
    run_fini(&run);
}

static void help_fits_a_screen(void **state)
{
    struct run run;
    cli(&run, "\"$STINT\" report --help | tee help | wc -l; wc -L <help");
    int lines = 0, width = 0;
    assert_int_equal(sscanf(run.out, "%d %d", &lines, &width), 2);
    assert_true(lines > 15 && lines <= 24 && width <= 80);
    run_fini(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_tree_has_shares_of_all_roots),
        cmocka_unit_test(the_tree_is_cut_by_depth_and_by_share),
        cmocka_unit_test(a_locale_without_utf8_has_a_tree_of_ascii),
        cmocka_unit_test(callers_add_up_and_recursion_counts_once),
        cmocka_unit_test(a_function_is_meant_by_its_name_before_the_brackets_or_a_glob),
        cmocka_unit_test(rows_are_chosen_by_name_module_and_thread),
        cmocka_unit_test(several_threads_are_added_up),
        cmocka_unit_test(a_thread_without_a_named_start_is_told_by_its_own_function),
        cmocka_unit_test(a_threads_own_tree_is_shown_where_there_is_one),
        cmocka_unit_test(the_histogram_marks_its_quantiles),
        cmocka_unit_test(a_wide_histogram_loses_no_call),
        cmocka_unit_test(the_histogram_of_a_value_is_in_its_unit),
        cmocka_unit_test(a_values_histogram_of_both_signs_loses_nothing),
        cmocka_unit_test(frames_show_the_worst_and_their_culprits),
        cmocka_unit_test(counters_and_values_stand_below_the_functions),
        cmocka_unit_test(a_merged_report_names_its_programs),
        cmocka_unit_test(json_is_json_in_every_view),
        cmocka_unit_test(colours_are_for_terminals_and_can_be_refused),
        cmocka_unit_test(a_table_keeps_to_the_terminal),
        cmocka_unit_test(one_view_at_a_time),
        cmocka_unit_test(a_name_that_fits_nothing_is_said),
        cmocka_unit_test(what_reached_the_end_of_its_type_is_said),
        cmocka_unit_test(a_value_of_minus_zero_is_zero),
        cmocka_unit_test(help_fits_a_screen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

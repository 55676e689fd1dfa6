/* SPDX-License-Identifier: MIT
 *
 * `stint settings`: every row of the table, with the value that would be used. */
#include "cli.h"

#include "settings/settings.h"

static void every_setting_has_a_line_with_default_and_meaning(void **state)
{
    size_t count;
    const struct settings_row *rows = settings_rows(&count);
    struct run run;
    cli(&run, "unset STINT_OUT STINT_STORE; \"$STINT\" settings");
    assert_int_equal(cli_status(&run), 0);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(cli_lines(run.out, rows[i].name), 1);
        const char *line = strstr(run.out, rows[i].name);
        const char *end = strchr(line, '\n');
        const char *first = strstr(line, rows[i].default_value);
        assert_true(first && first < end); /* as the value now … */
        const char *second = strstr(first + 1, rows[i].default_value);
        assert_true(second && second < end); /* … and as the default */
        cli_expect(line, rows[i].meaning);
    }
    run_fini(&run);
}

static void a_value_of_the_environment_is_shown(void **state)
{
    struct run run;
    cli(&run, "STINT_MAX_NODES=4711 \"$STINT\" settings | grep STINT_MAX_NODES");
    cli_expect(run.out, " 4711 ");
    cli_expect(run.out, " 65536 ");
    run_fini(&run);
}

static void a_value_that_cannot_be_used_is_pointed_out_and_made_harmless(void **state)
{
    struct run run;
    cli(&run, "STINT_MAX_NODES=$(printf 'many\\033[31m') \"$STINT\" settings");
    assert_int_equal(cli_status(&run), 0);
    cli_expect(run.out, "many?[31m in the environment is not a value that this setting takes");
    assert_null(strchr(run.out, '\033'));
    run_fini(&run);
}

static void names_that_no_setting_has_are_told_in_one_line(void **state)
{
    struct run run;
    cli(&run, "STINT_MAX_NODE=5 STINT_OTU=$(printf 'x\\033') \"$STINT\" settings | tail -n 1");
    cli_expect(run.out, "ignored, since no setting has that name: ");
    cli_expect(run.out, "STINT_MAX_NODE");
    cli_expect(run.out, "STINT_OTU");
    assert_true(run.out[strlen(run.out) - 1] == '\n');
    run_fini(&run);
}

static void the_machines_form_says_the_same(void **state)
{
    struct run run;
    cli(&run, "unset STINT_OUT; STINT_MAX_NODES=4711 STINT_FOLLOW=x STINT_OTU=1 \"$STINT\" "
              "settings --json |"
              "python3 -c \"import json, sys; d = json.load(sys.stdin); "
              "s = {i['name']: i for i in d['settings']}; n = s['STINT_MAX_NODES']; "
              "print(len(s), n['value'], n['default'], n['option'], s['STINT_FOLLOW']['value'], "
              "s['STINT_FOLLOW']['refused'], d['ignored'])\"");
    size_t count;
    char expected[100];
    (void)settings_rows(&count);
    snprintf(expected, sizeof expected, "%zu 4711 65536 max-nodes 1 x ['STINT_OTU']\n", count);
    assert_string_equal(run.out, expected);
    run_fini(&run);
}

/* On a narrow terminal the meaning has a line of its own, within the width. */
static void it_keeps_to_a_terminal(void **state)
{
    struct run run;
    cli(&run,
        "export TERM=dumb; script -qec \"stty cols 100; '$STINT' settings\" /dev/null </dev/null |"
        "grep -A1 '^STINT_MAX_NODES'");
    cli_expect(run.out, "\n    distinct call paths");
    run_fini(&run);
}

static void words_and_options_are_refused(void **state)
{
    struct run run;
    cli(&run, "\"$STINT\" settings all; echo $?; \"$STINT\" settings --all; echo $?");
    assert_string_equal(run.out, "2\n2\n");
    run_fini(&run);
}

static void output_that_cannot_be_written_is_a_failure(void **state)
{
    struct run run;
    cli(&run, "\"$STINT\" settings >/dev/full");
    assert_int_equal(cli_status(&run), 3);
    CLI_LINE(run.err, "stint: standard output can't be written");
    run_fini(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_setting_has_a_line_with_default_and_meaning),
        cmocka_unit_test(a_value_of_the_environment_is_shown),
        cmocka_unit_test(a_value_that_cannot_be_used_is_pointed_out_and_made_harmless),
        cmocka_unit_test(names_that_no_setting_has_are_told_in_one_line),
        cmocka_unit_test(the_machines_form_says_the_same),
        cmocka_unit_test(it_keeps_to_a_terminal),
        cmocka_unit_test(words_and_options_are_refused),
        cmocka_unit_test(output_that_cannot_be_written_is_a_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

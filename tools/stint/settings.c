/* SPDX-License-Identifier: MIT
 *
 * `stint settings`: the table of settings.c with what a program started from here would use. */
#include "settings/settings.h"

#include "print/screen.h"
#include "verb/exitcode.h"
#include "verb/verbs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { JSON };
enum { WIDE = 120 }; /* columns for a table of one row a setting */

const struct opt settings_options[] = {
    {0, "json", NULL, "the same for machines"},
    {0},
};

static void print_text(const char *text, size_t width)
{
    const struct screen screen = {.file = stdout};
    screen_text(&screen, text);
    screen_pad(&screen, screen_width(text), width);
}

static void print_row(const struct settings_row *row, bool is_wide)
{
    const char *value = getenv(row->name);
    int is_bad = value && !settings_accept(row, value);
    char values[OPT_VALUES];
    printf("%-22s  ", row->name);
    print_text(value && !is_bad ? value : row->default_value, 22);
    printf("  %-22s", row->default_value);
    opt_values(row, values);
    printf("  ");
    print_text(values, is_wide ? 18 : 0);
    printf(is_wide ? "  %s\n" : "\n    %s\n", row->meaning);
    if (is_bad) {
        printf("%24s", "");
        print_text(value, 0);
        puts(" in the environment is not a value that this setting takes");
    }
}

static int unknown;

static void print_unknown(const struct settings_row *row, const char *value)
{
    if (row) return; /* has been pointed out in its own line */
    fputs(unknown++ ? ", " : "ignored, since no setting has that name: ", stdout);
    print_text(value, 0);
}

static void print_all(const struct screen *screen)
{
    struct settings read;
    size_t count = 0;
    const struct settings_row *rows = settings_rows(&count);
    bool is_wide = !screen->width || screen->width >= WIDE;
    screen_style(screen, SCREEN_TITLE);
    printf("%-22s  %-22s  %-22s  ", "Setting", "Value now", "Default");
    printf(is_wide ? "%-18s  %s" : "%s", "Values", "Meaning");
    screen_style(screen, SCREEN_PLAIN);
    putchar('\n');
    for (size_t i = 0; i < count; i++) print_row(&rows[i], is_wide);
    settings_read(&read, environ, print_unknown);
    if (unknown) putchar('\n');
}

/* What is no UTF-8 is left out. */
static json_t *row_json(const struct settings_row *row)
{
    char option[OPT_SETTING_NAME], values[OPT_VALUES];
    const char *value = getenv(row->name);
    bool is_good = value && settings_accept(row, value);
    opt_setting_name(row, option);
    opt_values(row, values);
    json_t *object =
        json_pack("{s:s,s:s,s:s,s:s,s:s}", "name", row->name, "option", option, "default",
                  row->default_value, "values", values, "meaning", row->meaning);
    json_object_set_new(object, "value", json_string(is_good ? value : row->default_value));
    if (value && !is_good) json_object_set_new(object, "refused", json_string(value));
    return object;
}

static json_t *unknown_names;

static void note_unknown(const struct settings_row *row, const char *value)
{
    if (!row) json_array_append_new(unknown_names, json_string(value));
}

static int print_json(const struct screen *screen)
{
    struct settings read;
    size_t count = 0;
    const struct settings_row *rows = settings_rows(&count);
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++) json_array_append_new(list, row_json(&rows[i]));
    unknown_names = json_array();
    settings_read(&read, environ, note_unknown);
    return screen_json(screen, json_pack("{s:o,s:o}", "settings", list, "ignored", unknown_names));
}

int settings_main(struct opt_args *args)
{
    bool is_json = false;
    for (;;) {
        switch (opt_next(args)) {
        case JSON:
            is_json = true;
            continue;
        case OPT_OPERAND:
            return opt_mistake(args->verb, "not expected: ", args->value);
        default:
            break;
        }
        break;
    }
    if (args->status >= 0) return args->status;
    const struct screen screen = screen_over(stdout, SCREEN_AUTO);
    if (is_json) return print_json(&screen);
    print_all(&screen);
    return EXITCODE_OK;
}

/* SPDX-License-Identifier: MIT
 *
 * `stint settings`: the table of settings.c with what a program started from here would use. */
#include "settings/settings.h"

#include "exitcode.h"
#include "verbs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct opt settings_options[] = {{0}};

static const char *unit(const struct settings_row *row)
{
    static const char *const units[] = {
        [SETTINGS_TEXT] = "text",   [SETTINGS_BOOL] = "0 or 1",   [SETTINGS_COUNT] = "count",
        [SETTINGS_BYTES] = "bytes", [SETTINGS_DURATION] = "time",
    };
    return row->choices ? row->choices : units[row->kind];
}

/* What a terminal would act on is replaced. */
static void print_text(const char *text, int width)
{
    int used = 0;
    for (; *text; text++, used++) putchar((unsigned char)*text < ' ' || *text == 127 ? '?' : *text);
    printf("%*s", used < width ? width - used : 0, "");
}

static void print_row(const struct settings_row *row)
{
    const char *value = getenv(row->name);
    int is_bad = value && !settings_accept(row, value);
    printf("%-22s  ", row->name);
    print_text(value && !is_bad ? value : row->default_value, 22);
    printf("  %-22s  %-18s  %s\n", row->default_value, unit(row), row->meaning);
    if (is_bad) {
        printf("%24s", "");
        print_text(value, 0);
        puts(" in the environment is not a value that this setting takes");
    }
}

int settings_main(struct opt_args *args)
{
    switch (opt_next(args)) {
    case OPT_OPERAND:
        return opt_mistake(args->verb, "not expected: ", args->value);
    default:
        if (args->status >= 0) return args->status;
    }
    size_t count = 0;
    const struct settings_row *rows = settings_rows(&count);
    printf("%-22s  %-22s  %-22s  %-18s  %s\n", "Setting", "Value now", "Default", "Unit",
           "Meaning");
    for (size_t i = 0; i < count; i++) print_row(&rows[i]);
    return EXITCODE_OK;
}

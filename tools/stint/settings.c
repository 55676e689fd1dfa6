/* SPDX-License-Identifier: MIT
 *
 * `stint settings`: the table of settings.c with what a program started from here would use. */
#include "settings/settings.h"

#include "exitcode.h"
#include "verbs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const struct opt settings_options[] = {{0}};

/* What a terminal would act on is replaced. */
static void print_text(const char *text, int width)
{
    int used = 0;
    for (; *text; text++) {
        used += ((unsigned char)*text & 0xc0) != 0x80;
        putchar((unsigned char)*text < ' ' || *text == 127 ? '?' : *text);
    }
    printf("%*s", used < width ? width - used : 0, "");
}

static void print_row(const struct settings_row *row)
{
    const char *value = getenv(row->name);
    int is_bad = value && !settings_accept(row, value);
    char values[OPT_VALUES];
    printf("%-22s  ", row->name);
    print_text(value && !is_bad ? value : row->default_value, 22);
    printf("  %-22s  ", row->default_value);
    opt_values(row, values);
    print_text(values, 18);
    printf("  %s\n", row->meaning);
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

int settings_main(struct opt_args *args)
{
    switch (opt_next(args)) {
    case OPT_OPERAND:
        return opt_mistake(args->verb, "not expected: ", args->value);
    default:
        if (args->status >= 0) return args->status;
    }
    struct settings read;
    size_t count = 0;
    const struct settings_row *rows = settings_rows(&count);
    printf("%-22s  %-22s  %-22s  %-18s  %s\n", "Setting", "Value now", "Default", "Values",
           "Meaning");
    for (size_t i = 0; i < count; i++) print_row(&rows[i]);
    settings_read(&read, environ, print_unknown);
    if (unknown) putchar('\n');
    return EXITCODE_OK;
}

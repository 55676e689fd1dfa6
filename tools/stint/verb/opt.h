/* SPDX-License-Identifier: MIT
 *
 * Options as tables: a verb is a row with a table of its own, from which the arguments are read and
 * the help is printed. Where a verb takes settings, each row of settings_rows() is an option too:
 * STINT_MAX_NODES=N is --max-nodes=N. */
#pragma once

#include "settings/settings.h"

#include <stdbool.h>
#include <stddef.h>

struct opt {
    char letter;       /* 0 = none */
    const char *name;  /* without the dashes */
    const char *value; /* what its value is called, or all that it may be: "a|b|c"; NULL = none */
    const char *meaning;
};

struct opt_args;

struct verb {
    const char *name;
    const char *operands; /* as in the synopsis; "a|b|c" = one of these words */
    const char *summary;
    const struct opt *options; /* ended by a row without a name; a verb's enum follows its order */
    bool has_settings;
    bool stops_early; /* the first operand begins a command, whose options are its own */
    int (*run)(struct opt_args *args); /* returns an exit status */
};

/* The verbs, ended by one without a name (main.c). */
extern const struct verb verbs[];

/* The arguments being read. Begin with {.verb, .argv} at the first one after the verb. */
struct opt_args {
    const struct verb *verb;
    char **argv;         /* what is still to be read */
    const char *cluster; /* rest of -abc */
    bool only_operands;  /* after -- */
    const char *value;   /* of the option, or the operand */
    const struct settings_row *setting;
    bool is_implied; /* the verb was not written */
    int status;      /* at OPT_DONE: −1 = go on, else end with it */
};

enum { OPT_DONE = -1, OPT_OPERAND = -2, OPT_SETTING = -3 };

/* The next option: its place in the verb's table, or OPT_SETTING with .setting, or OPT_OPERAND;
 * each with .value. OPT_DONE at the end, or where a verb's command begins (.argv stands at it),
 * after --help, which is answered here, and after a mistake, which is told here. A setting's value
 * is checked, and that of an option with a closed list. */
int opt_next(struct opt_args *args);

enum { OPT_VALUES = 96, OPT_SETTING_NAME = 40 };

/* The option of a setting: "STINT_MAX_NODES" → "max-nodes". */
void opt_setting_name(const struct settings_row *row, char name[OPT_SETTING_NAME]);

/* True where an option of that name stands in the verb's own table, so that it hides a setting's.
 */
bool opt_is_own(const struct verb *verb, const char *name);

/* What a setting takes: "16 … 65536", "0 … 8G", "10ms … 24h", "0 or 1", "auto|tsc". */
void opt_values(const struct settings_row *row, char text[OPT_VALUES]);

/* Tells a mistake in one line, with a pointer to the help; for `return opt_mistake(…)`. */
int opt_mistake(const struct verb *verb, const char *what, const char *word);

/* Prints the verb's help to standard output. */
void opt_help(const struct verb *verb);

/* SPDX-License-Identifier: MIT
 *
 * argv → one option after the other, as GNU programs read them: -n5, -n 5, --rows=5, --rows 5, -ab,
 * and -- before operands. Runs in `stint`. */
#include "verb/opt.h"

#include "base/say.h"
#include "verb/exitcode.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { HELP_COLUMN = 28, HELP_WIDTH = 80 };

void opt_setting_name(const struct settings_row *row, char name[OPT_SETTING_NAME])
{
    const char *from = row->name + strlen("STINT_");
    size_t i = 0;
    for (; from[i] && i < OPT_SETTING_NAME - 1; i++)
        name[i] = from[i] == '_' ? '-' : (char)tolower((unsigned char)from[i]);
    name[i] = '\0';
}

bool opt_is_own(const struct verb *verb, const char *name)
{
    for (const struct opt *opt = verb->options; opt->name; opt++)
        if (strcmp(opt->name, name) == 0) return true;
    return false;
}

/* A line of help: the option, then from `left` on its meaning, wrapped; behind a longer option
 * where it fits the line. */
static void help_line(const char *option, const char *meaning, int left)
{
    int column = printf("  %-*s", left - 2, option);
    if (column > left && column + 2 + (int)strlen(meaning) <= HELP_WIDTH)
        column += printf("  ");
    else if (column > left)
        column = printf("\n%*s", left, "") - 1;
    for (bool is_first = true; *meaning; is_first = false) {
        size_t word = strcspn(meaning, " ");
        if (!is_first && column + (int)word + 1 > HELP_WIDTH)
            column = printf("\n%*s", left, "") - 1;
        else if (!is_first)
            column += printf(" ");
        column += printf("%.*s", (int)word, meaning);
        meaning += word;
        if (*meaning == ' ') meaning++;
    }
    putchar('\n');
}

static const char *value_name(const struct settings_row *row)
{
    static const char *const names[] = {
        [SETTINGS_TEXT] = "TEXT",     [SETTINGS_BOOL] = "0|1",      [SETTINGS_COUNT] = "N",
        [SETTINGS_BYTES] = "BYTES",   [SETTINGS_DURATION] = "TIME", [SETTINGS_MS] = "MS",
        [SETTINGS_SIGNAL] = "SIGNAL",
    };
    return row->kind == SETTINGS_CHOICE ? row->choices : names[row->kind];
}

static void help_settings(const struct verb *verb)
{
    size_t count = 0;
    const struct settings_row *rows = settings_rows(&count);
    puts("\nSettings, each also as the environment variable that `stint settings` names:");
    for (size_t i = 0; i < count; i++) {
        char name[OPT_SETTING_NAME], option[100];
        opt_setting_name(&rows[i], name);
        if (opt_is_own(verb, name)) continue;
        snprintf(option, sizeof option, "    --%s=%s", name, value_name(&rows[i]));
        help_line(option, rows[i].meaning, HELP_COLUMN);
    }
}

static void option_text(const struct opt *opt, char option[100])
{
    const char letter[] = {'-', opt->letter, ',', ' ', '\0'};
    snprintf(option, 100, "%s--%s%s%s", opt->letter ? letter : "    ", opt->name,
             opt->value ? "=" : "", opt->value ? opt->value : "");
}

/* Meanings stand as far left as the longest option allows. */
static int help_column(const struct verb *verb)
{
    size_t longest = 0;
    char option[100];
    for (const struct opt *opt = verb->options; opt->name; opt++) {
        option_text(opt, option);
        if (strlen(option) > longest) longest = strlen(option);
    }
    return verb->has_settings || longest + 4 > HELP_COLUMN ? HELP_COLUMN : (int)longest + 4;
}

void opt_help(const struct verb *verb)
{
    int left = help_column(verb);
    char option[100];
    printf("usage: stint %s%s%s\n%s.\n\n", verb->name, *verb->operands ? " " : "", verb->operands,
           verb->summary);
    for (const struct opt *opt = verb->options; opt->name; opt++) {
        option_text(opt, option);
        help_line(option, opt->meaning, left);
    }
    help_line("-h, --help", "this text", left);
    if (verb->has_settings) help_settings(verb);
    printf("\nMore: man stint-%s\n", verb->name);
}

int opt_mistake(const struct verb *verb, const char *what, const char *word)
{
    say_line(verb->name, ": ", what, word, "; see `stint ", verb->name, " --help`", (char *)0);
    return EXITCODE_USAGE;
}

static int done(struct opt_args *args, int status)
{
    args->status = status;
    return OPT_DONE;
}

static int mistake(struct opt_args *args, const char *what, const char *word)
{
    return done(args, opt_mistake(args->verb, what, word));
}

static int take_help(struct opt_args *args)
{
    opt_help(args->verb);
    return done(args, EXITCODE_OK);
}

/* The option's value: what stands behind the =, else the next argument. */
static bool take_value(struct opt_args *args, const char *attached)
{
    args->value = attached ? attached : *args->argv;
    if (!attached && args->value) args->argv++;
    return args->value != NULL;
}

static bool is_among(const char *words, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = words; at; at = strchr(at, '|')) {
        at += *at == '|';
        if (strcspn(at, "|") == length && memcmp(at, word, length) == 0) return true;
    }
    return false;
}

/* Of an option with a closed list of values, one of them. Returns the option, or OPT_DONE. */
static int take_own(struct opt_args *args, int option, const char *attached, const char *word)
{
    const struct opt *opt = &args->verb->options[option];
    if (!take_value(args, attached)) return mistake(args, "a value is missing after ", word);
    if (!strchr(opt->value, '|') || is_among(opt->value, args->value)) return option;
    char what[160];
    snprintf(what, sizeof what, "not a value that --%s takes (%s): ", opt->name, opt->value);
    return mistake(args, what, args->value);
}

static int take_letter(struct opt_args *args)
{
    const char letter[] = {'-', *args->cluster++, '\0'};
    const char *rest = *args->cluster ? args->cluster : NULL;
    args->cluster = rest;
    if (letter[1] == 'h') return take_help(args);
    for (int i = 0; args->verb->options[i].name; i++) {
        const struct opt *opt = &args->verb->options[i];
        if (opt->letter != letter[1]) continue;
        if (!opt->value) return i;
        args->cluster = NULL;
        return take_own(args, i, rest, letter);
    }
    return mistake(args, "no such option: ", letter);
}

static const struct settings_row *find_setting(const char *word, size_t length)
{
    size_t count = 0;
    const struct settings_row *rows = settings_rows(&count);
    for (size_t i = 0; i < count; i++) {
        char name[OPT_SETTING_NAME];
        opt_setting_name(&rows[i], name);
        if (strlen(name) == length && memcmp(name, word, length) == 0) return &rows[i];
    }
    return NULL;
}

/* In the largest unit of which it is a whole number. */
static void bound_text(enum settings_kind kind, uint64_t value, char text[32])
{
    static const struct {
        enum settings_kind kind;
        uint64_t size;
        const char *name;
    } units[] = {
        {SETTINGS_BYTES, UINT64_C(1) << 30, "G"},       {SETTINGS_BYTES, UINT64_C(1) << 20, "M"},
        {SETTINGS_BYTES, UINT64_C(1) << 10, "K"},       {SETTINGS_DURATION, 3600000000000, "h"},
        {SETTINGS_DURATION, UINT64_C(1000000000), "s"}, {SETTINGS_DURATION, 1000000, "ms"},
    };
    for (size_t i = 0; value && i < sizeof units / sizeof units[0]; i++) {
        if (units[i].kind != kind || value % units[i].size) continue;
        snprintf(text, 32, "%llu%s", (unsigned long long)(value / units[i].size), units[i].name);
        return;
    }
    snprintf(text, 32, "%llu", (unsigned long long)value);
}

void opt_values(const struct settings_row *row, char text[OPT_VALUES])
{
    char least[32], most[32];
    enum settings_kind kind = row->kind == SETTINGS_MS ? SETTINGS_DURATION : row->kind;
    bound_text(kind, row->least, least);
    bound_text(kind, row->most, most);
    if (row->kind == SETTINGS_SIGNAL)
        snprintf(text, OPT_VALUES, "none or a signal");
    else if (row->kind == SETTINGS_TEXT || row->kind == SETTINGS_CHOICE)
        snprintf(text, OPT_VALUES, "%s", row->choices ? row->choices : "text");
    else
        snprintf(text, OPT_VALUES, row->kind == SETTINGS_BOOL ? "%s or %s" : "%s … %s", least,
                 most);
}

/* A switch needs no value: --thread-trees is --thread-trees=1. */
static int take_setting(struct opt_args *args, const char *word, const char *attached)
{
    bool is_switch = args->setting->kind == SETTINGS_BOOL;
    if (is_switch)
        args->value = attached ? attached : "1";
    else if (!take_value(args, attached))
        return mistake(args, "a value is missing after ", word);
    if (settings_accept(args->setting, args->value)) return OPT_SETTING;
    char values[OPT_VALUES], what[OPT_VALUES + 64];
    opt_values(args->setting, values);
    snprintf(what, sizeof what, "not a value that this setting takes (%s): ", values);
    if (attached) return mistake(args, what, word);
    char both[256];
    snprintf(both, sizeof both, "%.80s %.160s", word, args->value);
    return mistake(args, what, both);
}

static int take_long(struct opt_args *args, const char *word)
{
    const char *name = word + 2;
    size_t length = strcspn(name, "=");
    const char *attached = name[length] ? name + length + 1 : NULL;
    if (strcmp(name, "help") == 0) return take_help(args);
    for (int i = 0; args->verb->options[i].name; i++) {
        const struct opt *opt = &args->verb->options[i];
        if (strlen(opt->name) != length || memcmp(opt->name, name, length) != 0) continue;
        if (!opt->value) return attached ? mistake(args, "no value belongs after ", opt->name) : i;
        return take_own(args, i, attached, word);
    }
    args->setting = args->verb->has_settings ? find_setting(name, length) : NULL;
    if (args->setting) return take_setting(args, word, attached);
    return mistake(args, "no such option: ", word);
}

int opt_next(struct opt_args *args)
{
    args->value = NULL;
    args->setting = NULL;
    if (args->cluster) return take_letter(args);
    const char *word = *args->argv;
    if (!word) return done(args, -1);
    bool is_option = !args->only_operands && word[0] == '-' && word[1];
    if (!is_option && args->verb->stops_early) return done(args, -1);
    args->argv++;
    if (!is_option) {
        args->value = word;
        return OPT_OPERAND;
    }
    if (strcmp(word, "--") == 0) {
        args->only_operands = true;
        return opt_next(args);
    }
    args->cluster = word[1] == '-' ? NULL : word + 1;
    return args->cluster ? take_letter(args) : take_long(args, word);
}

/* SPDX-License-Identifier: MIT
 *
 * `stint completion SHELL`: a completion script made from the tables of verbs, options and
 * settings, so that it can't fall behind them. The build installs its output where the shells look.
 */
#include "base/compiler.h"
#include "base/say.h"
#include "settings/settings.h"
#include "verb/exitcode.h"
#include "verb/verbs.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

const struct opt completion_options[] = {{0}};

/* SWITCH: a setting that is on without a value, or =0, =1. */
enum takes { TAKES_NOTHING, TAKES_TEXT, TAKES_FILE, TAKES_CHOICE, TAKES_SWITCH };

/* An option as a shell sees it. */
struct choice {
    char letter;
    const char *name, *meaning, *words; /* words: "a|b|c", of TAKES_CHOICE */
    enum takes takes;
};

struct shell {
    const char *name;
    void (*head)(void);
    void (*begin_verb)(const struct verb *verb);
    void (*option)(const struct verb *verb, const struct choice *choice);
    void (*end_verb)(const struct verb *verb);
    void (*foot)(void);
};

/* Between single quotes of a shell. `also` is escaped by a backslash. */
static void put_quoted(const char *text, const char *also)
{
    for (; *text; text++) {
        if (*text == '\'')
            fputs("'\\''", stdout);
        else if (strchr(also, *text))
            printf("\\%c", *text);
        else
            putchar(*text);
    }
}

static void put_words(const char *words, const char *between)
{
    for (; *words; words++) *words == '|' ? fputs(between, stdout) : putchar(*words);
}

static enum takes takes_of(const char *value)
{
    if (!value) return TAKES_NOTHING;
    if (strchr(value, '|')) return TAKES_CHOICE;
    return strstr(value, "FILE") || strstr(value, "DIR") || strstr(value, "OUT") ? TAKES_FILE
                                                                                 : TAKES_TEXT;
}

/* "bash|zsh|fish", and not "PID|STORE". */
static bool is_list(const char *operands)
{
    return strchr(operands, '|') && !operands[strspn(operands, "abcdefghijklmnopqrstuvwxyz|")];
}

static enum takes takes_of_setting(enum settings_kind kind)
{
    switch (kind) {
    case SETTINGS_BOOL:
        return TAKES_SWITCH;
    case SETTINGS_CHOICE:
        return TAKES_CHOICE;
    case SETTINGS_TEXT:
    case SETTINGS_COUNT:
    case SETTINGS_BYTES:
    case SETTINGS_DURATION:
    case SETTINGS_MS:
    case SETTINGS_SIGNAL:
        break;
    }
    return TAKES_TEXT;
}

static void each_option(const struct shell *shell, const struct verb *verb)
{
    for (const struct opt *opt = verb->options; opt->name; opt++) {
        struct choice choice = {opt->letter, opt->name, opt->meaning, opt->value,
                                takes_of(opt->value)};
        shell->option(verb, &choice);
    }
    size_t count = 0;
    const struct settings_row *rows = settings_rows(&count);
    for (size_t i = 0; verb->has_settings && i < count; i++) {
        char name[OPT_SETTING_NAME];
        opt_setting_name(&rows[i], name);
        enum takes takes = takes_of_setting(rows[i].kind);
        struct choice choice = {0, name, rows[i].meaning,
                                takes == TAKES_SWITCH ? "0|1" : rows[i].choices, takes};
        if (!opt_is_own(verb, name)) shell->option(verb, &choice);
    }
    struct choice help = {'h', "help", "the verb's options", NULL, TAKES_NOTHING};
    shell->option(verb, &help);
}

/* bash: words for compgen; a value's own words where the option before asks for them. */

static void bash_head(void)
{
    fputs("# bash completion for stint; made by `stint completion bash`.\n"
          "_stint()\n{\n"
          "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} verb= words= "
          "equals=\n"
          "    COMPREPLY=()\n"
          "    if [[ $cur == = ]]; then cur= equals==; elif [[ $prev == = ]]; then "
          "prev=${COMP_WORDS[COMP_CWORD-2]} equals==; fi\n"
          "    (( COMP_CWORD > 1 )) && verb=${COMP_WORDS[1]}\n"
          "    case $verb in\n",
          stdout);
}

static void bash_begin(const struct verb *verb)
{
    printf("    %s)\n        case $prev$equals in\n", verb->name);
}

/* Choices and files come first; the list of options follows in a second pass. */
static void bash_option(const struct verb *verb, const struct choice *choice)
{
    (void)verb;
    if (choice->takes == TAKES_NOTHING || choice->takes == TAKES_TEXT) return;
    fputs("        ", stdout);
    if (choice->letter) printf("-%c|", choice->letter);
    if (choice->takes != TAKES_SWITCH) printf("--%s|", choice->name);
    printf("--%s=) ", choice->name);
    if (choice->takes != TAKES_FILE) {
        fputs("COMPREPLY=($(compgen -W '", stdout);
        put_words(choice->words, " ");
        fputs("' -- \"$cur\")); return ;;\n", stdout);
    } else {
        fputs("COMPREPLY=($(compgen -f -- \"$cur\")); return ;;\n", stdout);
    }
}

static void bash_word(const struct verb *verb, const struct choice *choice)
{
    (void)verb;
    printf(" --%s", choice->name);
}

static void bash_end(const struct verb *verb)
{
    static const struct shell words = {.option = bash_word};
    fputs("        esac\n        words='", stdout);
    each_option(&words, verb);
    putchar('\'');
    if (is_list(verb->operands)) {
        fputs("\n        [[ $cur == -* ]] || { COMPREPLY=($(compgen -W '", stdout);
        put_words(verb->operands, " ");
        fputs("' -- \"$cur\")); return; }", stdout);
    }
    fputs(" ;;\n", stdout);
}

static void bash_foot(void)
{
    fputs("    *)\n        if (( COMP_CWORD > 1 )); then\n"
          "            COMPREPLY=($(compgen -f -- \"$cur\")); return\n        fi\n        words='",
          stdout);
    for (const struct verb *verb = verbs; verb->name; verb++) printf("%s ", verb->name);
    fputs("--help --version'\n"
          "        COMPREPLY=($(compgen -c -- \"$cur\")) ;;\n"
          "    esac\n"
          "    if [[ $cur == -* || $COMP_CWORD == 1 ]]; then\n"
          "        COMPREPLY=($(compgen -W \"$words\" -- \"$cur\") \"${COMPREPLY[@]}\")\n"
          "    elif [[ $verb == run && ${COMP_WORDS[COMP_CWORD-1]} == @(run|--) ]]; then\n"
          "        COMPREPLY=($(compgen -c -- \"$cur\"))\n"
          "    else\n"
          "        COMPREPLY=($(compgen -f -- \"$cur\"))\n"
          "    fi\n"
          "}\n"
          "complete -o filenames -o bashdefault -F _stint stint\n",
          stdout);
}

/* zsh: _arguments for each verb. */

static void zsh_head(void)
{
    fputs("#compdef stint\n# zsh completion for stint; made by `stint completion zsh`.\n"
          "_stint()\n{\n    local -a verbs\n    verbs=(\n",
          stdout);
    for (const struct verb *verb = verbs; verb->name; verb++) {
        printf("        '%s:", verb->name);
        put_quoted(verb->summary, ":");
        puts("'");
    }
    fputs("    )\n    if (( CURRENT == 2 )); then\n        _describe verb verbs\n        "
          "_command_names -e\n"
          "        return\n    fi\n    local verb=$words[2]\n"
          "    shift words\n    (( CURRENT-- ))\n    case $verb in\n",
          stdout);
}

static void zsh_begin(const struct verb *verb)
{
    printf("    %s)\n        _arguments -s -S", verb->name);
}

static void zsh_option(const struct verb *verb, const struct choice *choice)
{
    (void)verb;
    fputs(" \\\n            ", stdout);
    bool has_value = choice->takes != TAKES_NOTHING, is_switch = choice->takes == TAKES_SWITCH;
    const char *equals = is_switch ? "=-" : has_value ? "=" : "";
    if (choice->letter)
        printf("'(-%c --%s)'{-%c%s,--%s%s}'[", choice->letter, choice->name, choice->letter,
               has_value ? "+" : "", choice->name, equals);
    else
        printf("'--%s%s[", choice->name, equals);
    put_quoted(choice->meaning, "[]:");
    putchar(']');
    if (choice->takes == TAKES_CHOICE || is_switch) {
        printf("%s:%s:(", is_switch ? ":" : "", choice->name);
        put_words(choice->words, " ");
        putchar(')');
    } else if (choice->takes == TAKES_FILE) {
        printf(":%s:_files", choice->name);
    } else if (choice->takes == TAKES_TEXT) {
        printf(":%s: ", choice->name);
    }
    putchar('\'');
}

static void zsh_end(const struct verb *verb)
{
    if (is_list(verb->operands)) {
        fputs(" \\\n            '1:word:(", stdout);
        put_words(verb->operands, " ");
        fputs(")' ;;\n", stdout);
        return;
    }
    fputs(verb->stops_early
              ? " \\\n            '(-):command:_command_names -e' '*::arguments:_normal' ;;\n"
              : " \\\n            '*:file:_files' ;;\n",
          stdout);
}

static void zsh_foot(void) { fputs("    *) _normal ;;\n    esac\n}\n_stint \"$@\"\n", stdout); }

/* fish: one line an option. */

static void fish_head(void)
{
    puts("# fish completion for stint; made by `stint completion fish`.");
    for (const struct verb *verb = verbs; verb->name; verb++) {
        printf("complete -c stint -n __fish_use_subcommand -a %s -d '", verb->name);
        put_quoted(verb->summary, "\\");
        puts("'");
    }
    puts("complete -c stint -n __fish_use_subcommand -a '(__fish_complete_command)'");
}

static void fish_option(const struct verb *verb, const struct choice *choice)
{
    printf("complete -c stint -n '__fish_seen_subcommand_from %s'", verb->name);
    if (choice->letter) printf(" -s %c", choice->letter);
    printf(" -l %s", choice->name);
    if (choice->takes == TAKES_TEXT) fputs(" -x", stdout);
    if (choice->takes == TAKES_FILE) fputs(" -rF", stdout);
    if (choice->takes == TAKES_CHOICE || choice->takes == TAKES_SWITCH) {
        fputs(choice->takes == TAKES_SWITCH ? " -a '" : " -xa '", stdout);
        put_words(choice->words, " ");
        putchar('\'');
    }
    fputs(" -d '", stdout);
    put_quoted(choice->meaning, "\\");
    puts("'");
}

static void fish_end(const struct verb *verb)
{
    if (!is_list(verb->operands)) return;
    printf("complete -c stint -n '__fish_seen_subcommand_from %s' -fa '", verb->name);
    put_words(verb->operands, " ");
    puts("'");
}

static void no_verb(const struct verb *verb) { (void)verb; }
static void nothing(void) {}

static const struct shell shells[] = {
    {"bash", bash_head, bash_begin, bash_option, bash_end, bash_foot},
    {"zsh", zsh_head, zsh_begin, zsh_option, zsh_end, zsh_foot},
    {"fish", fish_head, no_verb, fish_option, fish_end, nothing},
};

static void print_script(const struct shell *shell)
{
    shell->head();
    for (const struct verb *verb = verbs; verb->name; verb++) {
        shell->begin_verb(verb);
        each_option(shell, verb);
        shell->end_verb(verb);
    }
    shell->foot();
}

int completion_main(struct opt_args *args)
{
    const char *wanted = NULL;
    while (opt_next(args) == OPT_OPERAND) {
        if (wanted) return opt_mistake(args->verb, "one shell only: ", args->value);
        wanted = args->value;
    }
    if (args->status >= 0) return args->status;
    for (size_t i = 0; wanted && i < COUNT_OF(shells); i++) {
        if (strcmp(wanted, shells[i].name) != 0) continue;
        print_script(&shells[i]);
        return EXITCODE_OK;
    }
    return opt_mistake(args->verb,
                       wanted ? "not bash, zsh or fish: " : "which shell: bash, zsh or fish",
                       wanted ? wanted : "");
}

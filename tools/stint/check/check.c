/* SPDX-License-Identifier: MIT
 *
 * `stint check`: would a program be recorded, and if not, what to change. The command is found and
 * read here, judged in advice.c, shown in show.c. Runs in `stint`. */
#include "base/say.h"
#include "check/checked.h"
#include "check/target.h"
#include "verb/exitcode.h"
#include "verb/verbs.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { JSON };

const struct opt check_options[] = {
    {0, "json", NULL, "the same for machines"},
    {0},
};

static bool is_env(const char *path)
{
    const char *slash = strrchr(path, '/');
    return strcmp(slash ? slash + 1 : path, "env") == 0;
}

/* "#!/usr/bin/env -S python3 -u" → python3; "" → the shell. */
static const char *interpreter_word(char *line)
{
    char *save = NULL, *word = strtok_r(line, " \t", &save);
    if (!word) return "/bin/sh";
    if (!is_env(word)) return word;
    for (word = strtok_r(NULL, " \t", &save); word && *word == '-';)
        word = strtok_r(NULL, " \t", &save);
    return word ? word : "/usr/bin/env";
}

/* A script is run by another program, which may be one too. */
static bool follow_script(struct checked *checked)
{
    for (int depth = 0; depth < 4 && checked->binary.kind == BINARY_SCRIPT; depth++) {
        char line[256];
        snprintf(line, sizeof line, "%s", checked->binary.interpreter);
        if (depth == 0) snprintf(checked->script, sizeof checked->script, "%s", checked->path);
        binary_fini(&checked->binary);
        if (!target_find(interpreter_word(line), checked->path)) return false;
        binary_read(checked->path, &checked->binary);
    }
    return true;
}

/* EXITCODE_OK, or what has been told. */
static int look(struct checked *checked)
{
    bool is_there = target_find(checked->command, checked->path);
    if (!is_there && access(checked->command, F_OK) == 0)
        is_there = snprintf(checked->path, sizeof checked->path, "%s", checked->command) > 0;
    if (!is_there) {
        say_line("check: ", checked->command, ": no such command or file", (char *)0);
        return EXITCODE_BAD_INPUT;
    }
    binary_read(checked->path, &checked->binary);
    if (checked->binary.kind == BINARY_SCRIPT && access(checked->path, X_OK) != 0) {
        say_line("check: ", checked->path, ": neither an ELF object nor an executable script",
                 (char *)0);
        return EXITCODE_BAD_INPUT;
    }
    if (!follow_script(checked)) {
        say_line("check: ", checked->command, ": a script whose interpreter is not there",
                 (char *)0);
        return EXITCODE_BAD_INPUT;
    }
    if (checked->binary.kind == BINARY_UNKNOWN || checked->binary.kind == BINARY_DAMAGED) {
        const char *fault = checked->binary.fault;
        say_line("check: ", checked->path, ": ", *fault ? fault : "empty, or can't be read",
                 (char *)0);
        return EXITCODE_BAD_INPUT;
    }
    checked->is_privileged = target_is_privileged(checked->path);
    if (!libraries_find(checked->path, &checked->binary, &checked->libraries))
        return EXITCODE_BAD_INPUT;
    checked->would_record = checked_would_record(checked);
    checked_advise(checked);
    return EXITCODE_OK;
}

/* An exit status, or −1 to go on. */
static int read_arguments(struct opt_args *args, struct checked *checked, bool *is_json)
{
    for (;;) {
        switch (opt_next(args)) {
        case JSON:
            *is_json = true;
            break;
        case OPT_OPERAND:
            if (checked->command) return opt_mistake(args->verb, "one program only: ", args->value);
            checked->command = args->value;
            break;
        default:
            if (args->status >= 0 || checked->command) return args->status;
            return opt_mistake(args->verb, "a program is missing", "");
        }
    }
}

int check_main(struct opt_args *args)
{
    bool is_json = false;
    struct checked *checked = calloc(1, sizeof *checked);
    if (!checked) return EXITCODE_BAD_INPUT;
    int status = read_arguments(args, checked, &is_json);
    if (status < 0) {
        status = look(checked);
        const struct screen screen = screen_over(stdout, SCREEN_AUTO);
        if (status == EXITCODE_OK && is_json)
            status = screen_json(&screen, checked_json(checked));
        else if (status == EXITCODE_OK)
            checked_show(&screen, checked);
        if (status == EXITCODE_OK && !checked->would_record) status = EXITCODE_DIFFERENCE;
    }
    libraries_fini(&checked->libraries);
    binary_fini(&checked->binary);
    free(checked);
    return status;
}

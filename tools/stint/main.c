/* SPDX-License-Identifier: MIT
 *
 * The `stint` command: a table of verbs, a file each. A first word that is no verb is a command to
 * run. */
#include "base/say.h"
#include "config.h"
#include "verb/exitcode.h"
#include "verb/opt.h"
#include "verb/verbs.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

const struct verb verbs[] = {
    {"run", "[OPTION…] [--] COMMAND [ARGUMENT…]",
     "Runs a command under stint, then shows its report", run_options, true, true, run_main},
    {"report", "[OPTION…] [FILE]", "Shows a report: tables, the call tree, histograms, frames",
     report_options, false, false, report_main},
    {"export", "-f FORMAT [-o FILE] [REPORT]",
     "Writes a report in the form that another program reads", export_options, false, false,
     export_main},
    {"diff", "[OPTION…] OLD NEW | OLD… -- NEW…", "Says what changed between reports", diff_options,
     false, false, diff_main},
    {"merge", "[OPTION…] FILE… -o OUT", "Makes one report of many", merge_options, false, false,
     merge_main},
    {"check", "[--json] PROGRAM", "Says whether a program would be recorded, or what to change",
     check_options, false, false, check_main},
    {"top", "[OPTION…] PID|STORE", "Shows a running program's functions, again and again",
     top_options, false, false, top_main},
    {"advise", "[OPTION…] [FILE]", "Says what should not be instrumented", advise_options, false,
     false, advise_main},
    {"recover", "[OPTION…] [STORE…]",
     "Lists the stores of killed programs, or writes their reports", recover_options, false, false,
     recover_main},
    {"settings", "[--json]", "Lists the settings, with their values here and now", settings_options,
     false, false, settings_main},
    {"completion", "bash|zsh|fish", "Prints completions for bash, zsh or fish", completion_options,
     false, false, completion_main},
    {NULL, NULL, NULL, NULL, false, false, NULL},
};

static int help(void)
{
    puts("stint tells where a native program's time goes, per function and per thread.\n");
    puts("usage:");
    for (const struct verb *verb = verbs; verb->name; verb++)
        printf("  stint %-10s  %s\n", verb->name, verb->summary);
    puts("  stint COMMAND     The same as stint run COMMAND\n"
         "  stint VERB --help, stint --version\n\n"
         "The program must have been built with -finstrument-functions. More: man stint");
    return EXITCODE_OK;
}

/* What was printed must have arrived. */
static int flushed(int status)
{
    if (fflush(stdout) == 0 && !ferror(stdout)) return status;
    say_line("standard output can't be written: ", strerror(errno), (char *)0);
    return EXITCODE_BAD_INPUT;
}

static const struct verb *find_verb(const char *name)
{
    for (const struct verb *verb = verbs; verb->name; verb++)
        if (strcmp(verb->name, name) == 0) return verb;
    return NULL;
}

int main(int argc, char **argv)
{
    const char *word = argc > 1 ? argv[1] : NULL;
    if (!word) {
        say_line("a verb or a command is missing; see `stint --help`", (char *)0);
        return EXITCODE_USAGE;
    }
    bool is_help = strcmp(word, "help") == 0 && argc == 2;
    if (is_help || strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) return flushed(help());
    if (strcmp(word, "--version") == 0) {
        puts("stint " STINT_VERSION);
        return flushed(EXITCODE_OK);
    }
    const struct verb *verb = find_verb(word);
    /* Also where options stand before the command: stint -o FILE CMD. */
    struct opt_args args = {
        .verb = verb ? verb : &verbs[0], .argv = argv + (verb ? 2 : 1), .is_implied = !verb};
    return flushed(args.verb->run(&args));
}

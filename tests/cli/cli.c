/* SPDX-License-Identifier: MIT
 *
 * Lines of shell over the end-to-end tests' runner. */
#include "cli.h"

void cli(struct run *run, const char *line)
{
    char command[8192];
    snprintf(command, sizeof command,
             "STINT='%s' T='%s' C='%s' LIB='%s' REPORTS='%s'; export STINT T C LIB REPORTS; %s",
             run_setting("STINT_COMMAND"), run_setting("STINT_TEST_TARGETS"),
             run_setting("STINT_TEST_CLI_TARGETS"), run_setting("STINT_LIBRARY"),
             run_setting("STINT_TEST_REPORTS"), line);
    run_target(run,
               &(struct run_spec){.target = "/bin/sh",
                                  .args = {"-c", command},
                                  .env = {"STINT_STORE=../store"},
                                  .no_preload = true},
               true);
}

int cli_status(const struct run *run)
{
    if (!WIFEXITED(run->status)) fail_msg("ended by a signal: %#x\n%s", run->status, run->err);
    return WEXITSTATUS(run->status);
}

bool cli_has(const char *text, const char *part) { return strstr(text, part) != NULL; }

void cli_expect(const char *text, const char *part)
{
    if (!cli_has(text, part)) fail_msg("no \"%s\" in:\n%s", part, text);
}

void cli_expect_line(const char *text, const char *const *parts)
{
    const char *end = strchr(text, '\n');
    if (!end || end[1]) fail_msg("not one line:\n%s", text);
    for (; *parts; parts++) cli_expect(text, *parts);
}

int cli_lines(const char *text, const char *begin)
{
    int count = 0;
    while (*text) {
        const char *start = text + strspn(text, " ");
        count += strncmp(start, begin, strlen(begin)) == 0;
        text += strcspn(text, "\n");
        text += *text == '\n';
    }
    return count;
}

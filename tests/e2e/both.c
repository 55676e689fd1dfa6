/* SPDX-License-Identifier: MIT
 *
 * The comparison of a plain run with one under stint: what the target's user could notice. */
#include "check.h"
#include "run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include <cmocka.h>

static bool starts(const char *text, const char *with)
{
    return !strncmp(text, with, strlen(with));
}

static bool tells_truth(const char *line)
{
    return starts(line, "calls ") || starts(line, "slept ") || starts(line, "open ") ||
           starts(line, "number ");
}

/* The text without the lines that may differ. To be freed. */
static char *comparable(const char *text, bool without_truth, bool without_ours)
{
    char *kept = calloc(1, strlen(text) + 1);
    for (const char *line = text; *line;) {
        size_t bytes = strcspn(line, "\n");
        bytes += line[bytes] == '\n';
        if (!(without_truth && tells_truth(line)) && !(without_ours && starts(line, "stint: ")))
            strncat(kept, line, bytes);
        line += bytes;
    }
    return kept;
}

static void check_same_text(const char *what, const char *plain, const char *stint)
{
    if (strcmp(plain, stint))
        fail_msg("%s differs.\nplain:\n%.2000s\nunder stint:\n%.2000s", what, plain, stint);
}

static void check_same(const struct both *both, const struct run_spec *spec)
{
    if (both->plain.status != both->stint.status)
        fail_msg("wait status %#x plain, %#x under stint; stderr there:\n%.2000s",
                 (unsigned)both->plain.status, (unsigned)both->stint.status, both->stint.err);
    char *plain = comparable(both->plain.out, spec->truth_varies, false);
    char *stint = comparable(both->stint.out, spec->truth_varies, false);
    check_same_text("stdout", plain, stint);
    free(plain), free(stint);
    plain = comparable(both->plain.err, false, false);
    stint = comparable(both->stint.err, false, spec->says);
    check_same_text("stderr", plain, stint);
    free(plain), free(stint);
}

void both_check_left(const struct both *both, const char *reports)
{
    char *out = run_list(&both->stint, "out"), *store = run_list(&both->stint, "store");
    char *work = run_list(&both->stint, "work"), *plain = run_list(&both->plain, "work");
    if (reports) check_same_text("files beside the report", reports, out);
    check_same_text("stores left behind", "", store);
    check_same_text("files in the target's directory", plain, work);
    free(out), free(store), free(work), free(plain);
}

void both_run_bare(struct both *both, const struct run_spec *spec)
{
    *both = (struct both){0};
    run_target(&both->plain, spec, false);
    run_target(&both->stint, spec, true);
    check_same(both, spec);
}

void both_run(struct both *both, const struct run_spec *spec)
{
    both_run_bare(both, spec);
    both_check_left(both, "profiling_results.json");
    both->report = report_load(&both->stint, "profiling_results.json", CHECK_ALL);
    check_truth(both->report, both->stint.out);
}

void both_fini(struct both *both)
{
    run_fini(&both->plain);
    run_fini(&both->stint);
    json_decref(both->report);
    *both = (struct both){0};
}

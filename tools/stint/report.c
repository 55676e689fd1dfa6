/* SPDX-License-Identifier: MIT
 *
 * `stint report`: a report as a table. */
#include "base/num.h"
#include "base/say.h"
#include "exitcode.h"
#include "report/read.h"
#include "show.h"
#include "threads.h"
#include "verbs.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { ROWS, SORT, THREADS };

const struct opt report_options[] = {
    {'n', "rows", "N", "at most N rows; 0 = all (default 40)"},
    {'s', "sort", "COLUMN",
     "total, self, calls, avg, p50, p99, p99.9, max (largest first), function or module (default "
     "self)"},
    {'t', "threads", NULL, "the threads instead: lifetime, processor time, calls"},
    {0},
};

static void tell_fault(const char *path, const struct read_fault *fault)
{
    char place[48] = "";
    if (fault->line) snprintf(place, sizeof place, "%d:%d:", fault->line, fault->column);
    int is_content = fault->fault.error == -EBADMSG;
    say_line(path, ":", place, " ", fault->fault.text, is_content ? "" : ": ",
             is_content ? "" : strerror(-fault->fault.error), (char *)0);
}

/* In characters; 0 where fd is no terminal. */
static size_t width_of_terminal(int fd)
{
    struct winsize size;
    return ioctl(fd, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

/* NULL where it is none, which has been told. */
static json_t *read_or_tell(const char *path)
{
    struct read_fault fault = {.line = 0};
    json_t *report = NULL;
    if (read_report(path, &report, &fault) < 0) tell_fault(path, &fault);
    return report;
}

static int show_threads(const char *path)
{
    json_t *report = read_or_tell(path);
    if (!report) return EXITCODE_BAD_INPUT;
    threads_print(report);
    json_decref(report);
    return EXITCODE_OK;
}

int show_report(const char *path, const struct summary_options *wishes, int fd)
{
    struct summary_options options = *wishes;
    json_t *report = read_or_tell(path);
    if (!report) return EXITCODE_BAD_INPUT;
    options.width = width_of_terminal(fd);
    int error = summary_write(report, &options, fd);
    json_decref(report);
    if (error == 0) return EXITCODE_OK;
    say_line("the table can't be written: ", strerror(-error), (char *)0);
    return EXITCODE_BAD_INPUT;
}

struct report_arguments {
    const char *path;
    bool is_threads;
    struct summary_options table;
};

/* An exit status, or −1 to go on. */
static int read_arguments(struct opt_args *args, struct report_arguments *arguments)
{
    uint64_t rows = 0;
    for (;;) {
        switch (opt_next(args)) {
        case ROWS:
            if (num_parse_u64(args->value, &rows) != 0)
                return opt_mistake(args->verb,
                                   "not a number of rows, 0 (all) or more: ", args->value);
            arguments->table.most_rows = rows;
            break;
        case SORT:
            arguments->table.sort = summary_find_column(args->value);
            if (!arguments->table.sort)
                return opt_mistake(args->verb, "no such column: ", args->value);
            break;
        case THREADS:
            arguments->is_threads = true;
            break;
        case OPT_OPERAND:
            if (arguments->path) return opt_mistake(args->verb, "one report only: ", args->value);
            arguments->path = args->value;
            break;
        default:
            return args->status;
        }
    }
}

int report_main(struct opt_args *args)
{
    struct report_arguments arguments = {.path = NULL, .table = {.most_rows = 40}};
    int status = read_arguments(args, &arguments);
    if (status >= 0) return status;
    const char *path = arguments.path ? arguments.path : "profiling_results.json";
    if (strcmp(path, "-") == 0) path = "/dev/stdin";
    if (arguments.is_threads) return show_threads(path);
    return show_report(path, &arguments.table, STDOUT_FILENO);
}

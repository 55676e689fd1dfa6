/* SPDX-License-Identifier: MIT
 *
 * `stint report`: a report as a table. */
#include "base/num.h"
#include "base/say.h"
#include "document.h"
#include "exitcode.h"
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

/* In characters; 0 where fd is no terminal. */
static size_t width_of_terminal(int fd)
{
    struct winsize size;
    return ioctl(fd, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

static int show_threads(const char *path)
{
    struct document document;
    int status = document_open(path, &document);
    if (status != EXITCODE_OK) return status;
    threads_print(document.json);
    document_close(&document);
    return EXITCODE_OK;
}

int show_report(const char *path, const struct summary_options *wishes, int fd)
{
    struct summary_options options = *wishes;
    struct document document;
    int status = document_open(path, &document);
    if (status != EXITCODE_OK) return status;
    options.width = width_of_terminal(fd);
    int error = summary_write(document.json, &options, fd);
    document_close(&document);
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
    if (arguments.is_threads) return show_threads(arguments.path);
    return show_report(arguments.path, &arguments.table, STDOUT_FILENO);
}

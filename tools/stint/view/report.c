/* SPDX-License-Identifier: MIT
 *
 * `stint report`: arguments → a view → one of display.h. */
#include "base/num.h"
#include "base/say.h"
#include "verb/exitcode.h"
#include "verb/verbs.h"
#include "view/display.h"
#include "view/show.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
    ROWS,
    SORT,
    NAME,
    MODULE,
    THREAD,
    THREADS,
    TREE,
    DEPTH,
    MIN_PERCENT,
    CALLERS,
    CALLEES,
    FRAMES,
    HISTOGRAM,
    LINES,
    NETWORK,
    JSON,
    COLOUR
};
enum { ROWS_SHOWN = 40, FRAMES_SHOWN = 10 };

const struct opt report_options[] = {
    {'n', "rows", "N", "at most N rows; 0 = all (default 40)"},
    {'s', "sort", "self|total|calls|avg|p50|p99|p99.9|max|function|module",
     "the largest first, names by alphabet (default self)"},
    {'N', "name", "GLOB", "functions whose name fits; may be given again"},
    {'m', "module", "GLOB", "functions of modules whose path or name fits"},
    {'T', "thread", "ID", "of one thread (tid or id), or those of that name"},
    {'t', "threads", NULL, "the threads: lifetime, processor time, calls"},
    {0, "tree", NULL, "the call tree"},
    {0, "depth", "N", "the tree N levels deep"},
    {0, "min-percent", "P", "the tree without branches below P % (default 0.5)"},
    {0, "callers", "F", "who calls F (a name or glob)"},
    {0, "callees", "F", "whom F calls"},
    {0, "frames", NULL, "the frames: percentiles, the worst and why"},
    {0, "histogram", "F", "the durations of F drawn"},
    {'l', "lines", NULL, "also the file and line of functions"},
    {0, "debuginfod", NULL, "--lines, also from the servers of DEBUGINFOD_URLS"},
    {0, "json", NULL, "the same for machines"},
    {0, "color", "auto|always|never", "colours (default auto)"},
    {0},
};

struct wishes {
    struct display display;
    display_main *main;
    const char *path;
    enum screen_colour colour;
    bool has_rows, with_lines, may_ask_network;
    uint32_t given; /* a bit for each option */
};

/* One view at a time; −1 = go on. */
static int take_view(struct opt_args *args, struct wishes *wishes, display_main *main,
                     const char *function)
{
    if (wishes->main && wishes->main != main)
        return opt_mistake(args->verb, "one view at a time; not with another: --",
                           function ? "callers, --callees or --histogram"
                                    : "threads, --tree or --frames");
    wishes->main = main;
    wishes->display.function = function;
    return -1;
}

static int take_rows(struct opt_args *args, struct wishes *wishes)
{
    uint64_t rows = 0;
    if (num_parse_u64(args->value, &rows) != 0)
        return opt_mistake(args->verb, "not a number of rows, 0 (all) or more: ", args->value);
    wishes->display.most_rows = rows;
    wishes->has_rows = true;
    return -1;
}

static int take_depth(struct opt_args *args, struct wishes *wishes)
{
    uint64_t depth = 0;
    if (num_parse_u64(args->value, &depth) != 0 || depth < 1 || depth > UINT32_MAX)
        return opt_mistake(args->verb, "not a number of levels, 1 or more: ", args->value);
    wishes->display.depth = (uint32_t)depth;
    return -1;
}

static int take_percent(struct opt_args *args, struct wishes *wishes)
{
    char *end;
    double percent = strtod(args->value, &end);
    bool is_number = *args->value >= '0' && *args->value <= '9' && !*end;
    if (!is_number || !(percent >= 0 && percent <= 100))
        return opt_mistake(args->verb, "not a percentage from 0 to 100: ", args->value);
    wishes->display.min_percent = percent;
    return -1;
}

static int take_name(struct opt_args *args, struct wishes *wishes)
{
    struct select_wish *select = &wishes->display.select;
    if (select->name_count == SELECT_GLOBS)
        return opt_mistake(args->verb, "at most 32 names; too many with ", args->value);
    select->names[select->name_count++] = args->value;
    return -1;
}

static int take_sort(struct opt_args *args, struct wishes *wishes)
{
    wishes->display.sort = display_find_column(args->value);
    return -1; /* one of the table's: opt.c has seen to it */
}

static int take_colour(struct opt_args *args, struct wishes *wishes)
{
    (void)screen_parse_colour(args->value, &wishes->colour); /* opt.c has seen that it is one */
    return -1;
}

static int take_path(struct opt_args *args, struct wishes *wishes)
{
    if (wishes->path) return opt_mistake(args->verb, "one report only: ", args->value);
    wishes->path = args->value;
    return -1;
}

/* −1 = go on. */
static int take_switch(int option, struct opt_args *args, struct wishes *wishes)
{
    switch (option) {
    case MODULE:
        wishes->display.select.module = args->value;
        break;
    case THREAD:
        wishes->display.thread = args->value;
        break;
    case LINES:
        wishes->with_lines = true;
        break;
    case NETWORK:
        wishes->with_lines = wishes->may_ask_network = true;
        break;
    case JSON:
        wishes->display.is_json = true;
        break;
    default:
        break;
    }
    return -1;
}

static int take(int option, struct opt_args *args, struct wishes *wishes)
{
    switch (option) {
    case ROWS:
        return take_rows(args, wishes);
    case SORT:
        return take_sort(args, wishes);
    case NAME:
        return take_name(args, wishes);
    case THREADS:
        return take_view(args, wishes, display_threads, NULL);
    case TREE:
        return take_view(args, wishes, display_tree, NULL);
    case DEPTH:
        return take_depth(args, wishes);
    case MIN_PERCENT:
        return take_percent(args, wishes);
    case CALLERS:
        return take_view(args, wishes, display_callers, args->value);
    case CALLEES:
        return take_view(args, wishes, display_callees, args->value);
    case FRAMES:
        return take_view(args, wishes, display_frames, NULL);
    case HISTOGRAM:
        return take_view(args, wishes, display_histogram, args->value);
    case COLOUR:
        return take_colour(args, wishes);
    case OPT_OPERAND:
        return take_path(args, wishes);
    default:
        return take_switch(option, args, wishes);
    }
}

/* An exit status, or −1 to go on. */
static int read_arguments(struct opt_args *args, struct wishes *wishes)
{
    for (;;) {
        int option = opt_next(args);
        int status = option == OPT_DONE ? args->status : take(option, args, wishes);
        if (option >= 0) wishes->given |= UINT32_C(1) << option;
        if (option == OPT_DONE || status >= 0) return status;
    }
}

/* What chooses among one view's rows means nothing to another, and is not passed over in silence.
 */
static int refuse_meaningless(struct opt_args *args, const struct wishes *wishes,
                              display_main *main)
{
    static const struct {
        int option;
        display_main *views[4];
    } narrowings[] = {
        {SORT, {display_report}},
        {NAME, {display_report, display_frames}},
        {MODULE, {display_report}},
        {THREAD, {display_report, display_threads, display_tree, display_histogram}},
        {DEPTH, {display_tree}},
        {MIN_PERCENT, {display_tree}},
    };
    for (size_t i = 0; i < sizeof narrowings / sizeof narrowings[0]; i++) {
        bool means_something = !(wishes->given & UINT32_C(1) << narrowings[i].option);
        for (size_t j = 0; j < 4; j++) means_something |= narrowings[i].views[j] == main;
        if (!means_something)
            return opt_mistake(args->verb, "this view has no use for --",
                               report_options[narrowings[i].option].name);
    }
    return -1;
}

/* A value that doesn't fit the report is refused before anything is printed. */
static int refuse_unknown(const struct display *display)
{
    if (!display->thread) return EXITCODE_OK;
    bool *wanted = calloc(display->document->thread_count + (size_t)1, sizeof *wanted);
    bool is_any = wanted && select_threads(display->document, display->thread, wanted);
    free(wanted);
    return is_any ? EXITCODE_OK : EXITCODE_USAGE;
}

static int open_lines(struct wishes *wishes)
{
    if (!wishes->with_lines) return EXITCODE_OK;
    if (!lines_supported()) {
        say_line("this stint was built without libdw, so --lines finds nothing", (char *)0);
        return EXITCODE_USAGE;
    }
    wishes->display.lines = lines_new(wishes->may_ask_network);
    return wishes->display.lines ? EXITCODE_OK : EXITCODE_BAD_INPUT;
}

static void close_lines(struct wishes *wishes)
{
    const char *module = "", *why = "";
    char others[48] = "";
    if (!wishes->display.lines) return;
    fflush(stdout);
    size_t missing = lines_missing(wishes->display.lines, &module, &why);
    if (missing > 1) snprintf(others, sizeof others, " (and %zu more without lines)", missing - 1);
    if (missing) say_line(module, " ", why, others, (char *)0);
    lines_free(wishes->display.lines);
}

int show_report(const char *path, size_t most_rows, FILE *file)
{
    struct document document;
    int status = document_open(path, &document);
    if (status != EXITCODE_OK) return status;
    const struct display display = {
        .document = &document, .screen = screen_over(file, SCREEN_AUTO), .most_rows = most_rows};
    status = display_report(&display);
    fflush(file);
    document_close(&document);
    return status;
}

int report_main(struct opt_args *args)
{
    struct wishes wishes = {.display = {.min_percent = 0.5}};
    struct document document;
    int status = read_arguments(args, &wishes);
    if (status >= 0) return status;
    display_main *main = wishes.main ? wishes.main : display_report;
    status = refuse_meaningless(args, &wishes, main);
    if (status >= 0) return status;
    if (!wishes.has_rows && main != display_tree && main != display_threads)
        wishes.display.most_rows = main == display_frames ? FRAMES_SHOWN : ROWS_SHOWN;
    status = open_lines(&wishes);
    if (status == EXITCODE_OK) status = document_open(wishes.path, &document);
    if (status == EXITCODE_OK) {
        wishes.display.document = &document;
        wishes.display.screen = screen_over(stdout, wishes.colour);
        status = refuse_unknown(&wishes.display);
        if (status == EXITCODE_OK) status = main(&wishes.display);
        document_close(&document);
    }
    close_lines(&wishes);
    return status;
}

/* SPDX-License-Identifier: MIT
 *
 * `stint export`: a report in the form that another program reads. A format is a row here and a
 * file. */
#include "export/export.h"

#include "base/compiler.h"
#include "base/num.h"
#include "base/say.h"
#include "export/html.h"
#include "export/output.h"
#include "export/template.h"
#include "verb/exitcode.h"
#include "verb/verbs.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { FORMAT, OUTPUT, ROWS, MIN_PERCENT };

const struct opt export_options[] = {
    {'f', "format", "folded|speedscope|chrome|callgrind|pprof|openmetrics|csv|dot|html",
     "what to write"},
    {'o', "out", "FILE", "the file to write, whole or not at all (default: standard output)"},
    {'n', "rows", "N",
     "openmetrics, csv, dot: the N functions with the largest Self; 0 = all (default: all; "
     "openmetrics: 200)"},
    {'m', "min-percent", "P",
     "dot: leaves out what took less than P percent of the time (default 0.5)"},
    {0},
};

enum { TAKES_ROWS = 1 << ROWS, TAKES_MIN_PERCENT = 1 << MIN_PERCENT };

static int write_html(const struct export_job *job, FILE *out, struct fault *fault)
{
    if (!template_bytes)
        return fault_set(fault, -ENOTSUP,
                         "html is missing here: stint was built without node and npm, or without "
                         "npm's registry");
    return html_write(job->document, out) ? 0 : export_no_memory(fault);
}

static const struct export_format formats[] = {
    {"folded", 0, 0, false, export_folded},
    {"speedscope", 0, 0, false, export_speedscope},
    {"chrome", 0, 0, false, export_chrome},
    {"callgrind", 0, 0, false, export_callgrind},
    {"pprof", 0, 0, true, export_pprof},
    {"openmetrics", TAKES_ROWS, 200, false, export_openmetrics},
    {"csv", TAKES_ROWS, 0, false, export_csv},
    {"dot", TAKES_ROWS | TAKES_MIN_PERCENT, 0, false, export_dot},
    {"html", 0, 0, false, write_html},
};

struct wishes {
    const struct export_format *format;
    const char *output, *path;
    const char *rows, *min_percent; /* as written; NULL = not given */
    uint64_t most_rows;
    double least_percent;
};

/* What the formats share. */

const char export_deeper[] = "[deeper]";

int export_no_memory(struct fault *fault)
{
    return fault_set(fault, -ENOMEM, "no memory for the export");
}

const char *export_program(const struct document *document)
{
    const json_t *process = json_object_get(document->json, "process");
    const char *path = json_string_value(json_object_get(process, "executable"));
    return path && *path ? document_base_name(path) : "?";
}

long long export_pid(const struct document *document)
{
    const json_t *process = json_object_get(document->json, "process");
    return json_integer_value(json_object_get(process, "pid"));
}

/* "2026-01-31T09:30:00.123456Z" */
uint64_t export_started_ns(const struct document *document)
{
    const json_t *process = json_object_get(document->json, "process");
    const char *text = json_string_value(json_object_get(process, "started_at"));
    struct tm tm = {0};
    const char *rest = text ? strptime(text, "%Y-%m-%dT%H:%M:%S", &tm) : NULL;
    time_t seconds = rest ? timegm(&tm) : 0;
    if (seconds <= 0 || seconds > UINT32_MAX) return 0;
    uint64_t ns = 0, digit_ns = 100000000;
    if (*rest == '.')
        for (rest++; *rest >= '0' && *rest <= '9'; rest++, digit_ns /= 10)
            ns += (uint64_t)(*rest - '0') * digit_ns;
    return (uint64_t)seconds * 1000000000 + ns;
}

const char *export_name(const struct document *document, uint32_t function)
{
    if (function >= document->function_count) return "[folded]";
    const char *name = document->functions[function].name;
    return *name ? name : "[unnamed]";
}

static int by_self(const void *a, const void *b, void *context)
{
    const struct document_function *functions = context;
    uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
    double left_ms = functions[left].self_ms, right_ms = functions[right].self_ms;
    if (isnan(left_ms)) left_ms = 0;
    if (isnan(right_ms)) right_ms = 0;
    if (left_ms != right_ms) return left_ms > right_ms ? -1 : 1;
    return left < right ? -1 : left > right;
}

const uint32_t *export_ranked(const struct export_job *job, uint32_t *count)
{
    struct document_function *functions = job->document->functions;
    uint32_t all = job->document->function_count, kept = 0;
    uint32_t *places = arena_alloc(job->arena, ((size_t)all + 1) * sizeof *places);
    if (!places) return NULL;
    for (uint32_t i = 0; i < all; i++) places[i] = i;
    qsort_r(places, all, sizeof *places, by_self, functions);
    for (uint32_t i = 0, told = 0; i < all; i++) {
        bool is_function = !functions[places[i]].is_category;
        if (is_function && job->most_rows && told++ >= job->most_rows) continue;
        places[kept++] = places[i];
    }
    *count = kept;
    return places;
}

static int visit_thread(const struct export_job *job, uint32_t thread,
                        int (*visit)(const struct export_tree *tree, void *context), void *context)
{
    const struct document_thread *of = &job->document->threads[thread];
    uint32_t count = 0;
    struct document_node *nodes =
        document_nodes(job->document, json_object_get(of->json, "call_tree"), &count);
    if (!nodes) return 0;
    struct arena_mark mark = arena_mark(job->arena);
    struct paths paths;
    struct export_tree tree = {
        .paths = &paths, .thread = thread, .name = of->name, .number = of->tid};
    int error = paths_init(&paths, job->document, nodes, count, job->arena);
    free(nodes);
    if (!error) error = visit(&tree, context);
    arena_release(job->arena, mark);
    return error;
}

int export_each_tree(const struct export_job *job, struct fault *fault,
                     int (*visit)(const struct export_tree *tree, void *context), void *context)
{
    struct export_tree all = {.paths = job->paths, .thread = DOCUMENT_NONE, .name = "all threads"};
    int error = visit(&all, context);
    for (uint32_t i = 0; !error && i < job->document->thread_count; i++)
        error = visit_thread(job, i, visit, context);
    return error == -ENOMEM ? export_no_memory(fault) : error;
}

/* The command. */

static const struct export_format *find_format(const char *name)
{
    for (size_t i = 0; i < COUNT_OF(formats); i++)
        if (strcmp(formats[i].name, name) == 0) return &formats[i];
    return NULL;
}

/* A number from 0 to 100, with a point. */
static bool parse_percent(const char *text, double *percent)
{
    if (!*text || text[strspn(text, "0123456789.")]) return false;
    char *end;
    double value = strtod(text, &end);
    if (*end || end == text || value > 100) return false;
    *percent = value;
    return true;
}

/* An exit status, or −1 to go on. */
static int read_wish(struct opt_args *args, int option, struct wishes *wishes)
{
    switch (option) {
    case FORMAT:
        wishes->format = find_format(args->value);
        return -1; /* one of the table's: opt.c has seen to it */
    case OUTPUT:
        wishes->output = args->value;
        return -1;
    case ROWS:
        wishes->rows = args->value;
        if (num_parse_u64(args->value, &wishes->most_rows) == 0) return -1;
        return opt_mistake(args->verb, "not a number of rows, 0 (all) or more: ", args->value);
    case MIN_PERCENT:
        wishes->min_percent = args->value;
        if (parse_percent(args->value, &wishes->least_percent)) return -1;
        return opt_mistake(args->verb, "not a number from 0 to 100: ", args->value);
    default:
        if (wishes->path) return opt_mistake(args->verb, "one report only: ", args->value);
        wishes->path = args->value;
        return -1;
    }
}

/* What fits no format, or not this one. An exit status, or −1 to go on. */
static int check_wishes(const struct verb *verb, const struct wishes *wishes)
{
    const struct export_format *format = wishes->format;
    if (!format)
        return opt_mistake(verb, "--format=FORMAT is missing: ", export_options[FORMAT].value);
    if (wishes->rows && !(format->takes & TAKES_ROWS))
        return opt_mistake(verb, "this format takes no --rows: ", format->name);
    if (wishes->min_percent && !(format->takes & TAKES_MIN_PERCENT))
        return opt_mistake(verb, "this format takes no --min-percent: ", format->name);
    if (!wishes->output && format->is_binary && isatty(STDOUT_FILENO))
        return opt_mistake(verb, "binary, not for a terminal (use -o FILE): ", format->name);
    return -1;
}

static int read_arguments(struct opt_args *args, struct wishes *wishes)
{
    for (int option; (option = opt_next(args)) != OPT_DONE;) {
        int status = read_wish(args, option, wishes);
        if (status >= 0) return status;
    }
    return args->status >= 0 ? args->status : check_wishes(args->verb, wishes);
}

/* Under its name whole or not at all. */
static int write_file(const struct export_job *job, const struct wishes *wishes,
                      struct fault *fault)
{
    struct output output;
    int error = output_open(&output, wishes->output, fault);
    if (error) return error;
    return output_close(&output, wishes->format->write(job, output.stream, fault), fault);
}

static int write_document(const struct export_job *job, const struct wishes *wishes,
                          struct fault *fault)
{
    if (wishes->output) return write_file(job, wishes, fault);
    int error = wishes->format->write(job, stdout, fault);
    return error ? error : output_flush(stdout, fault);
}

/* A fault of the export's own words, or the system's. */
static int tell(const struct fault *fault, int error, const char *output)
{
    if (error == -ENOTSUP || error == -ENOMEM)
        say_line("export: ", fault->text, (char *)0);
    else
        say_line(output ? output : "standard output", ": ", fault->text, ": ", strerror(-error),
                 (char *)0);
    return error == -ENOTSUP ? EXITCODE_USAGE : EXITCODE_BAD_INPUT;
}

static int export_document(const struct document *document, const struct wishes *wishes)
{
    struct arena arena = ARENA_INIT;
    struct paths paths;
    struct fault fault = {0};
    uint64_t most = wishes->most_rows;
    struct export_job job = {.document = document,
                             .paths = &paths,
                             .arena = &arena,
                             .least_percent = wishes->least_percent,
                             .most_rows = most > UINT32_MAX ? 0 : (uint32_t)most};
    int error = paths_init(&paths, document, document->nodes, document->node_count, &arena);
    error = error ? export_no_memory(&fault) : write_document(&job, wishes, &fault);
    arena_fini(&arena);
    return error ? tell(&fault, error, wishes->output) : EXITCODE_OK;
}

int export_main(struct opt_args *args)
{
    struct wishes wishes = {.least_percent = 0.5};
    int status = read_arguments(args, &wishes);
    if (status >= 0) return status;
    if (!wishes.rows) wishes.most_rows = wishes.format->usual_rows;
    struct document document;
    status = document_open(wishes.path, &document);
    if (status != EXITCODE_OK) return status;
    status = export_document(&document, &wishes);
    document_close(&document);
    return status;
}

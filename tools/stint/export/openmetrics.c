/* SPDX-License-Identifier: MIT
 *
 * A text that is both OpenMetrics and the format that node_exporter's textfile collector reads: the
 * two differ in how counters are declared, so everything here is a summary or a gauge, which a
 * finished run's numbers are. Seconds, as all of Prometheus. Each sample carries the program, so
 * that several programs' files can lie in one directory. Runs in `stint`. */
#include "export/exposition.h"
#include "export/text.h"

#include "base/compiler.h"

#include <math.h>
#include <string.h>

struct writing {
    struct exposition to;
    const uint32_t *ranked;
    const bool *twins;
    uint32_t count;
};

static void process_gauge(const struct writing *writing, const char *name, const char *unit,
                          const char *help, double value)
{
    if (isnan(value)) return;
    exposition_declare(&writing->to, name, "gauge", unit, help);
    exposition_begin(&writing->to, name, "");
    exposition_end(&writing->to, value);
}

static double of_process(const struct writing *writing, const char *key)
{
    const json_t *process = json_object_get(writing->to.job->document->json, "process");
    const json_t *value = json_object_get(process, key);
    return json_is_number(value) ? json_number_value(value) / 1e3 : NAN;
}

static void write_process(const struct writing *writing)
{
    const struct document *document = writing->to.job->document;
    uint64_t started_ns = export_started_ns(document);
    process_gauge(writing, "stint_process_start_time_seconds", "seconds",
                  "When the program was started, since 1970.",
                  started_ns ? (double)started_ns / 1e9 : NAN);
    process_gauge(writing, "stint_process_duration_seconds", "seconds",
                  "From the program's start to the report.", of_process(writing, "duration_ms"));
    process_gauge(writing, "stint_process_cpu_seconds", "seconds",
                  "Processor time of the whole program.", of_process(writing, "cpu_ms"));
    process_gauge(writing, "stint_process_recorded_seconds", "seconds",
                  "Self of all functions and categories, also of those that are not listed.",
                  (double)writing->to.job->paths->total_ns / 1e9);
    process_gauge(writing, "stint_process_recorded_functions", "",
                  "Functions that were called, also those that are not listed.",
                  document->function_count - document->category_count);
}

/* Functions and categories are two sets of families, alike. */

struct family {
    const char *name, *type, *unit, *help;
    void (*write)(const struct writing *writing, const char *name,
                  const struct document_function *function);
};

/* The name, open, with what tells the function from all others. */
static void begin_function(const struct writing *writing, const char *name, const char *suffix,
                           const struct document_function *function)
{
    const char *what = export_name(writing->to.job->document, function->id);
    exposition_begin(&writing->to, name, suffix);
    exposition_label(&writing->to, function->is_category ? "category" : "function", what);
    if (function->is_category) return;
    exposition_label(&writing->to, "module", function->module ? function->module : "");
    if (!writing->twins[function->id]) return;
    char offset[24];
    snprintf(offset, sizeof offset, "0x%llx", (unsigned long long)function->offset);
    exposition_label(&writing->to, "offset", offset);
}

static void write_part(const struct writing *writing, const char *name, const char *suffix,
                       const struct document_function *function, double value)
{
    begin_function(writing, name, suffix, function);
    exposition_end(&writing->to, value);
}

static void write_durations(const struct writing *writing, const char *name,
                            const struct document_function *function)
{
    const struct {
        const char *quantile;
        double ms;
    } quantiles[] = {{"0.5", function->p50_ms},
                     {"0.9", function->p90_ms},
                     {"0.95", function->p95_ms},
                     {"0.99", function->p99_ms},
                     {"0.999", function->p99_9_ms}};
    uint64_t ended =
        function->count - (function->open < function->count ? function->open : function->count);
    for (size_t i = 0; i < COUNT_OF(quantiles); i++) {
        if (isnan(quantiles[i].ms)) continue;
        begin_function(writing, name, "", function);
        exposition_label(&writing->to, "quantile", quantiles[i].quantile);
        exposition_end(&writing->to, quantiles[i].ms / 1e3);
    }
    double sum_ms = ended ? function->avg_ms * (double)ended : 0;
    if (!isnan(sum_ms)) write_part(writing, name, "_sum", function, sum_ms / 1e3);
    write_part(writing, name, "_count", function, (double)ended);
}

static void write_self(const struct writing *writing, const char *name,
                       const struct document_function *function)
{
    if (!isnan(function->self_ms)) write_part(writing, name, "", function, function->self_ms / 1e3);
}

static void write_inclusive(const struct writing *writing, const char *name,
                            const struct document_function *function)
{
    if (!isnan(function->total_ms))
        write_part(writing, name, "", function, function->total_ms / 1e3);
}

static void write_open(const struct writing *writing, const char *name,
                       const struct document_function *function)
{
    if (function->open) write_part(writing, name, "", function, (double)function->open);
}

static const struct family function_families[] = {
    {"stint_function_duration_seconds", "summary", "seconds",
     "Durations of the calls that have ended.", write_durations},
    {"stint_function_self_seconds", "gauge", "seconds", "Time not spent in recorded callees.",
     write_self},
    {"stint_function_inclusive_seconds", "gauge", "seconds",
     "Time between entry and exit, recursion counted once.", write_inclusive},
    {"stint_function_open_calls", "gauge", "", "Calls that had not ended.", write_open},
};
static const struct family category_families[] = {
    {"stint_category_duration_seconds", "summary", "seconds",
     "Durations of the scopes that have ended, and of recorded samples.", write_durations},
    {"stint_category_self_seconds", "gauge", "seconds", "Time not spent in recorded callees.",
     write_self},
    {"stint_category_inclusive_seconds", "gauge", "seconds",
     "Time between begin and end, nested scopes of one name counted once.", write_inclusive},
    {"stint_category_open_calls", "gauge", "", "Scopes that had not ended.", write_open},
};

static void write_families(const struct writing *writing, const struct family *families,
                           size_t count, bool is_category)
{
    for (size_t i = 0; i < count; i++) {
        const struct family *family = &families[i];
        exposition_declare(&writing->to, family->name, family->type, family->unit, family->help);
        for (uint32_t j = 0; j < writing->count; j++) {
            const struct document_function *function =
                &writing->to.job->document->functions[writing->ranked[j]];
            if (function->is_category == is_category)
                family->write(writing, family->name, function);
        }
    }
}

int export_openmetrics(const struct export_job *job, FILE *out, struct fault *fault)
{
    struct writing writing = {.to = {job, out}, .twins = text_twins(job)};
    writing.ranked = export_ranked(job, &writing.count);
    if (!writing.ranked || !writing.twins) return export_no_memory(fault);
    write_process(&writing);
    write_families(&writing, function_families, COUNT_OF(function_families), false);
    if (job->document->category_count)
        write_families(&writing, category_families, COUNT_OF(category_families), true);
    measures_write(&writing.to);
    fputs("# EOF\n", out);
    return 0;
}

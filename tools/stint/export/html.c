/* SPDX-License-Identifier: MIT
 *
 * The page: a template with script and style (page/, bundled at build time) and the report's data
 * as JSON in its middle. Rows instead of objects, times in nanoseconds: 20 000 functions stay a
 * page that opens. Runs in `stint` alone. */
#include "export/html.h"

#include "base/compiler.h"
#include "export/template.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* As JSON that is safe within <script>: no "<", so neither "</script" nor "<!--". */
static void put_text(FILE *out, const char *text)
{
    if (!text) {
        fputs("null", out);
        return;
    }
    fputc('"', out);
    for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
        if (*c == '"' || *c == '\\')
            fprintf(out, "\\%c", *c);
        else if (*c < ' ' || *c == '<' || *c == 127)
            fprintf(out, "\\u%04x", *c);
        else
            fputc(*c, out);
    }
    fputc('"', out);
}

/* ",12.3": nanoseconds with one decimal, whatever the locale; NaN is null. */
static void put_time(FILE *out, double ms)
{
    double tenths = ms * 1e7;
    if (!(fabs(tenths) < 9e18)) {
        fputs(",null", out);
        return;
    }
    long long rounded = llround(tenths);
    fprintf(out, ",%s%lld", rounded < 0 ? "-" : "", llabs(rounded) / 10);
    if (rounded % 10) fprintf(out, ".%lld", llabs(rounded) % 10);
}

/* A value of the report as it is. "<" within its texts is escaped; elsewhere JSON has none. False
 * without memory. */
static bool put_json(FILE *out, const char *key, const json_t *value)
{
    if (!value) return true;
    char *text = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(15));
    if (!text) return false;
    fprintf(out, ",\"%s\":", key);
    for (const char *c = text; *c; c++) *c == '<' ? fputs("\\u003c", out) : fputc(*c, out);
    free(text);
    return true;
}

static void put_histogram(FILE *out, const json_t *statistics)
{
    size_t buckets = document_buckets(statistics);
    fputs(",[", out);
    for (size_t i = 0; i < buckets; i++) {
        struct document_bucket bucket = document_bucket(statistics, i);
        fprintf(out, "%s%llu,%llu,%llu", i ? "," : "", (unsigned long long)bucket.low_ns,
                (unsigned long long)bucket.high_ns, (unsigned long long)bucket.count);
    }
    fputc(']', out);
}

static void put_function(FILE *out, const struct document_function *function)
{
    fputc('[', out);
    put_text(out, function->name);
    fputc(',', out);
    put_text(out, function->module);
    fprintf(out, ",%d,%llu,%llu", function->is_category, (unsigned long long)function->count,
            (unsigned long long)function->open);
    const double times[] = {function->total_ms, function->self_ms, function->avg_ms,
                            function->min_ms,   function->max_ms,  function->p50_ms,
                            function->p90_ms,   function->p99_ms,  function->p99_9_ms};
    for (size_t i = 0; i < COUNT_OF(times); i++) put_time(out, times[i]);
    put_histogram(out, function->statistics);
    fputc(']', out);
}

static void put_functions(FILE *out, const struct document *document)
{
    fputs(",\"functions\":[", out);
    for (uint32_t i = 0; i < document->function_count; i++) {
        if (i) fputs(",\n", out);
        put_function(out, &document->functions[i]);
    }
    fputc(']', out);
}

static void put_id(FILE *out, uint32_t id)
{
    if (id == DOCUMENT_NONE)
        fputs("null", out);
    else
        fprintf(out, "%lu", (unsigned long)id);
}

static void put_nodes(FILE *out, const struct document *document)
{
    fputs(",\"nodes\":[", out);
    for (uint32_t i = 0; i < document->node_count; i++) {
        const struct document_node *node = &document->nodes[i];
        fputs(i ? ",\n[" : "[", out);
        put_id(out, node->parent);
        fputc(',', out);
        put_id(out, node->function);
        fprintf(out, ",%llu", (unsigned long long)node->count);
        put_time(out, node->total_ms);
        put_time(out, node->self_ms);
        fputc(']', out);
    }
    fputc(']', out);
}

/* What a thread called, in all, scopes too. False without memory. */
static bool count_calls(const struct document *document, uint32_t thread, uint64_t *calls)
{
    uint32_t count;
    struct document_function *functions = document_thread_functions(document, thread, &count);
    if (!functions && count) return false;
    *calls = 0;
    for (uint32_t i = 0; i < count; i++)
        if (!isnan(functions[i].self_ms)) *calls += functions[i].count;
    free(functions);
    return true;
}

static bool put_thread(FILE *out, const struct document *document, uint32_t id)
{
    const struct document_thread *thread = &document->threads[id];
    uint64_t calls;
    if (!count_calls(document, id, &calls)) return false;
    fputc('[', out);
    put_text(out, thread->name);
    fputc(',', out);
    put_text(out, thread->start_routine);
    fprintf(out, ",%d,%llu,%llu,%llu", thread->is_running, (unsigned long long)thread->tid,
            (unsigned long long)thread->generations, (unsigned long long)calls);
    put_time(out, thread->started_ms);
    put_time(out, thread->lifetime_ms);
    put_time(out, thread->cpu_ms);
    fputc(']', out);
    return true;
}

static bool put_threads(FILE *out, const struct document *document)
{
    fputs(",\"threads\":[", out);
    for (uint32_t i = 0; i < document->thread_count; i++) {
        if (i) fputs(",\n", out);
        if (!put_thread(out, document, i)) return false;
    }
    fputc(']', out);
    return true;
}

static bool put_data(FILE *out, const struct document *document)
{
    const json_t *process = json_object_get(document->json, "process");
    const char *executable = json_string_value(json_object_get(process, "executable"));
    fputs("{\"program\":", out);
    put_text(out, executable ? document_base_name(executable) : "program");
    static const char *const as_they_are[] = {"stint",  "process",  "overhead", "lost",
                                              "frames", "counters", "values"};
    for (size_t i = 0; i < COUNT_OF(as_they_are); i++) {
        const char *key = as_they_are[i];
        if (!put_json(out, key, json_object_get(document->json, key))) return false;
    }
    put_functions(out, document);
    put_nodes(out, document);
    bool is_whole = put_threads(out, document);
    fputc('}', out);
    return is_whole;
}

bool html_write(const struct document *document, FILE *out)
{
    static const char mark[] = "/*DATA*/";
    const char *middle = memmem(template_page, template_bytes, mark, strlen(mark));
    if (!middle) return false;
    size_t before = (size_t)(middle - template_page), skip = before + strlen(mark);
    fwrite(template_page, 1, before, out);
    bool is_whole = put_data(out, document);
    fwrite(template_page + skip, 1, template_bytes - skip, out);
    return is_whole;
}

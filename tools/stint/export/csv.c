/* SPDX-License-Identifier: MIT
 *
 * A row for each function and category, as RFC 4180 has it: comma, CRLF, quotes doubled. What does
 * not exist is an empty field. Runs in `stint`. */
#include "export/text.h"

#include "base/compiler.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

static const struct {
    const char *title;
    size_t at;
} times[] = {
#define TIME(title, member)                                                                        \
    {                                                                                              \
        title, offsetof(struct document_function, member)                                          \
    }
    TIME("total_ms", total_ms), TIME("self_ms", self_ms), TIME("avg_ms", avg_ms),
    TIME("min_ms", min_ms),     TIME("p50_ms", p50_ms),   TIME("p90_ms", p90_ms),
    TIME("p95_ms", p95_ms),     TIME("p99_ms", p99_ms),   TIME("p99_9_ms", p99_9_ms),
    TIME("max_ms", max_ms),
#undef TIME
};

static void field(FILE *out, const char *text)
{
    bool is_quoted = text[strcspn(text, "\",\r\n")] != '\0';
    if (is_quoted) putc('"', out);
    for (; *text; text++) {
        if (*text == '"') putc('"', out);
        putc(*text, out);
    }
    if (is_quoted) putc('"', out);
}

static void row(FILE *out, const struct document_function *function)
{
    fputs(function->is_category ? "category," : "function,", out);
    field(out, function->name);
    putc(',', out);
    field(out, function->raw_name ? function->raw_name : "");
    putc(',', out);
    field(out, function->module ? function->module : "");
    if (function->is_category)
        fputs(",,", out);
    else
        fprintf(out, ",0x%llx,", (unsigned long long)function->offset);
    fprintf(out, "%llu,%llu", (unsigned long long)function->count,
            (unsigned long long)function->open);
    for (size_t i = 0; i < COUNT_OF(times); i++) {
        double value;
        memcpy(&value, (const char *)function + times[i].at, sizeof value);
        putc(',', out);
        if (!isnan(value)) text_real(out, value);
    }
    fputs("\r\n", out);
}

int export_csv(const struct export_job *job, FILE *out, struct fault *fault)
{
    uint32_t count = 0;
    const uint32_t *ranked = export_ranked(job, &count);
    if (!ranked) return export_no_memory(fault);
    fputs("kind,name,raw_name,module,offset,count,open", out);
    for (size_t i = 0; i < COUNT_OF(times); i++) fprintf(out, ",%s", times[i].title);
    fputs("\r\n", out);
    for (uint32_t i = 0; i < count; i++) row(out, &job->document->functions[ranked[i]]);
    return 0;
}

/* SPDX-License-Identifier: MIT
 *
 * Escapes and numbers. Runs in `stint`, whose locale is "C" unless somebody sets another: reals are
 * written so that it does not matter. */
#include "export/text.h"

#include "base/fmt.h"
#include "print/abbreviate.h"

#include <stdlib.h>
#include <string.h>

void text_json(FILE *out, const char *text)
{
    putc('"', out);
    for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
        if (*c == '"' || *c == '\\')
            fprintf(out, "\\%c", *c);
        else if (*c < ' ' || *c == 127)
            fprintf(out, "\\u%04x", *c);
        else
            putc(*c, out);
    }
    putc('"', out);
}

void text_us(FILE *out, uint64_t ns)
{
    fprintf(out, "%llu", (unsigned long long)(ns / 1000));
    if (ns % 1000) fprintf(out, ".%03llu", (unsigned long long)(ns % 1000));
}

uint64_t text_ns(double ms)
{
    if (!(ms > 0)) return 0;
    return ms < 9.2e12 ? (uint64_t)((long double)ms * 1e6L + 0.5L) : UINT64_C(9200000000000000000);
}

void text_real(FILE *out, double value)
{
    char digits[40];
    snprintf(digits, sizeof digits, "%.15g", value);
    for (const char *c = digits; *c; c++)
        putc(*c == '-' || *c == '+' || *c == 'e' || (*c >= '0' && *c <= '9') ? *c : '.', out);
}

/* Bytes of the character that ends a line or steers a terminal here: C0, DEL, C1, U+2028, U+2029;
 * 0 = it does not. */
static size_t control_bytes(const unsigned char *c)
{
    if (*c < ' ' || *c == 127) return 1;
    if (c[0] == 0xc2 && c[1] >= 0x80 && c[1] < 0xa0) return 2;
    if (c[0] == 0xe2 && c[1] == 0x80 && (c[2] == 0xa8 || c[2] == 0xa9)) return 3;
    return 0;
}

char *text_flat(const char *text, const char *also, char instead, struct arena *arena)
{
    char *copy = arena_copy(arena, text, strlen(text)), *to = copy;
    if (!copy) return NULL;
    for (const char *from = copy; *from;) {
        size_t control = control_bytes((const unsigned char *)from);
        if (control)
            *to++ = '?';
        else
            *to++ = strchr(also, *from) ? instead : *from;
        from += control ? control : 1;
    }
    *to = '\0';
    return copy;
}

static const char *module_of(const struct document_function *function)
{
    return function->module ? function->module : "";
}

static int by_name(const void *a, const void *b, void *context)
{
    const struct document_function *functions = context;
    return strcmp(functions[*(const uint32_t *)a].name, functions[*(const uint32_t *)b].name);
}

static int by_name_and_module(const void *a, const void *b, void *context)
{
    const struct document_function *functions = context;
    int order = by_name(a, b, context);
    return order ? order
                 : strcmp(module_of(&functions[*(const uint32_t *)a]),
                          module_of(&functions[*(const uint32_t *)b]));
}

/* Neighbours in that order that are equal. */
static const bool *find_twins(const struct export_job *job,
                              int (*compare)(const void *a, const void *b, void *functions))
{
    struct document_function *functions = job->document->functions;
    uint32_t count = job->document->function_count;
    bool *twins = arena_alloc(job->arena, (size_t)count + 1);
    uint32_t *order = arena_alloc(job->arena, ((size_t)count + 1) * sizeof *order);
    if (!twins || !order) return NULL;
    for (uint32_t i = 0; i < count; i++) order[i] = i;
    qsort_r(order, count, sizeof *order, compare, functions);
    for (uint32_t i = 1; i < count; i++)
        if (compare(&order[i - 1], &order[i], functions) == 0)
            twins[order[i - 1]] = twins[order[i]] = true;
    return twins;
}

const bool *text_twins(const struct export_job *job) { return find_twins(job, by_name_and_module); }

/* "parse [app+0x11d3]"; of a category "parse [category]". */
static char *told_apart(const char *name, const struct document_function *function,
                        struct arena *arena)
{
    const char *module = text_flat(document_base_name(function->module), "", ' ', arena);
    size_t bytes = strlen(name) + (module ? strlen(module) : 0) + 32;
    char *text = arena_alloc(arena, bytes);
    if (!text || !module) return NULL;
    struct fmt out = fmt_over(text, bytes);
    fmt_text(&out, name);
    fmt_text(&out, " [");
    fmt_text(&out, function->is_category ? "category" : module);
    if (!function->is_category) {
        fmt_text(&out, "+0x");
        fmt_hex(&out, function->offset, 1);
    }
    fmt_char(&out, ']');
    return text;
}

char **text_names(const struct export_job *job, const char *also, char instead, bool are_told_apart)
{
    const struct document *document = job->document;
    uint32_t count = document->function_count;
    char **names = arena_alloc(job->arena, ((size_t)count + 1) * sizeof *names);
    const bool *twins = are_told_apart ? find_twins(job, by_name) : NULL;
    if (!names || (are_told_apart && !twins)) return NULL;
    for (uint32_t i = 0; i < count; i++) {
        names[i] = text_flat(export_name(document, i), also, instead, job->arena);
        if (names[i] && twins && twins[i])
            names[i] = told_apart(names[i], &document->functions[i], job->arena);
        if (!names[i]) return NULL;
    }
    names[count] = text_flat(export_name(document, count), also, instead, job->arena);
    return names[count] ? names : NULL;
}

/* Bytes of the first `characters` of the text. */
static size_t bytes_of(const char *text, size_t characters)
{
    const char *c = text;
    for (; *c; c++)
        if (((unsigned char)*c & 0xc0) != 0x80 && characters-- == 0) break;
    return (size_t)(c - text);
}

char *text_shortened(const char *text, size_t most, struct arena *arena)
{
    char shorter[ABBREVIATE_BYTES];
    text = abbreviate(text, most, shorter);
    size_t bytes = strlen(text), characters = 0;
    for (const char *c = text; *c; c++) characters += ((unsigned char)*c & 0xc0) != 0x80;
    if (characters <= most) return arena_copy(arena, text, bytes);
    size_t kept = most - 1, head = bytes_of(text, kept - kept / 2);
    size_t tail = bytes_of(text, characters - kept / 2);
    char *copy = arena_alloc(arena, bytes + sizeof "…");
    if (!copy) return NULL;
    memcpy(copy, text, head);
    strcpy(copy + head, "…");
    strcat(copy, text + tail);
    return copy;
}

static int by_text(const void *a, const void *b, void *context)
{
    char **names = context;
    return strcmp(names[*(const uint32_t *)a], names[*(const uint32_t *)b]);
}

bool text_shorten_names(const struct export_job *job, char **names, size_t most)
{
    const struct document *document = job->document;
    uint32_t count = document->function_count;
    uint32_t *order = arena_alloc(job->arena, ((size_t)count + 1) * sizeof *order);
    bool *is_cut = arena_alloc(job->arena, (size_t)count + 1);
    if (!order || !is_cut) return false;
    for (uint32_t i = 0; i < count; i++) {
        order[i] = i;
        is_cut[i] = strlen(names[i]) > most;
        if (is_cut[i]) names[i] = text_shortened(names[i], most, job->arena);
        if (!names[i]) return false;
    }
    qsort_r(order, count, sizeof *order, by_text, names);
    for (uint32_t i = 0, end; i < count; i = end) {
        const char *name = names[order[i]];
        for (end = i + 1; end < count && strcmp(name, names[order[end]]) == 0;) end++;
        for (uint32_t j = i; j < end && end - i > 1; j++) {
            uint32_t at = order[j];
            if (is_cut[at]) names[at] = told_apart(name, &document->functions[at], job->arena);
            if (!names[at]) return false;
        }
    }
    return true;
}

/* SPDX-License-Identifier: MIT
 *
 * STINT_OUT → a pattern for glob(3) → files → those that begin as a report of the run. The
 * beginning is enough: the report's page fixes its order. Runs in `stint`. */
#include "run/reports.h"

#include <ctype.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { HEAD_BYTES = 4096, PATTERN = 3 * 4096 };

static size_t put(char *pattern, size_t at, const char *text)
{
    size_t length = strlen(text);
    if (at + length >= PATTERN) return at;
    memcpy(pattern + at, text, length + 1);
    return at + length;
}

/* A descendant has its pid before the extension, a life that ended by exec its number too. */
static void pattern_of(const char *wish, char pattern[PATTERN])
{
    const char *slash = strrchr(wish, '/');
    const char *last = slash ? slash + 1 : wish, *dot = strrchr(last, '.');
    size_t at = put(pattern, 0, "");
    const char *extension = dot && dot != last ? dot : last + strlen(last);
    for (const char *c = wish;; c++) {
        if (c == extension) at = put(pattern, at, "*");
        if (!*c) return;
        if (*c == '%' && c[1] && strchr("pnhrs", c[1])) {
            at = put(pattern, at, "*");
            c++;
            continue;
        }
        if (*c == '%' && c[1] == '%') c++;
        const char escaped[] = {'\\', *c, '\0'};
        at = put(pattern, at, strchr("*?[]\\", *c) ? escaped : escaped + 1);
    }
}

/* ".exec<digit>" in the last part of the name. */
static bool is_exec_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    for (const char *at = slash ? slash : path; (at = strstr(at, ".exec")); at++)
        if (isdigit((unsigned char)at[5])) return true;
    return false;
}

/* The text of the JSON string at `at`, its escapes as blanks, to the end of `out`; what follows it.
 */
static const char *add_string(const char *at, char *out, size_t capacity)
{
    size_t length = strlen(out);
    for (at++; *at && *at != '"'; at++) {
        char c = *at;
        if (c == '\\') {
            c = strchr("\"\\/", *++at) ? *at : ' ';
            if (*at == 'u') at += strnlen(at, 4);
            if (!*at) break;
        }
        if (length + 1 < capacity) out[length++] = c;
    }
    out[length] = '\0';
    return *at ? at + 1 : at;
}

/* Cut where a letter of UTF-8 begins. */
static void shorten(char *to, size_t capacity, const char *from)
{
    static const char dots[] = "…";
    size_t length = strlen(from);
    if (length >= capacity) length = capacity - sizeof dots;
    while (from[length] && ((unsigned char)from[length] & 0xc0) == 0x80) length--;
    snprintf(to, capacity, "%.*s%s", (int)length, from, from[length] ? dots : "");
}

/* The name by which it was called, without its directory, and its arguments: one git is not like
 * another. */
static void read_command(const char *head, char command[64])
{
    static const char key[] = "\"arguments\":[";
    char text[256] = "";
    const char *at = strstr(head, key);
    command[0] = '\0';
    if (!at) return;
    for (at += sizeof key - 1; *at == '"';) {
        at = add_string(at, text, sizeof text);
        char *slash = command[0] ? NULL : strrchr(text, '/');
        if (slash) memmove(text, slash + 1, strlen(slash));
        command[0] = ' '; /* the first is through */
        if (*at == ',' && at[1] == '"' && strlen(text) + 1 < sizeof text) strcat(text, " ");
        at += *at == ',';
    }
    shorten(command, 64, text);
}

static void read_head(const char *path, char head[HEAD_BYTES + 1])
{
    FILE *file = fopen(path, "re");
    size_t length = file ? fread(head, 1, HEAD_BYTES, file) : 0;
    if (file) fclose(file);
    head[length] = '\0';
}

/* False where it is no report of this run. */
static bool read_report(struct report_found *report, const char *run)
{
    char head[HEAD_BYTES + 1], mark[80];
    read_head(report->path, head);
    snprintf(mark, sizeof mark, "\"run\":\"%s\"", run);
    const char *pid = strstr(head, "\"pid\":"), *duration = strstr(head, "\"duration_ms\":");
    if (!pid || !strstr(head, mark)) return false;
    report->pid = (uint32_t)strtoul(pid + 6, NULL, 10);
    report->duration_ms = duration ? strtod(duration + 14, NULL) : 0;
    report->is_snapshot = strstr(head, "\"kind\":\"snapshot\"");
    read_command(head, report->command);
    return report->pid != 0;
}

static void add(struct reports *reports, const struct report_found *found)
{
    struct report_found *items =
        realloc(reports->items, (reports->count + 1) * sizeof *reports->items);
    if (!items) return;
    reports->items = items;
    items[reports->count] = *found;
    items[reports->count].path = strdup(found->path);
    if (items[reports->count].path) reports->count++;
}

static uint64_t written_ns(const struct stat *status)
{
    return (uint64_t)status->st_mtim.tv_sec * 1000000000u + (uint64_t)status->st_mtim.tv_nsec;
}

void reports_find(struct reports *reports, const char *wish, const char *run, time_t since)
{
    char pattern[PATTERN];
    glob_t found = {0};
    *reports = (struct reports){NULL, 0};
    pattern_of(wish, pattern);
    if (glob(pattern, GLOB_PERIOD, NULL, &found) != 0) return;
    for (size_t i = 0; i < found.gl_pathc; i++) {
        struct stat status;
        char *path = found.gl_pathv[i];
        struct report_found report = {.path = path, .is_exec = is_exec_name(path)};
        if (stat(path, &status) != 0 || !S_ISREG(status.st_mode) || status.st_mtime < since)
            continue;
        report.bytes = (uint64_t)status.st_size;
        if (read_report(&report, run)) add(reports, &report);
    }
    globfree(&found);
}

bool reports_is_taken(const char *wish, const char *run, uint64_t since_ns)
{
    char head[HEAD_BYTES + 1], mark[80];
    struct stat status;
    if (stat(wish, &status) != 0 || !S_ISREG(status.st_mode)) return false;
    if (written_ns(&status) < since_ns) return false;
    read_head(wish, head);
    snprintf(mark, sizeof mark, "\"run\":\"%s\"", run);
    return strstr(head, "\"run\":\"") && !strstr(head, mark);
}

static int by_size(const void *a, const void *b)
{
    const struct report_found *left = a, *right = b;
    if (left->bytes != right->bytes) return left->bytes < right->bytes ? 1 : -1;
    return strcmp(left->path, right->path);
}

void reports_sort(struct reports *reports)
{
    if (reports->count) qsort(reports->items, reports->count, sizeof *reports->items, by_size);
}

void reports_fini(struct reports *reports)
{
    for (size_t i = 0; i < reports->count; i++) free(reports->items[i].path);
    free(reports->items);
    *reports = (struct reports){NULL, 0};
}

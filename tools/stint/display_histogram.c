/* SPDX-License-Identifier: MIT
 *
 * A function's histogram drawn: the report's fine buckets gathered into rows of equal ratio (or of
 * equal width, where all durations are near each other), the quantiles marked. Runs in `stint`. */
#include "display.h"

#include "base/say.h"
#include "exitcode.h"
#include "report/summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_MOST = 24, FUNCTIONS_MOST = 8, LABELS = 20 };

struct row {
    double low_ns, high_ns, count;
};

struct drawing {
    const struct display *display;
    const struct document_function *function;
    struct row rows[ROWS_MOST];
    size_t count;
    double all, largest;
};

/* Bounds of row i of so many between low and high. */
static double bound(double low, double high, size_t i, size_t rows)
{
    double part = (double)i / (double)rows;
    return high > 4 * low ? low * pow(high / low, part) : low + (high - low) * part;
}

/* A bucket goes to the row of its middle: at most 1/64 of its value off. */
static void fill(struct drawing *drawing)
{
    const json_t *statistics = drawing->function->statistics;
    size_t buckets = document_buckets(statistics);
    double low = (double)document_bucket(statistics, 0).low_ns;
    double high = (double)document_bucket(statistics, buckets - 1).high_ns;
    if (low < 1) low = 1; /* 0 ns is in the first row */
    if (high < low + 1) high = low + 1;
    drawing->count = high - low < ROWS_MOST ? (size_t)(high - low) : ROWS_MOST;
    if (buckets == 1) drawing->count = 1;
    for (size_t i = 0; i < drawing->count; i++) {
        drawing->rows[i].low_ns = bound(low, high, i, drawing->count);
        drawing->rows[i].high_ns = bound(low, high, i + 1, drawing->count);
    }
    for (size_t i = 0, row = 0; i < buckets; i++) {
        struct document_bucket bucket = document_bucket(statistics, i);
        double middle = ((double)bucket.low_ns + (double)bucket.high_ns) / 2;
        while (row + 1 < drawing->count && middle >= drawing->rows[row].high_ns) row++;
        drawing->rows[row].count += (double)bucket.count;
        drawing->all += (double)bucket.count;
    }
    for (size_t i = 0; i < drawing->count; i++)
        if (drawing->rows[i].count > drawing->largest) drawing->largest = drawing->rows[i].count;
}

static void put_marks(const struct drawing *drawing, size_t at)
{
    const struct document_function *function = drawing->function;
    const struct screen *screen = &drawing->display->screen;
    const struct {
        const char *name;
        double ms;
    } marks[] = {{"P50", function->p50_ms},
                 {"P90", function->p90_ms},
                 {"P99", function->p99_ms},
                 {"P99.9", function->p99_9_ms}};
    const struct row *row = &drawing->rows[at];
    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++) {
        double ns = marks[i].ms * 1e6;
        bool is_here =
            (ns >= row->low_ns || at == 0) && (ns < row->high_ns || at == drawing->count - 1);
        char text[16];
        if (isnan(ns) || !is_here) continue;
        summary_time(marks[i].ms, text);
        screen_style(screen, SCREEN_HOT);
        fprintf(screen->file, " %s%s %s", screen->is_utf8 ? "◀ " : "< ", marks[i].name, text);
        screen_style(screen, SCREEN_PLAIN);
    }
}

static void put_row(const struct drawing *drawing, size_t at, size_t bar)
{
    const struct screen *screen = &drawing->display->screen;
    const struct row *row = &drawing->rows[at];
    screen_time(screen, row->low_ns / 1e6, SCREEN_TIME);
    fputs(" … ", screen->file);
    screen_time(screen, row->high_ns / 1e6, SCREEN_TIME);
    fprintf(screen->file, "%*.0f  ", SCREEN_COUNT, row->count);
    screen_percent(screen, row->count, drawing->all);
    fputs("  ", screen->file);
    screen_style(screen, SCREEN_MARK);
    screen_bar(screen, drawing->largest > 0 ? row->count / drawing->largest : 0, bar);
    screen_style(screen, SCREEN_PLAIN);
    put_marks(drawing, at);
    fputc('\n', screen->file);
}

static void put_summary(const struct drawing *drawing)
{
    const struct screen *screen = &drawing->display->screen;
    const struct document_function *function = drawing->function;
    const json_t *kind = json_object_get(function->statistics, "percentiles");
    fprintf(screen->file, "  %llu calls, avg", (unsigned long long)function->count);
    screen_time(screen, function->avg_ms, 9);
    fputs(", min", screen->file);
    screen_time(screen, function->min_ms, 9);
    fputs(", max", screen->file);
    screen_time(screen, function->max_ms, 9);
    if (kind) fprintf(screen->file, "; percentiles: ");
    if (kind) screen_text(screen, json_string_value(kind));
    fputc('\n', screen->file);
}

static void draw(const struct display *display, const struct document_function *function)
{
    struct drawing drawing = {.display = display, .function = function};
    size_t width = display->screen.width ? display->screen.width : 80, used = 40 + LABELS;
    display_function_line(display, function);
    fputc('\n', display->screen.file);
    if (document_buckets(function->statistics) == 0) {
        fputs("  no call has ended, so there is no histogram\n", display->screen.file);
        return;
    }
    put_summary(&drawing);
    fill(&drawing);
    for (size_t i = 0; i < drawing.count; i++)
        put_row(&drawing, i, width > used + 10 ? width - used : 10);
}

static json_t *histogram_json(const struct display *display,
                              const struct document_function *function)
{
    json_t *object = display_function_json(display, function);
    json_t *histogram = json_object_get(function->statistics, "histogram");
    if (histogram) json_object_set(object, "histogram", histogram);
    return object;
}

/* functions: all or a thread's; ids: of those that are meant. */
static int show(const struct display *display, const struct document_function *functions,
                uint32_t count, const bool *is_meant)
{
    json_t *all = json_array();
    uint32_t shown = 0, left_out = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (!is_meant[functions[i].id]) continue;
        if (display->is_json) {
            json_array_append_new(all, histogram_json(display, &functions[i]));
        } else if (shown == FUNCTIONS_MOST) {
            left_out++;
        } else {
            if (shown++) fputc('\n', display->screen.file);
            draw(display, &functions[i]);
        }
    }
    if (display->is_json)
        return screen_json(&display->screen, json_pack("{s:o}", "functions", all));
    json_decref(all);
    if (left_out)
        fprintf(display->screen.file, "\n… and %u more functions that %s means\n", left_out,
                display->function);
    return EXITCODE_OK;
}

int display_histogram(const struct display *display)
{
    const struct document *document = display->document;
    uint32_t count = document->function_count, found = 0;
    uint32_t *ids = calloc(count + (size_t)1, sizeof *ids);
    bool *is_meant = calloc(count + (size_t)1, sizeof *is_meant);
    struct document_function *own =
        display->thread ? display_thread_functions(display, &count) : NULL;
    if (ids && is_meant && (own || !display->thread))
        found = select_functions(document, display->function, ids);
    for (uint32_t i = 0; i < found; i++) is_meant[ids[i]] = true;
    int status =
        found ? show(display, own ? own : document->functions, count, is_meant) : EXITCODE_USAGE;
    free(ids);
    free(is_meant);
    free(own);
    return status;
}

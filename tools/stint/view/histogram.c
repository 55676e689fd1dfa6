/* SPDX-License-Identifier: MIT
 *
 * A histogram drawn, of a function's durations or of a value in its unit: the report's fine buckets
 * gathered into rows of equal ratio (or of equal width, where all are near each other or of both
 * signs), the quantiles marked. Runs in `stint`. */
#include "view/display.h"

#include "base/say.h"
#include "report/summary.h"
#include "verb/exitcode.h"

#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_MOST = 24, DRAWN_MOST = 8, LABELS = 20 };

struct row {
    double low, high, count; /* nanoseconds, or the value's unit */
};

struct drawing {
    const struct display *display;
    const json_t *statistics;
    bool is_value;
    const char *unit; /* of a value, or NULL */
    struct row rows[ROWS_MOST];
    size_t count;
    double all, largest;
};

/* Durations are whole nanoseconds, the bounds of values are reals. */
static struct row bucket_of(const struct drawing *drawing, size_t at)
{
    const json_t *bucket = json_array_get(json_object_get(drawing->statistics, "histogram"), at);
    return (struct row){.low = json_number_value(json_array_get(bucket, 0)),
                        .high = json_number_value(json_array_get(bucket, 1)),
                        .count = json_number_value(json_array_get(bucket, 2))};
}

/* A number of the statistics, of a duration in ms; NaN where there is none. */
static double number_of(const struct drawing *drawing, const char *key)
{
    char name[16];
    snprintf(name, sizeof name, "%s%s", key, drawing->is_value ? "" : "_ms");
    const json_t *number = json_object_get(drawing->statistics, name);
    return number ? json_number_value(number) : (double)NAN;
}

static void text_of(const struct drawing *drawing, double number, char text[SCREEN_NUMBER_TEXT])
{
    if (drawing->is_value)
        screen_number_text(number, drawing->unit, text);
    else if (isnan(number))
        strcpy(text, "-");
    else
        summary_time(number, text);
}

/* Bounds of row i of so many between low and high. */
static double bound(double low, double high, size_t i, size_t rows)
{
    double part = (double)i / (double)rows;
    bool is_wide = low > 0 ? high > 4 * low : high < 0 && low < 4 * high;
    return is_wide ? low * pow(high / low, part) : low * (1 - part) + high * part;
}

/* 0 has no ratio: it stands in the first row, below the least of the others. */
static double least_bound(const struct drawing *drawing, size_t buckets)
{
    double low = bucket_of(drawing, 0).low;
    if (!drawing->is_value) return low < 1 ? 1 : low;
    return low == 0 && buckets > 1 ? bucket_of(drawing, 1).low : low;
}

static void lay_out(struct drawing *drawing, size_t buckets)
{
    double low = least_bound(drawing, buckets);
    double high = bucket_of(drawing, buckets - 1).high;
    if (!drawing->is_value && high < low + 1) high = low + 1;
    drawing->count = ROWS_MOST;
    if (!drawing->is_value && high - low < ROWS_MOST) drawing->count = (size_t)(high - low);
    if (buckets == 1) drawing->count = 1;
    for (size_t i = 0; i < drawing->count; i++) {
        drawing->rows[i].low = bound(low, high, i, drawing->count);
        drawing->rows[i].high = bound(low, high, i + 1, drawing->count);
    }
    if (drawing->is_value) drawing->rows[0].low = bucket_of(drawing, 0).low;
}

/* A bucket goes to the row of its middle: at most 1/64 of its value off. */
static void fill(struct drawing *drawing, size_t buckets)
{
    for (size_t i = 0, row = 0; i < buckets; i++) {
        struct row bucket = bucket_of(drawing, i);
        double middle = bucket.low / 2 + bucket.high / 2;
        while (row + 1 < drawing->count && middle >= drawing->rows[row].high) row++;
        drawing->rows[row].count += bucket.count;
        drawing->all += bucket.count;
    }
    for (size_t i = 0; i < drawing->count; i++)
        if (drawing->rows[i].count > drawing->largest) drawing->largest = drawing->rows[i].count;
}

static void put_marks(const struct drawing *drawing, size_t at)
{
    static const struct {
        const char *title, *key;
    } marks[] = {{"P50", "P50"}, {"P90", "P90"}, {"P99", "P99"}, {"P99.9", "P99_9"}};
    const struct screen *screen = &drawing->display->screen;
    const struct row *row = &drawing->rows[at];
    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++) {
        double mark = number_of(drawing, marks[i].key), x = drawing->is_value ? mark : mark * 1e6;
        bool is_here = (x >= row->low || at == 0) && (x < row->high || at == drawing->count - 1);
        char text[SCREEN_NUMBER_TEXT];
        if (isnan(x) || !is_here) continue;
        text_of(drawing, mark, text);
        screen_style(screen, SCREEN_HOT);
        fprintf(screen->file, " %s%s %s", screen->is_utf8 ? "◀ " : "< ", marks[i].title, text);
        screen_style(screen, SCREEN_PLAIN);
    }
}

static void put_row(const struct drawing *drawing, size_t at, size_t bar)
{
    const struct screen *screen = &drawing->display->screen;
    const struct row *row = &drawing->rows[at];
    const double bounds[] = {row->low, row->high};
    for (size_t i = 0; i < 2; i++) {
        char text[SCREEN_NUMBER_TEXT];
        text_of(drawing, drawing->is_value ? bounds[i] : bounds[i] / 1e6, text);
        if (i) fputs(" … ", screen->file);
        screen_right(screen, text, SCREEN_TIME);
    }
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
    static const char *const names[][2] = {{"avg", "Avg"}, {"min", "Min"}, {"max", "Max"}};
    const struct screen *screen = &drawing->display->screen;
    const char *kind = json_string_value(json_object_get(drawing->statistics, "percentiles"));
    long long count = json_integer_value(json_object_get(drawing->statistics, "Count"));
    fprintf(screen->file, "  %lld %s", count, drawing->is_value ? "values" : "calls");
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char text[SCREEN_NUMBER_TEXT];
        text_of(drawing, number_of(drawing, names[i][1]), text);
        fprintf(screen->file, ", %s", names[i][0]);
        screen_right(screen, text, 9);
    }
    if (kind) fputs("; percentiles: ", screen->file);
    if (kind) screen_text(screen, kind);
    fputc('\n', screen->file);
}

static void draw(struct drawing *drawing)
{
    const struct screen *screen = &drawing->display->screen;
    size_t width = screen->width ? screen->width : 80, used = 40 + LABELS;
    size_t buckets = document_buckets(drawing->statistics);
    if (buckets == 0) {
        fputs(drawing->is_value ? "  no histogram\n"
                                : "  no call has ended, so there is no histogram\n",
              screen->file);
        return;
    }
    put_summary(drawing);
    lay_out(drawing, buckets);
    fill(drawing, buckets);
    for (size_t i = 0; i < drawing->count; i++)
        put_row(drawing, i, width > used + 10 ? width - used : 10);
}

/* What is drawn, one after the other, or gathered as JSON. */
struct gallery {
    const struct display *display;
    uint32_t drawn, left_out;
    json_t *functions, *values;
};

static bool has_room(struct gallery *gallery)
{
    bool is_full = gallery->drawn == DRAWN_MOST;
    if (!is_full && gallery->drawn) fputc('\n', gallery->display->screen.file);
    gallery->drawn += !is_full;
    gallery->left_out += is_full;
    return !is_full;
}

static void show_function(struct gallery *gallery, const struct document_function *function)
{
    struct drawing drawing = {.display = gallery->display, .statistics = function->statistics};
    if (gallery->display->is_json) {
        json_t *object = display_function_json(gallery->display, function);
        json_t *histogram = json_object_get(function->statistics, "histogram");
        if (histogram) json_object_set(object, "histogram", histogram);
        json_array_append_new(gallery->functions, object);
    } else if (has_room(gallery)) {
        display_function_line(gallery->display, function, 0);
        fputc('\n', gallery->display->screen.file);
        draw(&drawing);
    }
}

static void show_value(struct gallery *gallery, const char *name, json_t *value)
{
    const struct screen *screen = &gallery->display->screen;
    const char *unit = json_string_value(json_object_get(value, "unit"));
    struct drawing drawing = {
        .display = gallery->display, .statistics = value, .is_value = true, .unit = unit};
    if (gallery->display->is_json) {
        json_object_set(gallery->values, name, value);
    } else if (has_room(gallery)) {
        screen_style(screen, SCREEN_MARK);
        screen_text(screen, name);
        screen_style(screen, SCREEN_FAINT);
        fputs(unit && *unit ? "  (value, " : "  (value", screen->file);
        screen_text(screen, unit ? unit : "");
        fputs(")\n", screen->file);
        screen_style(screen, SCREEN_PLAIN);
        draw(&drawing);
    }
}

static bool is_value_meant(const struct display *display, const char *name)
{
    return strcmp(display->function, name) == 0 || fnmatch(display->function, name, 0) == 0;
}

static void show_values(struct gallery *gallery)
{
    const char *name;
    json_t *value;
    json_object_foreach(json_object_get(gallery->display->document->json, "values"), name, value)
    {
        if (is_value_meant(gallery->display, name)) show_value(gallery, name, value);
    }
}

static int end_show(struct gallery *gallery)
{
    const struct screen *screen = &gallery->display->screen;
    if (gallery->display->is_json && json_object_size(gallery->values))
        return screen_json(screen, json_pack("{s:o,s:o}", "functions", gallery->functions, "values",
                                             gallery->values));
    json_decref(gallery->values);
    if (gallery->display->is_json)
        return screen_json(screen, json_pack("{s:o}", "functions", gallery->functions));
    json_decref(gallery->functions);
    if (gallery->left_out)
        fprintf(screen->file, "\n… and %u more that %s means\n", gallery->left_out,
                gallery->display->function);
    return EXITCODE_OK;
}

/* Values are the whole process's. */
static int tell_none(const struct display *display, uint32_t *ids)
{
    const char *name, *path = display->document->path;
    json_t *value;
    json_object_foreach(json_object_get(display->document->json, "values"), name, value)
    {
        if (!is_value_meant(display, name)) continue;
        say_line(path, ": ", name, " is a value, of all threads together: it has no --thread",
                 (char *)0);
        return EXITCODE_USAGE;
    }
    if (select_functions(display->document, display->function, ids))
        say_line(path, ": ", display->function, " was not called in thread ", display->thread,
                 (char *)0);
    return EXITCODE_USAGE;
}

/* functions: all or a thread's; ids: room for all of the report. */
static int show(const struct display *display, const struct document_function *functions,
                uint32_t count, uint32_t *ids, bool *is_meant)
{
    struct gallery gallery = {
        .display = display, .functions = json_array(), .values = json_object()};
    uint32_t found = select_find_functions(display->document, display->function, ids);
    for (uint32_t i = 0; i < found; i++) is_meant[ids[i]] = true;
    for (uint32_t i = 0; i < count; i++)
        if (is_meant[functions[i].id]) show_function(&gallery, &functions[i]);
    if (!display->thread) show_values(&gallery);
    if (gallery.drawn || json_array_size(gallery.functions) || json_object_size(gallery.values))
        return end_show(&gallery);
    json_decref(gallery.functions);
    json_decref(gallery.values);
    return tell_none(display, ids);
}

int display_histogram(const struct display *display)
{
    const struct document *document = display->document;
    uint32_t count = document->function_count;
    uint32_t *ids = calloc(count + (size_t)1, sizeof *ids);
    bool *is_meant = calloc(count + (size_t)1, sizeof *is_meant);
    struct document_function *own =
        display->thread ? display_thread_functions(display, &count) : NULL;
    int status = EXITCODE_BAD_INPUT;
    if (ids && is_meant && (own || !display->thread))
        status = show(display, own ? own : document->functions, count, ids, is_meant);
    else
        say_line("not enough memory for the histogram", (char *)0);
    free(ids);
    free(is_meant);
    free(own);
    return status;
}

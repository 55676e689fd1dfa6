/* SPDX-License-Identifier: MIT
 *
 * The table of functions and categories. A column is a row of a table; on a narrow terminal the
 * least telling columns give way to the names. Runs in `stint`. */
#include "view/display.h"

#include "base/compiler.h"
#include "base/say.h"
#include "verb/exitcode.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum form { FORM_TIME, FORM_COUNT, FORM_NAME, FORM_MODULE, FORM_LINE };
/* Whatever a terminal's width, a name has NAME_LEAST characters; off one, one long name moves no
 * other row's module. */
enum { NAME_LEAST = 24, MODULE_MOST = 24, LINE_MOST = 32, PADDED_MOST = 60 };

struct column {
    const char *name; /* as a user asks for it */
    const char *title;
    enum form form;
    int rank; /* the higher leaves first where there is no room; 0 = stays */
    size_t field;
};
#define FIELD(member) offsetof(struct document_function, member)

static const struct column columns[] = {
    {"total", "Total", FORM_TIME, 0, FIELD(total_ms)},
    {"self", "Self", FORM_TIME, 0, FIELD(self_ms)},
    {"calls", "Calls", FORM_COUNT, 0, FIELD(count)},
    {"avg", "Avg", FORM_TIME, 3, FIELD(avg_ms)},
    {"p50", "P50", FORM_TIME, 4, FIELD(p50_ms)},
    {"p99", "P99", FORM_TIME, 0, FIELD(p99_ms)},
    {"p99.9", "P99.9", FORM_TIME, 5, FIELD(p99_9_ms)},
    {"max", "Max", FORM_TIME, 0, FIELD(max_ms)},
    {"function", "Function", FORM_NAME, 0, FIELD(name)},
    {"module", "Module", FORM_MODULE, 2, FIELD(module)},
    {"line", "Line", FORM_LINE, 0, 0},
};
enum { COLUMNS = COUNT_OF(columns), NAME_COLUMN = COLUMNS - 3, LINE_COLUMN = COLUMNS - 1 };

struct table {
    const struct display *display;
    const struct document_function **rows;
    size_t count, shown;
    bool is_shown[COLUMNS];
    size_t widths[COLUMNS];
};

const struct column *display_find_column(const char *name)
{
    for (size_t i = 0; i < LINE_COLUMN; i++)
        if (strcmp(columns[i].name, name) == 0) return &columns[i];
    return NULL;
}

static const char *module_word(const struct document_function *function)
{
    return function->is_category ? "(category)" : document_base_name(function->module);
}

static double number_in(const struct document_function *function, const struct column *column)
{
    const char *field = (const char *)function + column->field;
    if (column->form == FORM_COUNT) return (double)*(const uint64_t *)(const void *)field;
    double time = *(const double *)(const void *)field;
    return isnan(time) ? -1 : time;
}

static int compare(const void *a, const void *b, void *context)
{
    const struct column *column = context;
    const struct document_function *x = *(const struct document_function *const *)a;
    const struct document_function *y = *(const struct document_function *const *)b;
    int order = 0;
    if (column->form == FORM_NAME) {
        order = strcmp(x->name, y->name);
    } else if (column->form == FORM_MODULE) {
        order = strcmp(module_word(x), module_word(y));
    } else {
        double p = number_in(x, column), q = number_in(y, column);
        order = (p < q) - (p > q);
    }
    return order ? order : (x->id > y->id) - (x->id < y->id);
}

static bool fill(struct table *table, const struct document_function *functions, uint32_t count)
{
    const struct column *sort =
        table->display->sort ? table->display->sort : display_find_column("self");
    table->rows = calloc(count + (size_t)1, sizeof(void *));
    if (!table->rows) return false;
    for (uint32_t i = 0; i < count; i++)
        if (select_wants(&table->display->select, &functions[i]))
            table->rows[table->count++] = &functions[i];
    qsort_r((void *)table->rows, table->count, sizeof(void *), compare, (void *)(uintptr_t)sort);
    size_t most = table->display->most_rows;
    table->shown = most && most < table->count ? most : table->count;
    return true;
}

static size_t column_width(const struct table *table, size_t column)
{
    size_t widest = screen_width(columns[column].title);
    switch (columns[column].form) {
    case FORM_TIME:
        return SCREEN_TIME;
    case FORM_COUNT:
        return SCREEN_COUNT;
    case FORM_LINE:
        return LINE_MOST;
    case FORM_NAME:
        return NAME_LEAST;
    case FORM_MODULE:
        break;
    }
    for (size_t i = 0; i < table->shown; i++) {
        size_t width = screen_width(module_word(table->rows[i]));
        if (width > widest) widest = width < MODULE_MOST ? width : MODULE_MOST;
    }
    return widest;
}

/* Which columns there is room for, and what they leave to the names. */
static void lay_out(struct table *table)
{
    size_t used = 0, width = table->display->screen.width, longest = 0;
    for (size_t i = 0; i < COLUMNS; i++) {
        table->is_shown[i] = i != LINE_COLUMN || table->display->lines;
        table->widths[i] = column_width(table, i);
        if (table->is_shown[i]) used += table->widths[i] + (i ? 2 : 0);
    }
    for (int rank = 5; rank > 0 && width; rank--) {
        for (size_t i = 0; i < COLUMNS; i++) {
            if (columns[i].rank != rank || used <= width || &columns[i] == table->display->sort)
                continue;
            table->is_shown[i] = false;
            used -= table->widths[i] + 2;
        }
    }
    size_t most = !width ? PADDED_MOST : used < width ? NAME_LEAST + width - used : NAME_LEAST;
    for (size_t i = 0; i < table->shown; i++) {
        size_t length = screen_width(table->rows[i]->name);
        if (length > longest) longest = length;
    }
    if (longest < strlen("Function")) longest = strlen("Function");
    table->widths[NAME_COLUMN] = longest < most ? longest : most;
}

static void put_titles(const struct table *table)
{
    const struct screen *screen = &table->display->screen;
    screen_style(screen, SCREEN_TITLE);
    for (size_t i = 0; i < COLUMNS; i++) {
        if (!table->is_shown[i]) continue;
        if (i) fputs("  ", screen->file);
        if (columns[i].form == FORM_TIME || columns[i].form == FORM_COUNT) {
            screen_right(screen, columns[i].title, table->widths[i]);
            continue;
        }
        fputs(columns[i].title, screen->file);
        bool is_last = i == LINE_COLUMN || (i == LINE_COLUMN - 1 && !table->is_shown[LINE_COLUMN]);
        if (!is_last) screen_pad(screen, strlen(columns[i].title), table->widths[i]);
    }
    screen_style(screen, SCREEN_PLAIN);
    fputc('\n', screen->file);
}

static bool line_of(const struct display *display, const struct document_function *function,
                    char text[4096])
{
    const struct lines_place place = {function->module, function->build_id, function->offset};
    return display->lines && lines_find(display->lines, &place, text, 4096);
}

/* The end of a path tells more than its middle. */
static void put_line_of_source(const struct table *table, const struct document_function *function)
{
    char text[4096] = "-";
    const struct screen *screen = &table->display->screen;
    (void)line_of(table->display, function, text); /* else a dash */
    size_t width = screen_width(text);
    if (!screen->width || width <= LINE_MOST) {
        screen_text(screen, text);
        return;
    }
    const char *end = text + strlen(text);
    for (size_t i = 0; i < LINE_MOST - 1; i++) do
            end--;
        while (((unsigned char)*end & 0xc0) == 0x80);
    fputs("…", screen->file);
    screen_text(screen, end);
}

static void put_cell(const struct table *table, size_t column, const struct document_function *row)
{
    const struct screen *screen = &table->display->screen;
    const char *field = (const char *)row + columns[column].field;
    size_t printed;
    switch (columns[column].form) {
    case FORM_TIME:
        screen_time(screen, *(const double *)(const void *)field, SCREEN_TIME);
        break;
    case FORM_COUNT:
        screen_count(screen, *(const uint64_t *)(const void *)field, SCREEN_COUNT);
        break;
    case FORM_NAME:
        screen_style(screen, row->is_category ? SCREEN_MARK : SCREEN_PLAIN);
        printed = screen_name(screen, row->name, table->widths[column]);
        screen_style(screen, SCREEN_PLAIN);
        if (table->is_shown[column + 1] || table->is_shown[column + 2])
            screen_pad(screen, printed, table->widths[column]);
        break;
    case FORM_MODULE:
        screen_style(screen, SCREEN_FAINT);
        printed = screen_name(screen, module_word(row), MODULE_MOST);
        screen_style(screen, SCREEN_PLAIN);
        if (table->is_shown[column + 1]) screen_pad(screen, printed, table->widths[column]);
        break;
    case FORM_LINE:
        put_line_of_source(table, row);
        break;
    }
}

static void put_table(struct table *table)
{
    const struct screen *screen = &table->display->screen;
    const struct select_wish *wish = &table->display->select;
    if (table->count == 0 && (wish->name_count || wish->module)) {
        fputs(!wish->module      ? "no function or category has such a name\n"
              : wish->name_count ? "no function of such a module has such a name\n"
                                 : "no function is of such a module\n",
              screen->file);
        return;
    }
    lay_out(table);
    put_titles(table);
    for (size_t i = 0; i < table->shown; i++) {
        for (size_t j = 0; j < COLUMNS; j++) {
            if (!table->is_shown[j]) continue;
            if (j) fputs("  ", screen->file);
            put_cell(table, j, table->rows[i]);
        }
        fputc('\n', screen->file);
    }
    if (table->shown < table->count)
        fprintf(screen->file, "… and %zu more; stint report -n 0 shows all\n",
                table->count - table->shown);
}

json_t *display_function_json(const struct display *display,
                              const struct document_function *function)
{
    json_t *object = json_object();
    char line[4096];
    const char *key;
    json_t *value;
    json_object_set_new(object, "name", json_string(function->name));
    if (function->is_category) json_object_set_new(object, "category", json_true());
    if (function->module) json_object_set_new(object, "module", json_string(function->module));
    if (line_of(display, function, line)) json_object_set_new(object, "line", json_string(line));
    json_object_foreach((json_t *)(uintptr_t)function->statistics, key, value)
    {
        if (strcmp(key, "histogram") != 0) json_object_set(object, key, value);
    }
    return object;
}

void display_function_line(const struct display *display, const struct document_function *function,
                           size_t used)
{
    char line[4096];
    const struct screen *screen = &display->screen;
    size_t module = screen_width(module_word(function));
    module = 2 + (module < MODULE_MOST ? module : MODULE_MOST);
    bool has_module = !screen->width || screen->width >= used + NAME_LEAST + module;
    if (has_module) used += module;
    screen_style(screen, function->is_category ? SCREEN_MARK : SCREEN_PLAIN);
    screen_name(screen, function->name,
                screen->width > used + NAME_LEAST ? screen->width - used : NAME_LEAST);
    screen_style(screen, SCREEN_FAINT);
    if (has_module) fputs("  ", screen->file);
    if (has_module) screen_name(screen, module_word(function), MODULE_MOST);
    if (line_of(display, function, line)) {
        fputs("  ", screen->file);
        screen_text(screen, line);
    }
    screen_style(screen, SCREEN_PLAIN);
}

static json_t *table_json(const struct table *table)
{
    json_t *functions = json_array(), *all = json_object();
    for (size_t i = 0; i < table->shown; i++)
        json_array_append_new(functions, display_function_json(table->display, table->rows[i]));
    json_object_set_new(all, "functions", functions);
    static const char *const others[] = {"counters", "values", "frames"};
    for (size_t i = 0; !table->display->thread && i < COUNT_OF(others); i++) {
        json_t *other = json_object_get(table->display->document->json, others[i]);
        if (other) json_object_set(all, others[i], other);
    }
    return all;
}

int display_functions(const struct display *display)
{
    uint32_t count = display->document->function_count;
    struct document_function *own =
        display->thread ? display_thread_functions(display, &count) : NULL;
    if (display->thread && !own) return EXITCODE_USAGE;
    struct table table = {.display = display};
    int status = EXITCODE_OK;
    if (!fill(&table, own ? own : display->document->functions, count)) {
        say_line("not enough memory for the table", (char *)0);
        status = EXITCODE_BAD_INPUT;
    } else if (display->is_json) {
        status = screen_json(&display->screen, table_json(&table));
    } else {
        put_table(&table);
    }
    free((void *)table.rows);
    free(own);
    return status;
}

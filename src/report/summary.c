/* SPDX-License-Identifier: MIT
 *
 * Report → rows → sorted → lines. Numbers are formatted here, without locale. Runs outside of
 * targets. */
#include "report/summary.h"

#include "base/arena.h"
#include "base/compiler.h"
#include "base/file.h"
#include "base/fmt.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { TIME_WIDTH = 8, COUNT_WIDTH = 11, BACKTRACE_MOST = 32 };
/* Of texts on a terminal: whatever its width, a name has NAME_LEAST characters. */
enum { NAME_LEAST = 24, MODULE_MOST = 24, WORD_MOST = 60 };
enum { PADDED_MOST = 60 }; /* off a terminal one long name moves no other row's module */

static const struct summary_column columns[] = {
    {"total", "Total", "Total_ms", SUMMARY_TIME}, {"self", "Self", "Self_ms", SUMMARY_TIME},
    {"calls", "Calls", "Count", SUMMARY_COUNT},   {"avg", "Avg", "Avg_ms", SUMMARY_TIME},
    {"p50", "P50", "P50_ms", SUMMARY_TIME},       {"p99", "P99", "P99_ms", SUMMARY_TIME},
    {"p99.9", "P99.9", "P99_9_ms", SUMMARY_TIME}, {"max", "Max", "Max_ms", SUMMARY_TIME},
    {"function", "Function", NULL, SUMMARY_NAME}, {"module", "Module", NULL, SUMMARY_MODULE},
};

struct row {
    const char *name, *module; /* of a category the module is a word for that */
    const json_t *statistics;
    size_t place; /* in the report: equal rows stay in its order */
};

struct table {
    struct row *rows;
    size_t count;
    const struct summary_column *sort;
};

const struct summary_column *summary_columns(size_t *count)
{
    *count = COUNT_OF(columns);
    return columns;
}

const struct summary_column *summary_find_column(const char *name)
{
    for (size_t i = 0; i < COUNT_OF(columns); i++)
        if (strcmp(columns[i].name, name) == 0) return &columns[i];
    return NULL;
}

/* Text gathered for few writes; the first error stays. */
struct page {
    int fd, error;
    size_t width; /* of the terminal; 0 = texts are whole */
    char space[16384];
    struct fmt line;
};

static void page_flush(struct page *page)
{
    if (!page->error) page->error = file_write_all(page->fd, page->line.data, page->line.length);
    page->line = fmt_over(page->space, sizeof page->space);
}

/* Ends a line; each is far shorter than what is kept free. */
static void end_line(struct page *page)
{
    fmt_char(&page->line, '\n');
    if (page->line.length > sizeof page->space / 2) page_flush(page);
}

static double number_of(const json_t *object, const char *key)
{
    return json_number_value(json_object_get(object, key));
}

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

static uint64_t count_of(const json_t *object, const char *key)
{
    json_int_t value = json_integer_value(json_object_get(object, key));
    return value > 0 ? (uint64_t)value : 0;
}

/* Three digits: 1.23, 12.3, 123. value is below 1000 or whole. */
static void three_digits(struct fmt *out, double value)
{
    uint64_t scale = value < 9.995 ? 100 : value < 99.95 ? 10 : 1;
    uint64_t rounded = (uint64_t)(value * (double)scale + 0.5);
    fmt_u64(out, rounded / scale);
    if (scale == 1) return;
    fmt_char(out, '.');
    if (scale == 100) fmt_char(out, (char)('0' + rounded % 100 / 10));
    fmt_char(out, (char)('0' + rounded % 10));
}

void summary_time(double ms, char text[16])
{
    static const char *const units[] = {" ns", " µs", " ms", " s"};
    struct fmt out = fmt_over(text, 16);
    double value = ms > 0 ? ms * 1e6 : 0;
    size_t unit = 0;
    for (; unit < COUNT_OF(units) - 1 && value >= 999.5; unit++) value /= 1000;
    if (value > 9e8) value = 9e8; /* of seconds: 28 years */
    if (unit == 0)
        fmt_u64(&out, (uint64_t)(value + 0.5));
    else
        three_digits(&out, value);
    fmt_text(&out, units[unit]);
}

static bool is_continuation(char c) { return ((unsigned char)c & 0xc0) == 0x80; }

static size_t width_of(const char *text)
{
    size_t width = 0;
    for (; *text; text++) width += !is_continuation(*text);
    return width;
}

static void pad(struct fmt *out, size_t from, size_t to)
{
    while (from++ < to) fmt_char(out, ' ');
}

static void put_right(struct fmt *out, const char *text, size_t width)
{
    pad(out, width_of(text), width);
    fmt_text(out, text);
}

static const char *next_character(const char *text)
{
    text++;
    while (is_continuation(*text)) text++;
    return text;
}

/* What a terminal would act on is replaced (C0, DEL, and C1 in UTF-8). Returns what follows. */
static const char *put_character(struct page *page, const char *text)
{
    const char *next = next_character(text);
    unsigned char c = (unsigned char)*text;
    bool is_c1 = c == 0xc2 && (unsigned char)text[1] >= 0x80 && (unsigned char)text[1] < 0xa0;
    if (page->line.length > sizeof page->space - 64) page_flush(page);
    if (c < ' ' || c == 127 || is_c1)
        fmt_char(&page->line, '?');
    else
        fmt_bytes(&page->line, text, (size_t)(next - text));
    return next;
}

/* On a terminal at most `most` characters: the middle gives way, since a C++ name ends with what
 * tells it from its neighbours. */
static void put_name(struct page *page, const char *name, size_t most)
{
    size_t length = width_of(name), head = (most - 1) / 2;
    size_t cut = page->width && length > most ? length - most + 1 : 0;
    for (size_t i = 0; *name; i++) {
        if (cut && i == head) fmt_text(&page->line, "…");
        for (; cut && i == head; cut--) name = next_character(name);
        name = put_character(page, name);
    }
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

static bool comes_before(const struct table *table, const struct row *a, const struct row *b)
{
    int order = 0;
    if (table->sort->form == SUMMARY_NAME) {
        order = strcmp(a->name, b->name);
    } else if (table->sort->form == SUMMARY_MODULE) {
        order = strcmp(base_name(a->module), base_name(b->module));
    } else {
        double x = number_of(a->statistics, table->sort->key);
        double y = number_of(b->statistics, table->sort->key);
        order = (x < y) - (x > y);
    }
    return order ? order < 0 : a->place < b->place;
}

static void sift_down(const struct table *table, size_t start, size_t end)
{
    struct row *rows = table->rows;
    for (size_t child; (child = 2 * start + 1) < end; start = child) {
        if (child + 1 < end && comes_before(table, &rows[child], &rows[child + 1])) child++;
        if (!comes_before(table, &rows[start], &rows[child])) return;
        struct row swapped = rows[start];
        rows[start] = rows[child];
        rows[child] = swapped;
    }
}

/* Heapsort: no memory, and no input is slow. */
static void table_sort(const struct table *table)
{
    for (size_t i = table->count / 2; i-- > 0;) sift_down(table, i, table->count);
    for (size_t end = table->count; end-- > 1;) {
        struct row last = table->rows[end];
        table->rows[end] = table->rows[0];
        table->rows[0] = last;
        sift_down(table, 0, end);
    }
}

static int table_fill(struct table *table, const json_t *report, struct arena *arena)
{
    const json_t *functions = json_object_get(report, "functions");
    json_t *categories = json_object_get(report, "categories");
    size_t most = json_array_size(functions) + json_object_size(categories);
    table->rows = arena_alloc(arena, (most + 1) * sizeof *table->rows);
    if (!table->rows) return -ENOMEM;
    for (size_t i = 0; i < json_array_size(functions); i++) {
        const json_t *function = json_array_get(functions, i);
        table->rows[table->count] =
            (struct row){text_of(function, "name"), text_of(function, "module"), function, i};
        table->count++;
    }
    const char *name;
    json_t *category;
    json_object_foreach(categories, name, category)
    {
        table->rows[table->count] = (struct row){name, "(category)", category, table->count};
        table->count++;
    }
    return 0;
}

static void put_cell(struct page *page, const struct summary_column *column, const struct row *row,
                     size_t name_width)
{
    char text[24] = "-";
    const json_t *value = column->key ? json_object_get(row->statistics, column->key) : NULL;
    struct fmt number;
    switch (column->form) {
    case SUMMARY_TIME:
        if (value) summary_time(json_number_value(value), text);
        put_right(&page->line, text, TIME_WIDTH);
        break;
    case SUMMARY_COUNT:
        number = fmt_over(text, sizeof text);
        fmt_u64(&number, count_of(row->statistics, column->key));
        put_right(&page->line, text, COUNT_WIDTH);
        break;
    case SUMMARY_NAME:
        put_name(page, row->name, name_width);
        pad(&page->line, width_of(row->name), name_width);
        break;
    case SUMMARY_MODULE:
        put_name(page, base_name(row->module), MODULE_MOST);
        break;
    }
}

/* The most that a function's name may take: what the terminal's line has left. */
static size_t name_space(const struct table *table, size_t shown, size_t width)
{
    size_t used = width_of("Module");
    if (!width) return PADDED_MOST;
    for (size_t i = 0; i < shown; i++) {
        size_t module = width_of(base_name(table->rows[i].module));
        if (module > used) used = module < MODULE_MOST ? module : MODULE_MOST;
    }
    for (size_t i = 0; i < COUNT_OF(columns); i++) {
        if (i) used += 2;
        if (columns[i].form == SUMMARY_TIME) used += TIME_WIDTH;
        if (columns[i].form == SUMMARY_COUNT) used += COUNT_WIDTH;
    }
    return width > used + NAME_LEAST ? width - used : NAME_LEAST;
}

static void put_titles(struct page *page, size_t name_width)
{
    for (size_t i = 0; i < COUNT_OF(columns); i++) {
        const char *title = columns[i].title;
        if (i) fmt_text(&page->line, "  ");
        if (columns[i].form == SUMMARY_TIME || columns[i].form == SUMMARY_COUNT) {
            put_right(&page->line, title,
                      columns[i].form == SUMMARY_TIME ? TIME_WIDTH : COUNT_WIDTH);
        } else {
            fmt_text(&page->line, title);
            if (columns[i].form == SUMMARY_NAME) pad(&page->line, width_of(title), name_width);
        }
    }
    end_line(page);
}

static void put_rows(struct page *page, const struct table *table, size_t most)
{
    size_t shown = most && most < table->count ? most : table->count;
    size_t name_width = width_of("Function"), name_most = name_space(table, shown, page->width);
    for (size_t i = 0; i < shown; i++) {
        size_t width = width_of(table->rows[i].name);
        if (width > name_most) width = name_most;
        if (width > name_width) name_width = width;
    }
    put_titles(page, name_width);
    for (size_t i = 0; i < shown; i++) {
        for (size_t j = 0; j < COUNT_OF(columns); j++) {
            if (j) fmt_text(&page->line, "  ");
            put_cell(page, &columns[j], &table->rows[i], name_width);
        }
        end_line(page);
    }
    if (shown == table->count) return;
    fmt_text(&page->line, "… and ");
    fmt_u64(&page->line, table->count - shown);
    fmt_text(&page->line, " more");
    end_line(page);
}

static void put_ending(struct page *page, const json_t *ending)
{
    struct fmt *out = &page->line;
    const char *kind = text_of(ending, "kind");
    const json_t *status = json_object_get(ending, "status");
    if (json_object_get(ending, "signal")) {
        put_name(page, text_of(ending, "signal"), WORD_MOST);
        if (*text_of(ending, "code")) {
            fmt_text(out, " (");
            put_name(page, text_of(ending, "code"), WORD_MOST);
            fmt_char(out, ')');
        }
        return;
    }
    put_name(page, kind, WORD_MOST);
    if (!status) return;
    fmt_char(out, ' ');
    fmt_i64(out, json_integer_value(status));
}

static void put_time(struct fmt *out, double ms)
{
    char text[16];
    summary_time(ms, text);
    fmt_text(out, text);
}

/* Threads that came after one had ended may have taken its row over: "601 threads (in 256 rows)" */
static void put_threads(struct fmt *out, const json_t *threads)
{
    size_t rows = json_array_size(threads);
    uint64_t count = 0;
    for (size_t i = 0; i < rows; i++) {
        uint64_t generations = count_of(json_array_get(threads, i), "generations");
        count += generations ? generations : 1;
    }
    fmt_u64(out, count);
    fmt_text(out, count == 1 ? " thread" : " threads");
    if (count == rows) return;
    fmt_text(out, " (in ");
    fmt_u64(out, rows);
    fmt_text(out, rows == 1 ? " row)" : " rows)");
}

/* "demo, pid 4242: exit 0 after 2.31 s; 5 threads, 36356635 calls, recorded at 33 ns each" */
static void put_head(struct page *page, const json_t *report)
{
    const json_t *process = json_object_get(report, "process");
    const json_t *overhead = json_object_get(report, "overhead");
    const char *program = base_name(text_of(process, "executable"));
    struct fmt *out = &page->line;
    put_name(page, *program ? program : "(unknown program)", WORD_MOST);
    fmt_text(out, ", pid ");
    fmt_u64(out, count_of(process, "pid"));
    fmt_text(out, ": ");
    put_ending(page, json_object_get(process, "ending"));
    fmt_text(out, " after ");
    put_time(out, number_of(process, "duration_ms"));
    fmt_text(out, "; ");
    put_threads(out, json_object_get(report, "threads"));
    fmt_text(out, ", ");
    uint64_t calls = count_of(overhead, "calls");
    fmt_u64(out, calls);
    fmt_text(out, calls == 1 ? " call" : " calls");
    double cost_ms = number_of(overhead, "per_call_ns") / 1e6;
    if (cost_ms > 0) {
        fmt_text(out, ", about ");
        put_time(out, cost_ms);
        fmt_text(out, " of recording in each");
    }
    end_line(page);
}

static void put_lost(struct page *page, const json_t *report)
{
    const char *kind;
    json_t *count;
    bool is_any = false;
    json_object_foreach(json_object_get(report, "lost"), kind, count)
    {
        if (json_integer_value(count) <= 0) continue;
        fmt_text(&page->line, is_any ? ", " : "not as it happened: ");
        put_name(page, kind, WORD_MOST);
        fmt_char(&page->line, ' ');
        fmt_i64(&page->line, json_integer_value(count));
        if (page->line.length > sizeof page->space / 2) page_flush(page);
        is_any = true;
    }
    if (is_any) end_line(page);
}

/* "   at address 0x10, in thread worker (tid 4243)" */
static void put_place(struct page *page, const json_t *report, const json_t *ending)
{
    const char *address = text_of(ending, "address");
    const json_t *number = json_object_get(ending, "thread");
    size_t at = (size_t)json_integer_value(number); /* a negative one is no thread's either */
    const json_t *thread = json_array_get(json_object_get(report, "threads"), at);
    if (!number) thread = NULL;
    if (!*address && !thread) return;
    fmt_text(&page->line, *address ? "   at address " : "   in thread ");
    put_name(page, address, WORD_MOST);
    if (*address && thread) fmt_text(&page->line, ", in thread ");
    if (thread) {
        put_name(page, text_of(thread, "name"), WORD_MOST);
        fmt_text(&page->line, " (tid ");
        fmt_u64(&page->line, count_of(thread, "tid"));
        fmt_char(&page->line, ')');
    }
    end_line(page);
}

/* "   by parse(char const*)  app+0x10"; what has no symbol is called by its place already. */
static void put_frame(struct page *page, const json_t *frame, bool is_first, size_t name_most)
{
    const char *name = text_of(frame, "name"), *module = base_name(text_of(frame, "module"));
    const char *offset = text_of(frame, "offset");
    bool is_named = strncmp(name, module, strlen(module)) != 0 || name[strlen(module)] != '+';
    fmt_text(&page->line, is_first ? "   in " : "   by ");
    if (is_named) put_name(page, name, name_most);
    if (is_named && *module) fmt_text(&page->line, "  ");
    if (*module) {
        put_name(page, module, MODULE_MOST);
        fmt_char(&page->line, '+');
        put_name(page, offset, WORD_MOST);
    }
    if (strcmp(module, "libstint.so") == 0) fmt_text(&page->line, "  (stint's own)");
    end_line(page);
}

static void put_backtrace(struct page *page, const json_t *ending)
{
    const json_t *backtrace = json_object_get(ending, "backtrace");
    size_t frames = json_array_size(backtrace), used = width_of("   in   +0x123456") + MODULE_MOST;
    size_t name_most = page->width > used + NAME_LEAST ? page->width - used : NAME_LEAST;
    for (size_t i = 0; i < frames && i < BACKTRACE_MOST; i++)
        put_frame(page, json_array_get(backtrace, i), i == 0, name_most);
    if (frames <= BACKTRACE_MOST) return;
    fmt_text(&page->line, "   … and ");
    fmt_u64(&page->line, frames - BACKTRACE_MOST);
    fmt_text(&page->line, " more");
    end_line(page);
}

static void put_crash(struct page *page, const json_t *report)
{
    const json_t *ending = json_object_get(json_object_get(report, "process"), "ending");
    if (strcmp(text_of(ending, "kind"), "signal") != 0) return;
    put_place(page, report, ending);
    put_backtrace(page, ending);
}

int summary_write(const json_t *report, const struct summary_options *options, int fd)
{
    struct page page = {.fd = fd, .width = options->width};
    page.line = fmt_over(page.space, sizeof page.space);
    struct arena arena = ARENA_INIT;
    struct table table = {.sort = options->sort ? options->sort : summary_find_column("self")};
    int error = table_fill(&table, report, &arena);
    if (!error) {
        table_sort(&table);
        put_head(&page, report);
        put_lost(&page, report);
        put_crash(&page, report);
        put_rows(&page, &table, options->most_rows);
        page_flush(&page);
    }
    arena_fini(&arena);
    return error ? error : page.error;
}

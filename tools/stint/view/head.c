/* SPDX-License-Identifier: MIT
 *
 * What stands over every table: what ran and how it ended, what was not recorded as it happened,
 * a crash's place and backtrace. Runs in `stint`. */
#include "view/display.h"

#include "base/compiler.h"
#include "report/summary.h"

#include <stdlib.h>
#include <string.h>

enum { BACKTRACE_MOST = 32, NAME_LEAST = 24, MODULE_MOST = 24 };
enum { WORD_MOST = 60 }; /* of a text that has no column to keep to */

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

static void put_count(const struct screen *screen, uint64_t count, const char *noun)
{
    fprintf(screen->file, "%llu %s%s", (unsigned long long)count, noun, count == 1 ? "" : "s");
}

static void put_ending(const struct screen *screen, const json_t *ending)
{
    const json_t *status = json_object_get(ending, "status");
    if (json_object_get(ending, "signal")) {
        screen_style(screen, SCREEN_HOT);
        screen_name(screen, text_of(ending, "signal"), WORD_MOST);
        if (*text_of(ending, "code")) {
            fputs(" (", screen->file);
            screen_name(screen, text_of(ending, "code"), WORD_MOST);
            fputc(')', screen->file);
        }
        screen_style(screen, SCREEN_PLAIN);
        return;
    }
    screen_name(screen, text_of(ending, "kind"), WORD_MOST);
    if (status) fprintf(screen->file, " %lld", (long long)json_integer_value(status));
}

/* Threads that came after one had ended may have taken its row over: "601 threads (in 256 rows)" */
static void put_threads(const struct display *display)
{
    const struct screen *screen = &display->screen;
    uint64_t count = 0;
    uint32_t rows = display->document->thread_count;
    for (uint32_t i = 0; i < rows; i++) count += display->document->threads[i].generations;
    put_count(screen, count, "thread");
    if (count == rows) return;
    fputs(" (in ", screen->file);
    put_count(screen, rows, "row");
    fputc(')', screen->file);
}

enum { PROGRAMS_SHOWN = 3, SATURATED_SHOWN = 3 };

/* Of a merged report: "3 processes (app, helper), merged". Neighbours of one name are named once.
 */
static void put_processes(const struct screen *screen, const json_t *processes)
{
    size_t count = json_array_size(processes), shown = 0;
    const char *last = "";
    screen_style(screen, SCREEN_TITLE);
    fprintf(screen->file, "%zu process%s (", count, count == 1 ? "" : "es");
    for (size_t i = 0; i < count && shown <= PROGRAMS_SHOWN; i++) {
        const char *path = text_of(json_array_get(processes, i), "executable");
        const char *program = document_base_name(path);
        if (shown && strcmp(program, last) == 0) continue;
        if (shown) fputs(", ", screen->file);
        last = program;
        if (shown++ == PROGRAMS_SHOWN) program = "…";
        screen_name(screen, *program ? program : "unknown", WORD_MOST);
    }
    fputs("), merged", screen->file);
    screen_style(screen, SCREEN_PLAIN);
    fputs(": ", screen->file);
}

static void put_program(const struct display *display)
{
    const struct screen *screen = &display->screen;
    const json_t *process = json_object_get(display->document->json, "process");
    const json_t *processes = json_object_get(display->document->json, "processes");
    const char *program = document_base_name(text_of(process, "executable"));
    if (json_array_size(processes)) {
        put_processes(screen, processes);
        return;
    }
    screen_style(screen, SCREEN_TITLE);
    screen_name(screen, *program ? program : "(unknown program)", WORD_MOST);
    screen_style(screen, SCREEN_PLAIN);
    fprintf(screen->file, ", pid %llu: ", (unsigned long long)count_of(process, "pid"));
}

/* "demo, pid 4242: exit 0 after 2.31 s; 5 threads, 36356635 calls, about 33 ns of recording in …"
 */
static void put_process(const struct display *display)
{
    const struct screen *screen = &display->screen;
    const json_t *process = json_object_get(display->document->json, "process");
    const json_t *overhead = json_object_get(display->document->json, "overhead");
    char text[16];
    put_program(display);
    put_ending(screen, json_object_get(process, "ending"));
    summary_time(display->document->duration_ms, text);
    fprintf(screen->file, " after %s; ", text);
    put_threads(display);
    fputs(", ", screen->file);
    put_count(screen, count_of(overhead, "calls"), "call");
    double cost_ms = json_number_value(json_object_get(overhead, "per_call_ns")) / 1e6;
    summary_time(cost_ms, text);
    if (cost_ms > 0) fprintf(screen->file, ", about %s of recording in each", text);
    fputc('\n', screen->file);
}

/* What a kind means, where a setting changes it. */
static const char *remedy_for(const char *kind)
{
    static const char *const remedies[][2] = {
        {"calls_too_deep", "deeper than STINT_MAX_DEPTH"},
        {"contexts_folded",
         "on paths past STINT_MAX_NODES, [folded] in the tree, and slower to record"},
        {"threads_merged", "past STINT_MAX_THREADS, they share rows"},
    };
    for (size_t i = 0; i < COUNT_OF(remedies); i++)
        if (strcmp(kind, remedies[i][0]) == 0) return remedies[i][1];
    return NULL;
}

static void put_lost(const struct display *display)
{
    const struct screen *screen = &display->screen;
    const char *kind;
    json_t *count;
    bool is_any = false;
    json_object_foreach(json_object_get(display->document->json, "lost"), kind, count)
    {
        if (json_integer_value(count) <= 0) continue;
        fputs(is_any ? ", " : "not as it happened: ", screen->file);
        screen_name(screen, kind, WORD_MOST);
        fprintf(screen->file, " %lld", (long long)json_integer_value(count));
        const char *remedy = remedy_for(kind);
        if (remedy) fprintf(screen->file, " (%s)", remedy);
        is_any = true;
    }
    if (is_any) fputc('\n', screen->file);
}

/* A sum that reached the end of its type: what the table says of it is the least that it was. */
static void put_saturated(const struct display *display)
{
    const struct screen *screen = &display->screen;
    size_t found = 0;
    for (uint32_t i = 0; i < display->document->function_count; i++) {
        const struct document_function *function = &display->document->functions[i];
        if (!json_is_true(json_object_get(function->statistics, "saturated"))) continue;
        if (found++ >= SATURATED_SHOWN) continue;
        fputs(found > 1 ? ", " : "at least what is shown, past the end of 64 bits: ", screen->file);
        screen_name(screen, function->name, WORD_MOST);
    }
    if (found > SATURATED_SHOWN) fprintf(screen->file, " and %zu more", found - SATURATED_SHOWN);
    if (found) fputc('\n', screen->file);
}

/* "   at address 0x10, in thread worker (tid 4243)" */
static void put_place(const struct display *display, const json_t *ending)
{
    const struct screen *screen = &display->screen;
    const char *address = text_of(ending, "address");
    const json_t *number = json_object_get(ending, "thread");
    if (!*address && !number) return;
    fputs(*address ? "   at address " : "   in thread ", screen->file);
    screen_name(screen, address, WORD_MOST);
    if (*address && number) fputs(", in thread ", screen->file);
    if (number) {
        const struct document_thread *thread =
            &display->document->threads[json_integer_value(number)];
        screen_name(screen, thread->name, WORD_MOST);
        fprintf(screen->file, " (tid %llu)", (unsigned long long)thread->tid);
    }
    fputc('\n', screen->file);
}

/* A module's build-id is told by its functions. */
static const char *build_id_of(const struct document *document, const char *module)
{
    for (uint32_t i = 0; i < document->function_count; i++) {
        const struct document_function *function = &document->functions[i];
        if (function->module && function->build_id && strcmp(function->module, module) == 0)
            return function->build_id;
    }
    return NULL;
}

/* Of callers the offset is where the call returns to: the line of the call lies before it. */
static void put_line(const struct display *display, const json_t *frame, bool is_first)
{
    const char *module = text_of(frame, "module");
    uint64_t offset = strtoull(text_of(frame, "offset"), NULL, 16);
    char text[4096];
    if (!display->lines || !*module || offset == 0) return;
    const struct lines_place place = {module, build_id_of(display->document, module),
                                      offset - !is_first};
    if (!lines_find(display->lines, &place, text, sizeof text)) return;
    fputs("  ", display->screen.file);
    screen_text(&display->screen, text);
}

/* "   by parse(char const*)  app+0x10"; what has no symbol is called by its place already. */
static void put_frame(const struct display *display, const json_t *frame, bool is_first,
                      size_t most)
{
    const struct screen *screen = &display->screen;
    const char *name = text_of(frame, "name");
    const char *module = document_base_name(text_of(frame, "module"));
    bool is_named = strncmp(name, module, strlen(module)) != 0 || name[strlen(module)] != '+';
    fputs(is_first ? "   in " : "   by ", screen->file);
    if (is_named) screen_name(screen, name, most);
    if (is_named && *module) fputs("  ", screen->file);
    if (*module) {
        screen_name(screen, module, MODULE_MOST);
        fputc('+', screen->file);
        screen_name(screen, text_of(frame, "offset"), WORD_MOST);
    }
    put_line(display, frame, is_first);
    if (strcmp(module, "libstint.so") == 0) fputs("  (stint's own)", screen->file);
    fputc('\n', screen->file);
}

static void put_backtrace(const struct display *display, const json_t *ending)
{
    const json_t *backtrace = json_object_get(ending, "backtrace");
    size_t frames = json_array_size(backtrace);
    size_t used = strlen("   in   +0x123456") + MODULE_MOST, width = display->screen.width;
    size_t most = width > used + NAME_LEAST ? width - used : NAME_LEAST;
    for (size_t i = 0; i < frames && i < BACKTRACE_MOST; i++)
        put_frame(display, json_array_get(backtrace, i), i == 0, most);
    if (frames > BACKTRACE_MOST)
        fprintf(display->screen.file, "   … and %zu more\n", frames - BACKTRACE_MOST);
}

void display_head(const struct display *display)
{
    const json_t *process = json_object_get(display->document->json, "process");
    const json_t *ending = json_object_get(process, "ending");
    put_process(display);
    put_lost(display);
    put_saturated(display);
    if (strcmp(text_of(ending, "kind"), "signal") != 0) return;
    put_place(display, ending);
    put_backtrace(display, ending);
}

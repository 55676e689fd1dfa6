/* SPDX-License-Identifier: MIT
 *
 * What a report has beside functions: counters, values in their own units, and a line for each kind
 * of frames. Runs in `stint`. */
#include "view/display.h"

#include "report/summary.h"

#include <fnmatch.h>

enum { NUMBER = 10 };

static bool is_wanted(const struct display *display, const char *name)
{
    const struct select_wish *wish = &display->select;
    if (wish->module) return false;
    for (size_t i = 0; i < wish->name_count; i++)
        if (fnmatch(wish->names[i], name, 0) == 0) return true;
    return wish->name_count == 0;
}

static void put_title(const struct screen *screen, const char *title)
{
    fputc('\n', screen->file);
    screen_style(screen, SCREEN_TITLE);
    fputs(title, screen->file);
    screen_style(screen, SCREEN_PLAIN);
    fputc('\n', screen->file);
}

static void put_counters(const struct display *display)
{
    const struct screen *screen = &display->screen;
    const char *name;
    json_t *counter;
    bool is_any = false;
    json_object_foreach(json_object_get(display->document->json, "counters"), name, counter)
    {
        if (!is_wanted(display, name)) continue;
        if (!is_any) put_title(screen, "                 Sum        Times  Counter");
        is_any = true;
        fprintf(screen->file, "%20lld%13lld  ",
                (long long)json_integer_value(json_object_get(counter, "Sum")),
                (long long)json_integer_value(json_object_get(counter, "Count")));
        screen_text(screen, name);
        fputc('\n', screen->file);
    }
}

static void put_value(const struct screen *screen, const char *name, const json_t *value)
{
    static const char *const keys[] = {"Sum", "Avg", "Min", "P50", "P99", "Max"};
    const char *unit = json_string_value(json_object_get(value, "unit"));
    fprintf(screen->file, "%11lld", (long long)json_integer_value(json_object_get(value, "Count")));
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        screen_number(screen, document_number(value, keys[i]), unit, NUMBER);
    fputs("  ", screen->file);
    screen_text(screen, name);
    if (unit && *unit) {
        fputs(" (", screen->file);
        screen_text(screen, unit);
        fputc(')', screen->file);
    }
    fputc('\n', screen->file);
}

static void put_values(const struct display *display)
{
    const char *name;
    json_t *value;
    bool is_any = false;
    json_object_foreach(json_object_get(display->document->json, "values"), name, value)
    {
        if (!is_wanted(display, name)) continue;
        if (!is_any)
            put_title(&display->screen, "      Times       Sum       Avg       Min       P50"
                                        "       P99       Max  Value");
        is_any = true;
        put_value(&display->screen, name, value);
    }
}

static void put_frames(const struct display *display)
{
    const struct screen *screen = &display->screen;
    const char *name;
    json_t *frames;
    bool is_any = false;
    json_object_foreach(json_object_get(display->document->json, "frames"), name, frames)
    {
        char budget[16], worst[16];
        if (!is_wanted(display, name)) continue;
        if (!is_any) fputc('\n', screen->file);
        is_any = true;
        summary_time(document_number(frames, "Max_ms"), worst);
        screen_text(screen, name);
        fprintf(screen->file, ": %lld frames",
                (long long)json_integer_value(json_object_get(frames, "Count")));
        if (json_object_get(frames, "budget_ms")) {
            summary_time(document_number(frames, "budget_ms"), budget);
            fprintf(screen->file, ", %lld over %s",
                    (long long)json_integer_value(json_object_get(frames, "missed")), budget);
        }
        fprintf(screen->file, ", worst %s; see stint report --frames\n", worst);
    }
}

void display_extras(const struct display *display)
{
    if (display->thread) return; /* they are the whole process's */
    put_counters(display);
    put_values(display);
    put_frames(display);
}

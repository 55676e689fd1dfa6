/* SPDX-License-Identifier: MIT
 *
 * Frames: how long each kind takes, which were the worst, and which functions took longer in them
 * than they usually do. Runs in `stint`. */
#include "view/display.h"

#include "report/summary.h"
#include "verb/exitcode.h"

#include <fnmatch.h>
#include <math.h>
#include <string.h>

enum { CULPRITS_MOST = 3 };

static long long count_of(const json_t *object, const char *key)
{
    return json_integer_value(json_object_get(object, key));
}

static void put_titles(const struct screen *screen, const char *titles)
{
    screen_style(screen, SCREEN_TITLE);
    fputs(titles, screen->file);
    screen_style(screen, SCREEN_PLAIN);
    fputc('\n', screen->file);
}

/* Of the durations' means over time: sparks, one for each part of the run. */
static void put_series(const struct screen *screen, const json_t *series)
{
    static const char *const blocks[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    static const char *const letters[] = {".", ".", ":", ":", "-", "=", "+", "#"};
    const json_t *buckets = json_object_get(series, "buckets");
    size_t count = json_array_size(buckets), most = screen->width > 40 ? screen->width - 20 : 60;
    double largest = 0;
    for (size_t i = 0; i < count; i++)
        largest = fmax(largest, json_number_value(json_array_get(json_array_get(buckets, i), 4)));
    if (count == 0 || !(largest > 0)) return;
    size_t columns = count < most ? count : most;
    fprintf(screen->file, "  thread %lld: ", count_of(series, "thread"));
    screen_style(screen, SCREEN_MARK);
    for (size_t column = 0; column < columns; column++) {
        double peak = 0;
        for (size_t i = column * count / columns; i < (column + 1) * count / columns; i++)
            peak = fmax(peak, json_number_value(json_array_get(json_array_get(buckets, i), 4)));
        size_t level = (size_t)(peak / largest * 7 + 0.5);
        fputs(screen->is_utf8 ? blocks[level] : letters[level], screen->file);
    }
    screen_style(screen, SCREEN_PLAIN);
    char text[16];
    summary_time(largest, text);
    fprintf(screen->file, " at most %s\n", text);
}

static void put_culprit(const struct display *display, const json_t *culprit, size_t used)
{
    uint32_t id = document_callee(display->document, culprit);
    if (id == DOCUMENT_NONE) return;
    display_function_line(display, &display->document->functions[id], used);
}

static void put_worst(const struct display *display, const json_t *frame)
{
    const struct screen *screen = &display->screen;
    const json_t *culprits = json_object_get(frame, "functions");
    fprintf(screen->file, "%10lld%8lld", count_of(frame, "frame"), count_of(frame, "thread"));
    screen_time(screen, document_number(frame, "start_ms"), 10);
    screen_time(screen, document_number(frame, "duration_ms"), 10);
    if (json_array_size(culprits) == 0) fputs("         -", screen->file);
    for (size_t i = 0; i < json_array_size(culprits) && i < CULPRITS_MOST; i++) {
        const json_t *culprit = json_array_get(culprits, i);
        double excess_ms = document_number(culprit, "excess_ms");
        if (i && excess_ms * 20 < document_number(json_array_get(culprits, 0), "excess_ms")) break;
        if (i) fprintf(screen->file, "\n%38s", "");
        screen_time(screen, excess_ms, 10);
        screen_time(screen, document_number(culprit, "self_ms"), 10);
        screen_time(screen, document_number(culprit, "typical_ms"), 10);
        fputs("  ", screen->file);
        put_culprit(display, culprit, 70);
    }
    fputc('\n', screen->file);
}

static void put_blame(const struct display *display, const json_t *blame)
{
    const struct screen *screen = &display->screen;
    size_t all = json_array_size(blame), most = display->most_rows ? display->most_rows : all;
    if (all == 0) return;
    fputs("over the worst frames, longer than usual:\n", screen->file);
    put_titles(screen, "    Excess    Frames  Function");
    for (size_t i = 0; i < all && i < most; i++) {
        const json_t *culprit = json_array_get(blame, i);
        screen_time(screen, document_number(culprit, "excess_ms"), 10);
        fprintf(screen->file, "%10lld  ", count_of(culprit, "frames"));
        put_culprit(display, culprit, 22);
        fputc('\n', screen->file);
    }
    if (all > most) fprintf(screen->file, "… and %zu more; -n 0 shows all\n", all - most);
}

static void put_summary(const struct screen *screen, const char *name, const json_t *frames)
{
    static const struct {
        const char *title, *key;
    } times[] = {{"avg", "Avg_ms"}, {"P50", "P50_ms"}, {"P99", "P99_ms"}, {"max", "Max_ms"}};
    char text[16];
    screen_style(screen, SCREEN_MARK);
    screen_text(screen, name);
    screen_style(screen, SCREEN_PLAIN);
    fprintf(screen->file, ": %lld frames", count_of(frames, "Count"));
    for (size_t i = 0; i < sizeof times / sizeof times[0]; i++) {
        const json_t *time = json_object_get(frames, times[i].key);
        if (!time) continue;
        summary_time(json_number_value(time), text);
        fprintf(screen->file, ", %s %s", times[i].title, text);
    }
    if (json_object_get(frames, "budget_ms")) {
        summary_time(document_number(frames, "budget_ms"), text);
        fprintf(screen->file, "; %lld over the budget of %s", count_of(frames, "missed"), text);
    }
    fputc('\n', screen->file);
}

static void put_kind(const struct display *display, const char *name, const json_t *frames)
{
    const struct screen *screen = &display->screen;
    const json_t *series = json_object_get(frames, "series");
    const json_t *worst = json_object_get(frames, "worst");
    size_t most = display->most_rows ? display->most_rows : json_array_size(worst);
    put_summary(screen, name, frames);
    for (size_t i = 0; i < json_array_size(series); i++)
        put_series(screen, json_array_get(series, i));
    if (json_array_size(worst))
        put_titles(screen, "     Frame  Thread     Start  Duration    Excess      Self   Usually"
                           "  Culprit");
    for (size_t i = 0; i < json_array_size(worst) && i < most; i++)
        put_worst(display, json_array_get(worst, i));
    put_blame(display, json_object_get(frames, "blame"));
}

static bool is_wanted(const struct display *display, const char *name)
{
    for (size_t i = 0; i < display->select.name_count; i++)
        if (fnmatch(display->select.names[i], name, 0) == 0) return true;
    return display->select.name_count == 0;
}

int display_frames(const struct display *display)
{
    const char *name;
    json_t *frames, *shown = json_object();
    bool is_any = false;
    json_object_foreach(json_object_get(display->document->json, "frames"), name, frames)
    {
        if (!is_wanted(display, name)) continue;
        if (display->is_json) {
            json_object_set(shown, name, frames);
            continue;
        }
        if (is_any) fputc('\n', display->screen.file);
        put_kind(display, name, frames);
        is_any = true;
    }
    if (display->is_json) return screen_json(&display->screen, json_pack("{s:o}", "frames", shown));
    json_decref(shown);
    if (!is_any)
        fputs("no frames; to mark some: stint_start_frame in stint(3), or STINT_FRAME_FUNCTION in "
              "stint(1)\n",
              display->screen.file);
    return EXITCODE_OK;
}

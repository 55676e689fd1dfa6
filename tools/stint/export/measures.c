/* SPDX-License-Identifier: MIT
 *
 * A family is a row: where in the report its items are, what of each is the sample. Runs in
 * `stint`. */
#include "export/exposition.h"

#include "base/compiler.h"

#include <math.h>
#include <string.h>

struct measure {
    const char *name, *type, *unit, *help;
    const char *object, *label; /* member of the report, and what its keys are called */
    const char *key;            /* of each; NULL = the item itself */
    double factor;
};

static const double ms = 1e-3;

static const struct measure measures[] = {
    {"stint_lost_events", "gauge", "", "What was not recorded as it happened.", "lost", "kind",
     NULL, 1},
    {"stint_counted", "gauge", "", "What a counter adds up to.", "counters", "counter", "Sum", 1},
    {"stint_counted_calls", "gauge", "", "How often a counter was counted up.", "counters",
     "counter", "Count", 1},
    {"stint_value_average", "gauge", "", "Mean of a value's samples.", "values", "value", "Avg", 1},
    {"stint_value_minimum", "gauge", "", "Smallest of a value's samples.", "values", "value", "Min",
     1},
    {"stint_value_maximum", "gauge", "", "Largest of a value's samples.", "values", "value", "Max",
     1},
    {"stint_frame_budget_seconds", "gauge", "seconds", "What a frame may last.", "frames", "frames",
     "budget_ms", ms},
    {"stint_frames_missed", "gauge", "", "Frames that lasted longer.", "frames", "frames", "missed",
     1},
};

static const json_t *items_of(const struct exposition *to, const char *object)
{
    return json_object_get(to->job->document->json, object);
}

static double number_of(const json_t *item, const char *key)
{
    const json_t *value = key ? json_object_get(item, key) : item;
    double number = json_is_number(value) ? json_number_value(value) : NAN;
    return isfinite(number) ? number : NAN;
}

static void begin_item(const struct exposition *to, const char *name, const char *suffix,
                       const struct measure *measure, const char *key, const json_t *item)
{
    const char *unit = json_string_value(json_object_get(item, "unit"));
    exposition_begin(to, name, suffix);
    exposition_label(to, measure->label, *key ? key : "[unnamed]");
    if (unit && *unit) exposition_label(to, "unit", unit);
}

static void write_measure(const struct exposition *to, const struct measure *measure)
{
    const char *key;
    json_t *item, *items = (json_t *)(uintptr_t)items_of(to, measure->object); /* is only read */
    bool is_declared = false;
    json_object_foreach(items, key, item)
    {
        double value = number_of(item, measure->key);
        if (isnan(value)) continue;
        if (!is_declared)
            exposition_declare(to, measure->name, measure->type, measure->unit, measure->help);
        is_declared = true;
        begin_item(to, measure->name, "", measure, key, item);
        exposition_end(to, value * measure->factor);
    }
}

/* Values are a summary too, but for those with negative samples, which a summary can't have. */

static const struct measure summary = {"stint_value", "summary", "",   "A value's samples.",
                                       "values",      "value",   NULL, 1};

static void write_summary_item(const struct exposition *to, const char *key, const json_t *item)
{
    static const char *const quantiles[][2] = {
        {"P50", "0.5"}, {"P90", "0.9"}, {"P95", "0.95"}, {"P99", "0.99"}, {"P99_9", "0.999"}};
    for (size_t i = 0; i < COUNT_OF(quantiles); i++) {
        double value = number_of(item, quantiles[i][0]);
        if (isnan(value)) continue;
        begin_item(to, summary.name, "", &summary, key, item);
        exposition_label(to, "quantile", quantiles[i][1]);
        exposition_end(to, value);
    }
    static const char *const sums[][2] = {{"Sum", "_sum"}, {"Count", "_count"}};
    for (size_t i = 0; i < COUNT_OF(sums); i++) {
        double value = number_of(item, sums[i][0]);
        if (isnan(value)) continue;
        begin_item(to, summary.name, sums[i][1], &summary, key, item);
        exposition_end(to, value);
    }
}

static void write_summary(const struct exposition *to)
{
    const char *key;
    json_t *item, *items = (json_t *)(uintptr_t)items_of(to, summary.object); /* is only read */
    bool is_declared = false;
    json_object_foreach(items, key, item)
    {
        if (!(number_of(item, "Min") >= 0)) continue;
        if (!is_declared)
            exposition_declare(to, summary.name, summary.type, summary.unit, summary.help);
        is_declared = true;
        write_summary_item(to, key, item);
    }
}

static void write_thread_times(const struct exposition *to, const char *name, const char *help,
                               bool is_lifetime)
{
    const struct document *document = to->job->document;
    if (document->thread_count) exposition_declare(to, name, "gauge", "seconds", help);
    for (uint32_t i = 0; i < document->thread_count; i++) {
        const struct document_thread *thread = &document->threads[i];
        double time_ms = is_lifetime ? thread->lifetime_ms : thread->cpu_ms;
        if (isnan(time_ms)) continue;
        char number[16];
        snprintf(number, sizeof number, "%u", i);
        exposition_begin(to, name, "");
        exposition_label(to, "thread", number);
        exposition_label(to, "name", thread->name);
        exposition_end(to, time_ms * ms);
    }
}

void measures_write(const struct exposition *to)
{
    write_thread_times(to, "stint_thread_cpu_seconds", "Processor time of a thread.", false);
    write_thread_times(to, "stint_thread_lifetime_seconds", "From a thread's start to its end.",
                       true);
    for (size_t i = 0; i < COUNT_OF(measures); i++) write_measure(to, &measures[i]);
    write_summary(to);
}

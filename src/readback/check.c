/* SPDX-License-Identifier: MIT
 *
 * A document against the tables of members.h, and what tables can't say: ids, parents, rows of
 * numbers. The first fault is told with its place. Runs outside of targets. */
#include "readback/check.h"

#include "base/compiler.h"
#include "base/fmt.h"
#include "readback/members.h"
#include "report/write.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

static const char *const kind_names[] = {
    [OBJECT] = "an object",
    [ARRAY] = "an array",
    [TEXT] = "a text",
    [TRUTH] = "true or false",
    [INTEGER] = "an integer",
    [COUNT] = "an integer from 0 on",
    [NUMBER] = "a number",
    [TIME] = "a number from 0 on",
    [THREAD] = "the id of a thread",
    [FUNCTION] = "the id of a function",
    [CATEGORY] = "the name of a category",
};

/* What ids and names refer to, and where a fault goes. */
struct reading {
    size_t functions, threads;
    const json_t *categories;
    struct fault *fault;
};

/* Where in the document: a chain, put into words only for a fault. */
struct place {
    const struct place *above;
    const char *key; /* NULL = an array's item */
    size_t index;
};
typedef int check(const struct reading *reading, const json_t *value, const struct place *place);

static bool is_id(const json_t *value, size_t count)
{
    json_int_t id = json_integer_value(value);
    return json_is_integer(value) && id >= 0 && (uint64_t)id < count;
}

static bool is_kind(const struct reading *reading, const json_t *value, enum kind kind)
{
    switch (kind) {
    case OBJECT:
        return json_is_object(value);
    case ARRAY:
        return json_is_array(value);
    case TEXT:
        return json_is_string(value);
    case TRUTH:
        return json_is_boolean(value);
    case INTEGER:
        return json_is_integer(value);
    case COUNT:
        return json_is_integer(value) && json_integer_value(value) >= 0;
    case NUMBER:
        return json_is_number(value);
    case TIME:
        return json_is_number(value) && json_number_value(value) >= 0;
    case THREAD:
        return is_id(value, reading->threads);
    case FUNCTION:
        return is_id(value, reading->functions);
    case CATEGORY:
        return json_is_string(value) &&
               json_object_get(reading->categories, json_string_value(value));
    }
    return false;
}

static void put_place(struct fmt *out, const struct place *place)
{
    if (!place) return;
    put_place(out, place->above);
    if (!place->key) {
        fmt_char(out, '[');
        fmt_u64(out, place->index);
        fmt_char(out, ']');
        return;
    }
    if (place->above) fmt_char(out, '.');
    fmt_bytes(out, place->key, strnlen(place->key, 60));
}

/* "not a report: functions[12].Count is not an integer from 0 on" */
static int wrong(const struct reading *reading, const struct place *place, const char *before,
                 const char *after)
{
    char space[200];
    struct fmt out = fmt_over(space, sizeof space);
    fmt_text(&out, "not a report: ");
    fmt_text(&out, before);
    put_place(&out, place);
    fmt_text(&out, after);
    return fault_set(reading->fault, -EBADMSG, space);
}

static int is_not(const struct reading *reading, const struct place *place, enum kind kind)
{
    char space[64];
    struct fmt out = fmt_over(space, sizeof space);
    fmt_text(&out, " is not ");
    fmt_text(&out, kind_names[kind]);
    return wrong(reading, place, "", space);
}

static int check_members(const struct reading *reading, const json_t *object,
                         const struct place *place, const struct member *members, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const json_t *value = json_object_get(object, members[i].key);
        const struct place at = {.above = place, .key = members[i].key};
        enum kind kind = members[i].kind & KIND;
        if (!value && !(members[i].kind & NEEDED)) continue;
        if (!value) return wrong(reading, &at, "no ", "");
        if ((members[i].kind & OR_NULL) && json_is_null(value)) continue;
        if (!is_kind(reading, value, kind)) return is_not(reading, &at, kind);
    }
    return 0;
}
#define CHECK(reading, object, place, members)                                                     \
    check_members(reading, object, place, members, COUNT_OF(members))

/* Each item of an array, which may be missing, must be an object that passes. */
static int check_items(const struct reading *reading, const json_t *object, const char *key,
                       const struct place *place, check *pass)
{
    const json_t *array = json_object_get(object, key);
    const struct place in = {.above = place, .key = key};
    for (size_t i = 0; i < json_array_size(array); i++) {
        const struct place at = {&in, NULL, i};
        const json_t *item = json_array_get(array, i);
        if (!json_is_object(item)) return is_not(reading, &at, OBJECT);
        int error = pass(reading, item, &at);
        if (error) return error;
    }
    return 0;
}

/* The same for each member of an object. */
static int check_named(const struct reading *reading, const json_t *object, const char *key,
                       const struct place *place, check *pass)
{
    const struct place in = {.above = place, .key = key};
    const char *name;
    json_t *item;
    json_object_foreach((json_t *)json_object_get(object, key), name, item)
    {
        const struct place at = {.above = &in, .key = name};
        if (!json_is_object(item)) return is_not(reading, &at, OBJECT);
        int error = pass(reading, item, &at);
        if (error) return error;
    }
    return 0;
}

/* [number, …] of that many, all of that kind. */
static bool is_row(const struct reading *reading, const json_t *row, size_t size, enum kind kind)
{
    if (json_array_size(row) != size) return false;
    for (size_t i = 0; i < size; i++)
        if (!is_kind(reading, json_array_get(row, i), kind)) return false;
    return true;
}

/* [[low, high, count], …] of that kind, low < high, in ascending order and apart. */
static int check_histogram(const struct reading *reading, const json_t *object,
                           const struct place *place, enum kind kind)
{
    const json_t *histogram = json_object_get(object, "histogram"), *last = NULL;
    const struct place in = {.above = place, .key = "histogram"};
    for (size_t i = 0; i < json_array_size(histogram); i++) {
        const json_t *bucket = json_array_get(histogram, i), *low = json_array_get(bucket, 0);
        const json_t *high = json_array_get(bucket, 1), *count = json_array_get(bucket, 2);
        bool is_bucket = is_row(reading, bucket, 3, kind) && is_kind(reading, count, COUNT) &&
                         json_number_value(low) < json_number_value(high) &&
                         (!last || json_number_value(last) <= json_number_value(low));
        const struct place at = {&in, NULL, i};
        if (!is_bucket) return wrong(reading, &at, "", " is no bucket");
        last = high;
    }
    return 0;
}

static int check_statistics(const struct reading *reading, const json_t *object,
                            const struct place *place)
{
    const json_t *recent = json_object_get(object, "Recent");
    const struct place at = {.above = place, .key = "Recent"};
    int error = CHECK(reading, object, place, statistics_members);
    if (!error && recent) error = CHECK(reading, recent, &at, recent_members);
    return error ? error : check_histogram(reading, object, place, COUNT);
}

/* Of what is listed by its id: that is its place in the list. */
static int check_id(const struct reading *reading, const json_t *item, const struct place *place)
{
    const json_t *id = json_object_get(item, "id");
    const struct place at = {.above = place, .key = "id"};
    if (json_is_integer(id) && json_integer_value(id) == (json_int_t)place->index) return 0;
    return wrong(reading, &at, "", " is not its place in the list");
}

static int check_function(const struct reading *reading, const json_t *function,
                          const struct place *place)
{
    int error = check_id(reading, function, place);
    if (!error) error = CHECK(reading, function, place, function_members);
    return error ? error : check_statistics(reading, function, place);
}

/* A parent stands before its children, so no walk upward or downward goes round. */
static int check_node(const struct reading *reading, const json_t *node, const struct place *place)
{
    const json_t *parent = json_object_get(node, "parent");
    const struct place at = {.above = place, .key = "parent"};
    int error = check_id(reading, node, place);
    if (!error) error = CHECK(reading, node, place, node_members);
    if (!error) error = check_statistics(reading, node, place);
    if (error) return error;
    if (!json_is_null(parent) && !is_id(parent, place->index))
        return wrong(reading, &at, "", " is not the id of a node before it");
    if (json_object_get(node, "function") || json_object_get(node, "category") ||
        json_is_true(json_object_get(node, "folded")))
        return 0;
    return wrong(reading, place, "", " has no function");
}

static int check_part(const struct reading *reading, const json_t *part, const struct place *place)
{
    int error = CHECK(reading, part, place, part_members);
    return error ? error : check_statistics(reading, part, place);
}

static int check_part_category(const struct reading *reading, const json_t *part,
                               const struct place *place)
{
    if (!json_object_get(reading->categories, place->key)) return is_not(reading, place, CATEGORY);
    return check_statistics(reading, part, place);
}

static int check_thread(const struct reading *reading, const json_t *thread,
                        const struct place *place)
{
    const json_t *open = json_object_get(thread, "open_calls");
    const struct place in = {.above = place, .key = "open_calls"};
    int error = check_id(reading, thread, place);
    if (!error) error = CHECK(reading, thread, place, thread_members);
    for (size_t i = 0; !error && i < json_array_size(open); i++) {
        const struct place at = {&in, NULL, i};
        if (!is_kind(reading, json_array_get(open, i), FUNCTION))
            error = is_not(reading, &at, FUNCTION);
    }
    if (!error) error = check_items(reading, thread, "functions", place, check_part);
    if (!error) error = check_named(reading, thread, "categories", place, check_part_category);
    return error ? error : check_items(reading, thread, "call_tree", place, check_node);
}

static int check_counter(const struct reading *reading, const json_t *counter,
                         const struct place *place)
{
    return CHECK(reading, counter, place, counter_members);
}

static int check_value(const struct reading *reading, const json_t *value,
                       const struct place *place)
{
    const json_t *recent = json_object_get(value, "Recent");
    const struct place at = {.above = place, .key = "Recent"};
    int error = CHECK(reading, value, place, value_members);
    if (!error && recent) error = CHECK(reading, recent, &at, value_recent_members);
    return error ? error : check_histogram(reading, value, place, NUMBER);
}

static int check_series(const struct reading *reading, const json_t *series,
                        const struct place *place)
{
    const json_t *buckets = json_object_get(series, "buckets");
    const struct place in = {.above = place, .key = "buckets"};
    int error = CHECK(reading, series, place, series_members);
    for (size_t i = 0; !error && i < json_array_size(buckets); i++) {
        const struct place at = {&in, NULL, i};
        if (!is_row(reading, json_array_get(buckets, i), 5, TIME))
            error = wrong(reading, &at, "", " is not five numbers from 0 on");
    }
    return error;
}

static int check_culprit(const struct reading *reading, const json_t *culprit,
                         const struct place *place)
{
    int error = CHECK(reading, culprit, place, culprit_members);
    if (error || json_object_get(culprit, "function") || json_object_get(culprit, "category"))
        return error;
    return wrong(reading, place, "", " has no function");
}

static int check_worst(const struct reading *reading, const json_t *frame,
                       const struct place *place)
{
    int error = CHECK(reading, frame, place, worst_members);
    return error ? error : check_items(reading, frame, "functions", place, check_culprit);
}

static int check_frames(const struct reading *reading, const json_t *frames,
                        const struct place *place)
{
    int error = CHECK(reading, frames, place, frames_members);
    if (!error) error = check_statistics(reading, frames, place);
    if (!error) error = check_items(reading, frames, "series", place, check_series);
    if (!error) error = check_items(reading, frames, "worst", place, check_worst);
    return error ? error : check_items(reading, frames, "blame", place, check_culprit);
}

static int check_backtrace(const struct reading *reading, const json_t *frame,
                           const struct place *place)
{
    return CHECK(reading, frame, place, backtrace_members);
}

static int check_process(const struct reading *reading, const json_t *process)
{
    const struct place at = {.above = NULL, .key = "process"},
                       at_ending = {.above = &at, .key = "ending"};
    const json_t *ending = json_object_get(process, "ending");
    int error = CHECK(reading, process, &at, process_members);
    if (!error) error = CHECK(reading, ending, &at_ending, ending_members);
    return error ? error : check_items(reading, ending, "backtrace", &at_ending, check_backtrace);
}

static int check_schema(const json_t *report, struct fault *fault)
{
    const json_t *schema = json_object_get(report, "schema");
    if (!json_is_integer(schema) || !json_object_get(report, "stint"))
        return fault_set(fault, -EBADMSG, "JSON, but not a report of stint");
    if (json_integer_value(schema) == SCHEMA_NUMBER) return 0;
    char space[200];
    struct fmt out = fmt_over(space, sizeof space);
    fmt_text(&out, "a report of schema ");
    fmt_i64(&out, json_integer_value(schema));
    fmt_text(&out, "; this stint reads schema ");
    fmt_i64(&out, SCHEMA_NUMBER);
    return fault_set(fault, -EBADMSG, space);
}

int check_report(const json_t *report, struct fault *fault)
{
    const struct reading reading = {json_array_size(json_object_get(report, "functions")),
                                    json_array_size(json_object_get(report, "threads")),
                                    json_object_get(report, "categories"), fault};
    const struct place overhead = {.above = NULL, .key = "overhead"};
    int error = check_schema(report, fault);
    if (!error) error = CHECK(&reading, report, NULL, document_members);
    if (!error) error = check_process(&reading, json_object_get(report, "process"));
    if (!error)
        error = CHECK(&reading, json_object_get(report, "overhead"), &overhead, overhead_members);
    if (!error) error = check_items(&reading, report, "functions", NULL, check_function);
    if (!error) error = check_named(&reading, report, "categories", NULL, check_statistics);
    if (!error) error = check_items(&reading, report, "threads", NULL, check_thread);
    if (!error) error = check_items(&reading, report, "call_tree", NULL, check_node);
    if (!error) error = check_named(&reading, report, "counters", NULL, check_counter);
    if (!error) error = check_named(&reading, report, "values", NULL, check_value);
    return error ? error : check_named(&reading, report, "frames", NULL, check_frames);
}

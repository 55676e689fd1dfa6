/* SPDX-License-Identifier: MIT
 *
 * File → text → jansson → a check against a table of what must be there. The table is no copy of
 * the schema: it holds what readers rely on. Runs outside of targets. */
#include "report/read.h"

#include "base/arena.h"
#include "base/compiler.h"
#include "base/fmt.h"
#include "base/sys.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>

enum { SCHEMA = 1 };
static const size_t most_bytes = (size_t)2 << 30;

enum kind { OBJECT, ARRAY, TEXT, INTEGER, NUMBER };

struct member {
    const char *key;
    enum kind kind;
    bool is_needed;
};

static const struct member document_members[] = {
    {"process", OBJECT, true}, {"categories", OBJECT, true}, {"functions", ARRAY, true},
    {"threads", ARRAY, true},  {"call_tree", ARRAY, true},   {"stint", TEXT, true},
    {"lost", OBJECT, true},    {"overhead", OBJECT, true},   {"clock", OBJECT, true},
};
static const struct member process_members[] = {
    {"pid", INTEGER, true},      {"run", TEXT, true},           {"ending", OBJECT, true},
    {"executable", TEXT, false}, {"duration_ms", NUMBER, true},
};
static const struct member ending_members[] = {
    {"kind", TEXT, true},       {"status", INTEGER, false},  {"signal", TEXT, false},
    {"code", TEXT, false},      {"backtrace", ARRAY, false}, {"address", TEXT, false},
    {"thread", INTEGER, false},
};
static const struct member function_members[] = {
    {"id", INTEGER, true},   {"name", TEXT, true},      {"raw_name", TEXT, false},
    {"module", TEXT, false}, {"build_id", TEXT, false}, {"offset", TEXT, false},
};
static const struct member statistics_members[] = {
    {"Count", INTEGER, false},    {"Open", INTEGER, false},    {"Total_ms", NUMBER, false},
    {"Self_ms", NUMBER, false},   {"Avg_ms", NUMBER, false},   {"Min_ms", NUMBER, false},
    {"Max_ms", NUMBER, false},    {"P50_ms", NUMBER, false},   {"P90_ms", NUMBER, false},
    {"P95_ms", NUMBER, false},    {"P99_ms", NUMBER, false},   {"P99_9_ms", NUMBER, false},
    {"percentiles", TEXT, false}, {"histogram", ARRAY, false},
};
static const char *const kind_names[] = {"an object", "an array", "a text", "an integer",
                                         "a number"};

static bool is_kind(const json_t *value, enum kind kind)
{
    switch (kind) {
    case OBJECT:
        return json_is_object(value);
    case ARRAY:
        return json_is_array(value);
    case TEXT:
        return json_is_string(value);
    case INTEGER:
        return json_is_integer(value);
    case NUMBER:
        return json_is_number(value);
    }
    return false;
}

static struct fmt fault_text(char (*space)[200]) { return fmt_over(*space, sizeof *space); }

static int content_fault(struct read_fault *fault, const char *text)
{
    return fault_set(&fault->fault, -EBADMSG, text);
}

/* "not a report: functions[12].Count is not an integer" */
static int member_fault(struct read_fault *fault, const char *place, const struct member *member,
                        bool is_there)
{
    char space[200];
    struct fmt out = fault_text(&space);
    fmt_text(&out, is_there ? "not a report: " : "not a report: no ");
    fmt_text(&out, place);
    fmt_text(&out, member->key);
    if (is_there) {
        fmt_text(&out, " is not ");
        fmt_text(&out, kind_names[member->kind]);
    }
    return content_fault(fault, space);
}

static int check_members(const json_t *object, const char *place, const struct member *members,
                         size_t count, struct read_fault *fault)
{
    for (size_t i = 0; i < count; i++) {
        const json_t *value = json_object_get(object, members[i].key);
        if (!value && !members[i].is_needed) continue;
        if (!value || !is_kind(value, members[i].kind))
            return member_fault(fault, place, &members[i], value != NULL);
    }
    return 0;
}
#define CHECK(object, place, members, fault)                                                       \
    check_members(object, place, members, COUNT_OF(members), fault)

/* [[low, high, count], …] with integers from 0 on and low < high. */
static int check_histogram(const json_t *object, const char *place, struct read_fault *fault)
{
    const json_t *histogram = json_object_get(object, "histogram");
    for (size_t i = 0; i < json_array_size(histogram); i++) {
        const json_t *bucket = json_array_get(histogram, i);
        bool is_bucket = json_array_size(bucket) == 3;
        for (size_t j = 0; is_bucket && j < 3; j++) {
            const json_t *number = json_array_get(bucket, j);
            is_bucket = json_is_integer(number) && json_integer_value(number) >= 0;
        }
        if (is_bucket && json_integer_value(json_array_get(bucket, 0)) <
                             json_integer_value(json_array_get(bucket, 1)))
            continue;
        char space[200];
        struct fmt out = fault_text(&space);
        fmt_text(&out, "not a report: ");
        fmt_text(&out, place);
        fmt_text(&out, "histogram[");
        fmt_u64(&out, i);
        fmt_text(&out, "] is no bucket");
        return content_fault(fault, space);
    }
    return 0;
}

static int check_statistics(const json_t *object, const char *place, struct read_fault *fault)
{
    int error = CHECK(object, place, statistics_members, fault);
    return error ? error : check_histogram(object, place, fault);
}

static const struct member any_object = {"", OBJECT, true};

static int check_functions(const json_t *functions, struct read_fault *fault)
{
    for (size_t i = 0; i < json_array_size(functions); i++) {
        const json_t *function = json_array_get(functions, i);
        char space[200];
        struct fmt place = fault_text(&space);
        fmt_text(&place, "functions[");
        fmt_u64(&place, i);
        fmt_char(&place, ']');
        if (!json_is_object(function)) return member_fault(fault, space, &any_object, true);
        fmt_char(&place, '.');
        int error = CHECK(function, space, function_members, fault);
        if (!error) error = check_statistics(function, space, fault);
        if (error) return error;
    }
    return 0;
}

static int check_categories(const json_t *report, struct read_fault *fault)
{
    const char *name;
    json_t *category;
    json_object_foreach(json_object_get(report, "categories"), name, category)
    {
        char space[200];
        struct fmt place = fault_text(&space);
        fmt_text(&place, "categories.");
        fmt_bytes(&place, name, strnlen(name, 80));
        if (!json_is_object(category)) return member_fault(fault, space, &any_object, true);
        fmt_char(&place, '.');
        int error = check_statistics(category, space, fault);
        if (error) return error;
    }
    return 0;
}

static int check_schema(const json_t *report, struct read_fault *fault)
{
    const json_t *schema = json_object_get(report, "schema");
    if (!json_is_integer(schema) || !json_object_get(report, "stint"))
        return content_fault(fault, "JSON, but not a report of stint");
    if (json_integer_value(schema) == SCHEMA) return 0;
    char space[200];
    struct fmt out = fault_text(&space);
    fmt_text(&out, "a report of schema ");
    fmt_i64(&out, json_integer_value(schema));
    fmt_text(&out, "; this stint reads schema ");
    fmt_i64(&out, SCHEMA);
    return content_fault(fault, space);
}

static int check_report(const json_t *report, struct read_fault *fault)
{
    int error = check_schema(report, fault);
    if (!error) error = CHECK(report, "", document_members, fault);
    const json_t *process = json_object_get(report, "process");
    if (!error) error = CHECK(process, "process.", process_members, fault);
    if (!error)
        error = CHECK(json_object_get(process, "ending"), "process.ending.", ending_members, fault);
    if (!error) error = check_functions(json_object_get(report, "functions"), fault);
    return error ? error : check_categories(report, fault);
}

/* jansson's words may quote the input: what a terminal would act on is replaced. */
static int json_fault(struct read_fault *fault, const json_error_t *error)
{
    char space[200];
    struct fmt out = fault_text(&space);
    fmt_text(&out, "not a report: ");
    for (const char *c = error->text; *c; c++)
        fmt_char(&out, (unsigned char)*c < ' ' || *c == 127 ? '?' : *c);
    fault->line = error->line > 0 ? error->line : 0;
    fault->column = error->column > 0 ? error->column : 0;
    return content_fault(fault, space);
}

int read_text(const char *text, size_t bytes, json_t **report, struct read_fault *fault)
{
    if (bytes == 0) return content_fault(fault, "empty");
    json_error_t problem = {0};
    json_t *document = json_loadb(text, bytes, JSON_REJECT_DUPLICATES, &problem);
    if (!document) return json_fault(fault, &problem);
    int error = check_report(document, fault);
    if (error) {
        json_decref(document);
        return error;
    }
    *report = document;
    return 0;
}

/* All that the descriptor gives, in memory that doubles. Bytes, or −errno. */
static long read_all(int fd, struct arena *arena, char **text)
{
    size_t capacity = (size_t)1 << 20, used = 0;
    char *data = arena_alloc(arena, capacity);
    while (data) {
        long got = sys_call3(SYS_read, fd, data + used, capacity - used);
        if (got == -EINTR) continue;
        if (got < 0) return got;
        *text = data;
        used += (size_t)got;
        if (got == 0) return (long)used;
        if (used < capacity) continue;
        if (capacity >= most_bytes) return -EFBIG;
        char *larger = arena_alloc(arena, capacity * 2);
        if (larger) memcpy(larger, data, used);
        capacity *= 2;
        data = larger;
    }
    return -ENOMEM;
}

int read_report(const char *path, json_t **report, struct read_fault *fault)
{
    int fd = (int)sys_call4(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC | O_NOCTTY, 0);
    if (fd < 0) return fault_set(&fault->fault, fd, "can't be opened");
    struct arena arena = ARENA_INIT;
    char *text = NULL;
    long bytes = read_all(fd, &arena, &text);
    int error = bytes < 0 ? fault_set(&fault->fault, (int)bytes, "can't be read")
                          : read_text(text, (size_t)bytes, report, fault);
    (void)sys_call1(SYS_close, fd); /* was only read */
    arena_fini(&arena);
    return error;
}

/* SPDX-License-Identifier: MIT
 *
 * The table of what a user may set, and the one loop that reads it. Environment → settings_read → a
 * struct of plain values. Runs at the start of a target and in `stint`. */
#include "settings/settings.h"

#include "base/num.h"
#include "settings/signame.h"

#include <string.h>

#define FIELD(field) offsetof(struct settings, field), sizeof((struct settings *)0)->field
#define SECONDS UINT64_C(1000000000)
#define MIB (UINT64_C(1) << 20)

static const struct settings_row rows[] = {
    {"STINT_OUT", SETTINGS_TEXT, NULL, "profiling_results.json", 0, 0, FIELD(out),
     "name of the report; %p pid, %n program, %h host, %r rank, %s number of the snapshot, %% "
     "percent"},
    {"STINT_STORE", SETTINGS_TEXT, NULL, "auto", 0, 0, FIELD(store),
     "where the store lies while the program runs: auto, none (memory only) or a directory"},
    {"STINT_FOLLOW", SETTINGS_BOOL, NULL, "1", 0, 1, FIELD(follow),
     "1 = children, forked or executed, are recorded too; 0 = only the first process is"},
    {"STINT_CLOCK", SETTINGS_CHOICE, "auto|tsc|monotonic", "auto", 0, 0, FIELD(clock),
     "clock that times the calls: the processor's counter or CLOCK_MONOTONIC"},
    {"STINT_DISABLE", SETTINGS_BOOL, NULL, "0", 0, 1, FIELD(disable),
     "1 = stint stands aside and records nothing"},
    {"STINT_MAX_SAMPLES", SETTINGS_COUNT, NULL, "10000", 0, 1 << 28, FIELD(max_samples),
     "newest raw durations kept for each thread and category, for exact percentiles"},
    {"STINT_FUNCTION_SAMPLES", SETTINGS_COUNT, NULL, "0", 0, 1 << 28, FIELD(function_samples),
     "newest raw durations kept for each thread and function; 0 = none"},
    {"STINT_SAMPLE_BYTES", SETTINGS_BYTES, NULL, "256M", 0, UINT64_C(8) << 30, FIELD(sample_bytes),
     "bound on the memory of all raw durations, in bytes (K, M, G)"},
    {"STINT_MAX_NODES", SETTINGS_COUNT, NULL, "65536", 16, 1 << 24, FIELD(max_nodes),
     "distinct call paths kept for each thread; later ones are folded into one for each function"},
    {"STINT_MAX_DEPTH", SETTINGS_COUNT, NULL, "4194304", 16, 1 << 28, FIELD(max_depth),
     "open calls followed in each thread; deeper ones are counted as lost"},
    {"STINT_MAX_THREADS", SETTINGS_COUNT, NULL, "256", 1, 65536, FIELD(max_threads),
     "threads kept apart in the report; beyond it, later threads share rows"},
    {"STINT_THREAD_TREES", SETTINGS_BOOL, NULL, "0", 0, 1, FIELD(thread_trees),
     "1 = the report holds each thread's call tree besides the merged one"},
    {"STINT_REPORT_TIMEOUT", SETTINGS_DURATION, NULL, "30s", SECONDS / 100, 86400 * SECONDS,
     FIELD(report_timeout_ns), "longest time that the report of a crash may take (ms, s, m, h)"},
    {"STINT_FRAME_FUNCTION", SETTINGS_TEXT, NULL, "", 0, 0, FIELD(frame_function),
     "functions (names or globs, comma-separated) of which each call is a frame; empty = none"},
    {"STINT_FRAME_BUDGET_MS", SETTINGS_MS, NULL, "16.667", 1, 86400 * SECONDS,
     FIELD(frame_budget_ns), "what a frame may take, in milliseconds; longer ones miss it"},
    {"STINT_WORST_FRAMES", SETTINGS_COUNT, NULL, "64", 0, 1024, FIELD(worst_frames),
     "longest frames of a kind that the report explains by their functions; 0 = none"},
    {"STINT_SNAPSHOT_SIGNAL", SETTINGS_SIGNAL, NULL, "none", 0, 0, FIELD(snapshot_signal),
     "signal on which a report is written while the program goes on: USR2, RTMIN+3, 12, none …"},
    {"STINT_SNAPSHOT_EVERY", SETTINGS_DURATION, NULL, "0", 0, 365 * 86400 * SECONDS,
     FIELD(snapshot_every_ns),
     "time between reports that are written while the program goes on (ms, s, m, h); 0 = never"},
};
_Static_assert(sizeof(((struct settings *)0)->follow) == 1, "a bool is one byte");

/* Not a user's setting: tells a process whether it is the first of its run. */
#define INTERNAL_NAME "STINT_ROOT"

const struct settings_row *settings_rows(size_t *count)
{
    *count = sizeof rows / sizeof rows[0];
    return rows;
}

/* The value's name in the environment entry "NAME=value", or NULL when it is another's. */
static const char *value_of(const char *entry, const char *name, size_t length)
{
    return strncmp(entry, name, length) == 0 && entry[length] == '=' ? entry + length + 1 : NULL;
}

static bool parse_bool(const char *text, uint64_t *value)
{
    static const char *const words[][2] = {
        {"0", "1"}, {"no", "yes"}, {"off", "on"}, {"false", "true"}};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        for (uint64_t truth = 0; truth < 2; truth++)
            if (strcmp(text, words[i][truth]) == 0) {
                *value = truth;
                return true;
            }
    return false;
}

/* Position of text among the choices "a|b|c". */
static bool parse_choice(const char *choices, const char *text, uint64_t *value)
{
    size_t length = strlen(text);
    for (uint64_t i = 0; *choices; i++) {
        size_t width = strcspn(choices, "|");
        if (width == length && memcmp(choices, text, length) == 0) {
            *value = i;
            return true;
        }
        choices += width + (choices[width] == '|');
    }
    return false;
}

/* What ends in a digit gets the suffix that it lacks. */
static bool parse_ms(const char *text, uint64_t *value)
{
    char whole[40];
    size_t length = strlen(text);
    if (length == 0 || length > sizeof whole - 3) return false;
    bool is_bare = text[length - 1] >= '0' && text[length - 1] <= '9';
    memcpy(whole, text, length + 1);
    if (is_bare) memcpy(whole + length, "ms", 3);
    return num_parse_duration_ns(whole, value) == 0;
}

static bool parse_number(const struct settings_row *row, const char *text, uint64_t *value)
{
    switch (row->kind) {
    case SETTINGS_BOOL:
        return parse_bool(text, value);
    case SETTINGS_CHOICE:
        return parse_choice(row->choices, text, value);
    case SETTINGS_COUNT:
        return num_parse_u64(text, value) == 0;
    case SETTINGS_BYTES:
        return num_parse_bytes(text, value) == 0;
    case SETTINGS_DURATION:
        return num_parse_duration_ns(text, value) == 0;
    case SETTINGS_MS:
        return parse_ms(text, value);
    case SETTINGS_SIGNAL:
        return signame_parse(text, value);
    case SETTINGS_TEXT:
        break;
    }
    return false;
}

static void store_number(void *field, size_t size, uint64_t value)
{
    if (size == sizeof(uint64_t))
        *(uint64_t *)field = value;
    else if (size == sizeof(uint32_t))
        *(uint32_t *)field = (uint32_t)value;
    else
        *(bool *)field = value != 0;
}

/* False where value is not one for this row; the field is then untouched. */
static bool set_field(struct settings *settings, const struct settings_row *row, const char *value)
{
    void *field = (char *)settings + row->offset;
    if (row->kind == SETTINGS_TEXT) {
        size_t length = strlen(value);
        if (length >= row->size || (length == 0 && *row->default_value)) return false;
        memcpy(field, value, length + 1);
        return true;
    }
    uint64_t number = 0;
    if (!parse_number(row, value, &number)) return false;
    if (row->most && (number < row->least || number > row->most)) return false;
    store_number(field, row->size, number);
    return true;
}

bool settings_accept(const struct settings_row *row, const char *value)
{
    struct settings scratch;
    return set_field(&scratch, row, value);
}

static const struct settings_row *row_of(const char *entry, const char **value)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        *value = value_of(entry, rows[i].name, strlen(rows[i].name));
        if (*value) return &rows[i];
    }
    return NULL;
}

/* The entry's name alone; a longer one is cut. */
static void tell_unknown(const char *entry,
                         void (*bad)(const struct settings_row *row, const char *value))
{
    char name[64];
    size_t length = strcspn(entry, "=");
    if (length >= sizeof name) length = sizeof name - 1;
    memcpy(name, entry, length);
    name[length] = '\0';
    if (strcmp(name, INTERNAL_NAME) != 0) bad(NULL, name);
}

void settings_read(struct settings *settings, char *const *env,
                   void (*bad)(const struct settings_row *row, const char *value))
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        (void)set_field(settings, &rows[i], rows[i].default_value); /* the table is right: tested */
    bool is_seen[sizeof rows / sizeof rows[0]] = {false};
    for (; env && *env; env++) {
        if (strncmp(*env, "STINT_", 6) != 0) continue;
        const char *value = NULL;
        const struct settings_row *row = row_of(*env, &value);
        if (!row) {
            tell_unknown(*env, bad);
            continue;
        }
        /* As getenv does: the first of several entries counts. */
        if (is_seen[row - rows]) continue;
        is_seen[row - rows] = true;
        if (!set_field(settings, row, value)) bad(row, value);
    }
}

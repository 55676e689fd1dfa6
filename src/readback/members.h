/* SPDX-License-Identifier: MIT
 *
 * What check.c looks at in a report's objects: a table each. No copy of the schema: they hold what
 * readers rely on. Runs outside of targets. */
#pragma once

/* COUNT: an integer from 0 on. TIME: a number from 0 on. THREAD, FUNCTION: the id of one. */
enum kind { OBJECT, ARRAY, TEXT, TRUTH, INTEGER, COUNT, NUMBER, TIME, THREAD, FUNCTION, CATEGORY };
enum { NEEDED = 16, OR_NULL = 32, KIND = 15 };

struct member {
    const char *key;
    unsigned kind; /* with NEEDED or OR_NULL; without the one, it may be missing */
};

static const struct member document_members[] = {
    {"process", OBJECT | NEEDED},
    {"categories", OBJECT | NEEDED},
    {"functions", ARRAY | NEEDED},
    {"threads", ARRAY | NEEDED},
    {"call_tree", ARRAY | NEEDED},
    {"stint", TEXT | NEEDED},
    {"lost", OBJECT | NEEDED},
    {"overhead", OBJECT | NEEDED},
    {"clock", OBJECT | NEEDED},
    {"counters", OBJECT},
    {"values", OBJECT},
    {"frames", OBJECT},
};
static const struct member process_members[] = {
    {"pid", COUNT | NEEDED},        {"run", TEXT | NEEDED}, {"ending", OBJECT | NEEDED},
    {"executable", TEXT},           {"arguments", ARRAY},   {"host", TEXT},
    {"started_at", TEXT},           {"parent_pid", COUNT},  {"cpu_ms", TIME},
    {"duration_ms", TIME | NEEDED},
};
static const struct member ending_members[] = {
    {"kind", TEXT | NEEDED}, {"status", INTEGER}, {"signal", TEXT},     {"code", TEXT},
    {"address", TEXT},       {"thread", THREAD},  {"backtrace", ARRAY},
};
static const struct member backtrace_members[] = {
    {"name", TEXT | NEEDED},
    {"module", TEXT | OR_NULL},
    {"offset", TEXT},
};
static const struct member overhead_members[] = {
    {"calls", COUNT}, {"per_call_ns", TIME}, {"total_ms", TIME}};
static const struct member function_members[] = {
    {"name", TEXT | NEEDED}, {"raw_name", TEXT}, {"module", TEXT},
    {"build_id", TEXT},      {"offset", TEXT},
};
static const struct member statistics_members[] = {
    {"Count", COUNT},      {"Open", COUNT},      {"Total_ms", TIME}, {"Self_ms", TIME},
    {"Avg_ms", TIME},      {"Min_ms", TIME},     {"Max_ms", TIME},   {"P50_ms", TIME},
    {"P90_ms", TIME},      {"P95_ms", TIME},     {"P99_ms", TIME},   {"P99_9_ms", TIME},
    {"percentiles", TEXT}, {"histogram", ARRAY}, {"Recent", OBJECT},
};
static const struct member recent_members[] = {
    {"n", COUNT},     {"Avg_ms", TIME}, {"Min_ms", TIME}, {"Max_ms", TIME},   {"P50_ms", TIME},
    {"P90_ms", TIME}, {"P95_ms", TIME}, {"P99_ms", TIME}, {"P99_9_ms", TIME},
};
static const struct member thread_members[] = {
    {"tid", COUNT},        {"name", TEXT},        {"start_routine", TEXT | OR_NULL},
    {"started_ms", TIME},  {"lifetime_ms", TIME}, {"parent", THREAD | OR_NULL},
    {"cpu_ms", TIME},      {"state", TEXT},       {"generations", COUNT},
    {"open_calls", ARRAY}, {"functions", ARRAY},  {"categories", OBJECT},
    {"call_tree", ARRAY},
};
static const struct member part_members[] = {{"id", FUNCTION | NEEDED}};
static const struct member node_members[] = {
    {"function", FUNCTION}, {"category", CATEGORY}, {"folded", TRUTH}};
static const struct member counter_members[] = {
    {"Count", COUNT | NEEDED}, {"Sum", INTEGER | NEEDED}, {"saturated", TRUTH}};
static const struct member value_members[] = {
    {"unit", TEXT},       {"Count", COUNT | NEEDED}, {"Sum", NUMBER},   {"Avg", NUMBER},
    {"Min", NUMBER},      {"Max", NUMBER},           {"P50", NUMBER},   {"P90", NUMBER},
    {"P95", NUMBER},      {"P99", NUMBER},           {"P99_9", NUMBER}, {"percentiles", TEXT},
    {"histogram", ARRAY}, {"Recent", OBJECT},
};
static const struct member value_recent_members[] = {
    {"n", COUNT | NEEDED}, {"Avg", NUMBER}, {"Min", NUMBER}, {"Max", NUMBER},   {"P50", NUMBER},
    {"P90", NUMBER},       {"P95", NUMBER}, {"P99", NUMBER}, {"P99_9", NUMBER},
};
static const struct member frames_members[] = {
    {"budget_ms", TIME}, {"missed", COUNT}, {"series", ARRAY}, {"worst", ARRAY}, {"blame", ARRAY}};
static const struct member series_members[] = {
    {"thread", THREAD | NEEDED}, {"frames_per_bucket", COUNT}, {"buckets", ARRAY | NEEDED}};
static const struct member worst_members[] = {
    {"frame", COUNT},
    {"thread", THREAD | NEEDED},
    {"start_ms", TIME | NEEDED},
    {"duration_ms", TIME | NEEDED},
    {"functions", ARRAY},
};
static const struct member culprit_members[] = {
    {"function", FUNCTION}, {"category", CATEGORY}, {"self_ms", NUMBER},
    {"typical_ms", NUMBER}, {"excess_ms", NUMBER},  {"frames", COUNT},
};

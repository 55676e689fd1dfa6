/* SPDX-License-Identifier: MIT
 *
 * The store's head, key by key. A key whose value the head does not have is left out. Runs
 * anywhere. */
#include "report/process.h"

#include "base/fmt.h"
#include "base/utf8.h"
#include "report/ending.h"
#include "report/statistics.h"

#include <string.h>

enum { CALIBRATION_NS = 2000000, RUN_BYTES = 48 };

/* The clock. */

/* This machine's rate, for a store that says nothing of its own: the same source on the same
 * machine keeps it within parts of a million. */
static struct clock_rate rate_now(enum clock_source source)
{
    struct clock_pair first = clock_read_pair(source), last = first;
    for (int i = 0; i < 1000000 && last.raw_ns - first.raw_ns < CALIBRATION_NS; i++)
        last = clock_read_pair(source);
    return clock_rate(source, first, last);
}

struct clock_rate process_clock_rate(const struct store_head *head)
{
    enum clock_source source = (enum clock_source)head->clock_source;
    if (source != CLOCK_TSC && source != CLOCK_CNTVCT)
        return (struct clock_rate){.ticks_per_second = 1e9};
    struct clock_pair first = {
        .raw_ns = head->first_raw_ns, .ticks = head->first_ticks, .error_ns = head->first_error_ns};
    struct clock_pair last = {
        .raw_ns = head->last_raw_ns, .ticks = head->last_ticks, .error_ns = head->last_error_ns};
    bool is_here = source == clock_choose(CLOCK_WISH_TSC);
    if (!last.ticks && is_here && head->boot_id == clock_boot_id()) last = clock_read_pair(source);
    struct clock_rate rate = clock_rate(source, first, last);
    if (!(rate.ticks_per_second > 0) && is_here) rate = rate_now(source);
    if (!(rate.ticks_per_second > 0)) rate.ticks_per_second = 1e9;
    return rate;
}

static const char *source_name(uint32_t source)
{
    return source == CLOCK_TSC ? "tsc" : source == CLOCK_CNTVCT ? "cntvct" : "monotonic";
}

static void write_clock(const struct process_facts *facts)
{
    json_t *clock = json_object();
    stream_set(clock, "source", json_string_nocheck(source_name(facts->head->clock_source)));
    stream_set(clock, "ticks_per_second", json_real(facts->rate.ticks_per_second));
    stream_set(clock, "error_ppm", json_real(facts->rate.error_ppm));
    stream_value(facts->stream, "clock", clock);
}

/* What recording cost, and what was not recorded. */

static void write_overhead(const struct process_facts *facts)
{
    json_t *overhead = json_object();
    uint64_t calls = facts->merged->calls;
    stream_set(overhead, "calls", statistics_count(calls));
    double per_call = (double)facts->head->overhead_ticks_1024 / 1024;
    double per_call_ns = per_call * 1e9 / facts->rate.ticks_per_second;
    if (per_call > 0) {
        stream_set(overhead, "per_call_ns", json_real(per_call_ns));
        stream_set(overhead, "total_ms", json_real(per_call_ns * (double)calls / 1e6));
    }
    stream_value(facts->stream, "overhead", overhead);
}

static const char *const lost_names[] = {
#define X(constant, name) [constant] = name,
    LOST_KINDS_LIST(X)
#undef X
};

static void write_lost(const struct process_facts *facts)
{
    json_t *lost = json_object();
    for (int kind = 0; kind < LOST_KINDS; kind++) {
        uint64_t n = facts->head->lost[kind];
        for (uint32_t i = 0; i < facts->merged->thread_count; i++)
            n = sums_plus(n, facts->merged->threads[i].record->lost[kind]);
        stream_set(lost, lost_names[kind], statistics_count(n));
    }
    stream_value(facts->stream, "lost", lost);
}

/* The process. */

static void write_text(const struct process_facts *facts, const char *key, store_ref ref)
{
    struct arena_mark mark = arena_mark(facts->scratch);
    const char *text = names_copy_text(facts->scratch, &facts->input->view, ref);
    if (text) stream_value(facts->stream, key, json_string_nocheck(text));
    arena_release(facts->scratch, mark);
}

static void write_argument(const struct process_facts *facts, const char *text, size_t bytes)
{
    struct arena_mark mark = arena_mark(facts->scratch);
    char *valid = arena_alloc(facts->scratch, bytes * 3 + 1);
    if (valid) (void)utf8_make_valid(text, bytes, valid, bytes * 3 + 1); /* fits */
    stream_value(facts->stream, NULL, valid ? json_string_nocheck(valid) : NULL);
    arena_release(facts->scratch, mark);
}

static void write_arguments(const struct process_facts *facts)
{
    uint32_t bytes;
    const char *text = view_text(&facts->input->view, facts->head->arguments, &bytes);
    if (!text) return;
    stream_open_line(facts->stream, "arguments", '[');
    for (uint32_t at = 0; at < bytes;) {
        const char *end = memchr(text + at, '\0', bytes - at);
        size_t length = end ? (size_t)(end - (text + at)) : bytes - at;
        write_argument(facts, text + at, length);
        at += (uint32_t)length + 1;
    }
    stream_close(facts->stream, ']');
}

static void put_two(struct fmt *out, uint64_t value, char after)
{
    fmt_char(out, (char)('0' + value / 10 % 10));
    fmt_char(out, (char)('0' + value % 10));
    fmt_char(out, after);
}

/* Days since 1970 as a date: H. Hinnant, "chrono-Compatible Low-Level Date Algorithms" (2014),
 * civil_from_days; the year begins in March. */
static void put_date(struct fmt *out, uint64_t days)
{
    uint64_t shifted = days + 719468, era = shifted / 146097, day_of_era = shifted % 146097;
    uint64_t year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
    uint64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    uint64_t march_month = (5 * day_of_year + 2) / 153;
    uint64_t month = march_month < 10 ? march_month + 3 : march_month - 9;
    fmt_u64(out, year_of_era + era * 400 + (month <= 2));
    fmt_char(out, '-');
    put_two(out, month, '-');
    put_two(out, day_of_year - (153 * march_month + 2) / 5 + 1, 'T');
}

static json_t *iso_time(uint64_t unix_ns)
{
    char text[64];
    struct fmt out = fmt_over(text, sizeof text);
    uint64_t us = unix_ns / 1000, seconds = us / 1000000, of_day = seconds % 86400;
    put_date(&out, seconds / 86400);
    put_two(&out, of_day / 3600, ':');
    put_two(&out, of_day / 60 % 60, ':');
    put_two(&out, of_day % 60, '.');
    for (uint64_t unit = 100000; unit; unit /= 10)
        fmt_char(&out, (char)('0' + us % 1000000 / unit % 10));
    fmt_char(&out, 'Z');
    return json_string_nocheck(text);
}

static json_t *run_text(const char run[RUN_BYTES])
{
    char valid[RUN_BYTES * 3 + 1];
    (void)utf8_make_valid(run, strnlen(run, RUN_BYTES), valid, sizeof valid); /* fits */
    return json_string_nocheck(valid);
}

static json_t *duration(const struct process_facts *facts)
{
    const struct store_head *head = facts->head;
    bool has_ended = head->ending.kind != STORE_ENDING_NONE && !facts->input->is_snapshot;
    uint64_t end = has_ended && head->ending.ticks ? head->ending.ticks : facts->now_ticks;
    uint64_t ticks = end > head->first_ticks ? end - head->first_ticks : 0;
    return json_real((double)ticks * 1000 / facts->rate.ticks_per_second);
}

void process_write(const struct process_facts *facts)
{
    const struct store_head *head = facts->head;
    struct stream *stream = facts->stream;
    stream_open(stream, "process", '{');
    stream_integer(stream, "pid", head->pid);
    stream_integer(stream, "parent_pid", head->parent_pid);
    stream_value(stream, "run", run_text(head->run));
    write_text(facts, "executable", head->executable);
    write_arguments(facts);
    write_text(facts, "host", head->host);
    stream_value(stream, "started_at", iso_time(head->started_unix_ns));
    stream_value(stream, "duration_ms", duration(facts));
    if (head->cpu_ns) stream_value(stream, "cpu_ms", json_real((double)head->cpu_ns / 1e6));
    ending_write(facts);
    stream_close(stream, '}');
    write_clock(facts);
    write_overhead(facts);
    write_lost(facts);
}

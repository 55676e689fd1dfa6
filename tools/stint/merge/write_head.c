/* SPDX-License-Identifier: MIT
 *
 * What a merged report says of its processes as one, and of each. Runs in `stint`. */
#include "merge/write_parts.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

static void write_ending(struct emit *emit, const struct gather_process *process)
{
    bool is_signal = strcmp(process->ending, "signal") == 0;
    emit_open(emit, "ending", '{');
    emit_text(emit, "kind", process->ending);
    if (process->has_status) emit_integer(emit, "status", process->status);
    if (process->signal) emit_text(emit, "signal", process->signal);
    if (is_signal) emit_text(emit, "code", process->code ? process->code : "");
    if (is_signal && process->address) emit_text(emit, "address", process->address);
    emit_close(emit, '}');
}

static void write_process(struct emit *emit, const char *key, const struct gather_process *process)
{
    emit_open(emit, key, '{');
    emit_count(emit, "pid", process->pid);
    emit_count(emit, "parent_pid", process->parent_pid);
    emit_text(emit, "run", process->run ? process->run : "");
    if (process->executable) emit_text(emit, "executable", process->executable);
    if (process->host) emit_text(emit, "host", process->host);
    emit_text(emit, "started_at", process->started_at ? process->started_at : "");
    emit_number(emit, "duration_ms", process->duration_ms);
    if (process->has_cpu) emit_number(emit, "cpu_ms", process->cpu_ms);
    write_ending(emit, process);
    emit_close(emit, '}');
}

/* "2026-01-31T09:30:00.123456Z" in milliseconds; 0 where it is no time. */
static double time_ms(const char *text)
{
    struct tm tm = {.tm_isdst = 0};
    double seconds;
    if (!text || sscanf(text, "%d-%d-%dT%d:%d:%lfZ", &tm.tm_year, &tm.tm_mon, &tm.tm_mday,
                        &tm.tm_hour, &tm.tm_min, &seconds) != 6)
        return 0;
    tm.tm_year -= 1900;
    tm.tm_mon -= 1;
    return (double)timegm(&tm) * 1000 + seconds * 1000;
}

static bool is_smooth(const struct gather_process *process)
{
    return strcmp(process->ending, "exit") == 0 && process->status == 0;
}

static const char *common(const char *so_far, const char *more)
{
    return so_far && more && strcmp(so_far, more) == 0 ? so_far : NULL;
}

/* One process for all: what they share, from the first start to the last end by their own clocks,
 * and the ending of the first that did not exit with 0. */
static struct gather_process as_one(const struct gather *gather)
{
    struct gather_process one = gather->processes[0];
    double last_ms = 0;
    one.has_cpu = true;
    one.cpu_ms = 0;
    for (size_t i = 0; i < gather->processes_used; i++) {
        const struct gather_process *process = &gather->processes[i];
        double start_ms = time_ms(process->started_at);
        one.run = common(one.run, process->run);
        one.executable = common(one.executable, process->executable);
        one.host = common(one.host, process->host);
        one.cpu_ms += process->cpu_ms;
        one.has_cpu &= process->has_cpu;
        if (start_ms < time_ms(one.started_at)) one.started_at = process->started_at;
        if (start_ms + process->duration_ms > last_ms) last_ms = start_ms + process->duration_ms;
        if (!is_smooth(&one) || is_smooth(process)) continue;
        one.ending = process->ending;
        one.signal = process->signal;
        one.code = process->code;
        one.address = process->address;
        one.status = process->status;
        one.has_status = process->has_status;
    }
    if (gather->processes_used > 1) {
        one.pid = one.parent_pid = 0;
        one.duration_ms = last_ms - time_ms(one.started_at);
    }
    return one;
}

static void write_lost(struct merge_writer *writer)
{
    const struct gather *gather = writer->gather;
    emit_open(&writer->emit, "lost", '{');
    for (size_t i = 0; i < gather->lost_used; i++) {
        uint64_t count = gather->lost[i].count;
        if (strcmp(gather->lost[i].key, "contexts_folded") == 0)
            count = bins_plus(count, gather->trails.folded);
        emit_count(&writer->emit, gather->lost[i].key, count);
    }
    emit_close(&writer->emit, '}');
}

static void write_overhead(struct emit *emit, const struct gather *gather)
{
    emit_open(emit, "overhead", '{');
    emit_count(emit, "calls", gather->overhead_calls);
    if (gather->overhead_calls && !gather->overhead_is_unknown && gather->overhead_ms > 0) {
        emit_number(emit, "per_call_ns",
                    gather->overhead_ms * 1e6 / (double)gather->overhead_calls);
        emit_number(emit, "total_ms", gather->overhead_ms);
    }
    emit_close(emit, '}');
}

void merge_write_head(struct merge_writer *writer)
{
    struct emit *emit = &writer->emit;
    const struct gather *gather = writer->gather;
    struct gather_process one = as_one(gather);
    emit_line(emit);
    write_process(emit, "process", &one);
    emit_line(emit);
    emit_open(emit, "merged", '{');
    emit_count(emit, "reports", gather->reports);
    emit_count(emit, "threads_left_out", gather->threads_left_out);
    emit_count(emit, "thread_functions_left_out", gather->thread_functions_left_out);
    emit_close(emit, '}');
    emit_line(emit);
    emit_open(emit, "processes", '[');
    for (size_t i = 0; i < gather->processes_used; i++) {
        emit_line(emit);
        write_process(emit, NULL, &gather->processes[i]);
    }
    emit_close(emit, ']');
    emit_line(emit);
    emit_open(emit, "clock", '{');
    emit_text(emit, "source", gather->clock_source);
    emit_number(emit, "ticks_per_second", gather->ticks_per_second);
    emit_number(emit, "error_ppm", gather->error_ppm);
    emit_close(emit, '}');
    emit_line(emit);
    write_overhead(emit, gather);
    emit_line(emit);
    write_lost(writer);
}

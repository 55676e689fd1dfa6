/* SPDX-License-Identifier: MIT
 *
 * What a report says of its process and of the recording. Runs in `stint`. */
#include "intake/parts.h"

static bool read_ending(struct pull *pull, struct intake_ending *ending)
{
    struct span key;
    for (pull_enter(pull, '{'); pull_key(pull, &key);) {
        if (span_is(key, "kind"))
            (void)pull_text(pull, &ending->kind);
        else if (span_is(key, "signal"))
            (void)pull_text(pull, &ending->signal);
        else if (span_is(key, "code"))
            (void)pull_text(pull, &ending->code);
        else if (span_is(key, "address"))
            (void)pull_text(pull, &ending->address);
        else if (span_is(key, "status"))
            ending->has_status = pull_integer(pull, &ending->status);
        else
            (void)pull_skip(pull);
    }
    if (pull->fault.error) return false;
    return ending->kind.data || pull_fault(pull, "the ending before this has no kind");
}

static bool read_member(struct pull *pull, struct span key, struct intake_process *process)
{
    if (span_is(key, "pid")) return pull_count(pull, &process->pid);
    if (span_is(key, "parent_pid")) return pull_count(pull, &process->parent_pid);
    if (span_is(key, "run")) return pull_text(pull, &process->run);
    if (span_is(key, "executable")) return pull_text(pull, &process->executable);
    if (span_is(key, "host")) return pull_text(pull, &process->host);
    if (span_is(key, "started_at")) return pull_text(pull, &process->started_at);
    if (span_is(key, "duration_ms")) return pull_time(pull, &process->duration_ms);
    if (span_is(key, "ending")) return read_ending(pull, &process->ending);
    if (!span_is(key, "cpu_ms")) return pull_skip(pull);
    process->has_cpu = true;
    return pull_time(pull, &process->cpu_ms);
}

static bool read_one(struct pull *pull, struct intake_process *process)
{
    struct span key;
    *process = (struct intake_process){.pid = 0};
    for (pull_enter(pull, '{'); pull_key(pull, &key);) (void)read_member(pull, key, process);
    if (pull->fault.error) return false;
    return process->ending.kind.data || pull_fault(pull, "the process before this has no ending");
}

bool intake_read_process(struct intake *intake, struct pull *pull)
{
    struct intake_process process;
    if (!read_one(pull, &process)) return false;
    if (intake->takers->process) intake->takers->process(intake->context, &process);
    return true;
}

bool intake_read_members(struct intake *intake, struct pull *pull)
{
    struct intake_process process;
    for (pull_enter(pull, '['); pull_item(pull);)
        if (read_one(pull, &process) && intake->takers->member)
            intake->takers->member(intake->context, &process);
    return !pull->fault.error;
}

bool intake_read_clock(struct intake *intake, struct pull *pull)
{
    struct span key;
    struct intake_clock clock = {.error_ppm = 0};
    for (pull_enter(pull, '{'); pull_key(pull, &key);) {
        if (span_is(key, "source"))
            (void)pull_text(pull, &clock.source);
        else if (span_is(key, "ticks_per_second"))
            (void)pull_time(pull, &clock.ticks_per_second);
        else if (span_is(key, "error_ppm"))
            (void)pull_time(pull, &clock.error_ppm);
        else
            (void)pull_skip(pull);
    }
    if (pull->fault.error) return false;
    if (intake->takers->clock) intake->takers->clock(intake->context, &clock);
    return true;
}

bool intake_read_overhead(struct intake *intake, struct pull *pull)
{
    struct span key;
    struct intake_overhead overhead = {.calls = 0};
    for (pull_enter(pull, '{'); pull_key(pull, &key);) {
        if (span_is(key, "calls"))
            (void)pull_count(pull, &overhead.calls);
        else if (span_is(key, "per_call_ns"))
            overhead.is_measured = pull_time(pull, &overhead.per_call_ns);
        else if (span_is(key, "total_ms"))
            (void)pull_time(pull, &overhead.total_ms);
        else
            (void)pull_skip(pull);
    }
    if (pull->fault.error) return false;
    if (intake->takers->overhead) intake->takers->overhead(intake->context, &overhead);
    return true;
}

bool intake_read_lost(struct intake *intake, struct pull *pull)
{
    struct span key;
    for (pull_enter(pull, '{'); pull_key(pull, &key);) {
        uint64_t count;
        if (pull_count(pull, &count) && intake->takers->lost)
            intake->takers->lost(intake->context, key, count);
    }
    return !pull->fault.error;
}

/* SPDX-License-Identifier: MIT
 *
 * Counters, values and frames. Runs in `stint`. */
#include "intake/parts.h"

#include <math.h>

bool intake_read_counters(struct intake *intake, struct pull *pull)
{
    struct span name, key;
    for (pull_enter(pull, '{'); pull_key(pull, &name);) {
        struct intake_counter counter = {.calls = 0};
        for (pull_enter(pull, '{'); pull_key(pull, &key);) {
            if (span_is(key, "Count"))
                (void)pull_count(pull, &counter.calls);
            else if (span_is(key, "Sum"))
                (void)pull_integer(pull, &counter.sum);
            else if (span_is(key, "saturated"))
                (void)pull_true_or_false(pull, &counter.is_saturated);
            else
                (void)pull_skip(pull);
        }
        if (pull->fault.error) return false;
        if (intake->takers->counter) intake->takers->counter(intake->context, name, &counter);
    }
    return !pull->fault.error;
}

static bool read_value_member(struct pull *pull, struct span key, struct intake_value *value,
                              size_t *histogram)
{
    if (span_is(key, "unit")) return pull_text(pull, &value->unit);
    if (span_is(key, "Count")) return pull_count(pull, &value->n);
    if (span_is(key, "Sum")) return value->has_sum = pull_number(pull, &value->sum);
    if (span_is(key, "Max")) return pull_number(pull, &value->most);
    if (span_is(key, "histogram")) *histogram = pull->at;
    if (!span_is(key, "Min")) return pull_skip(pull);
    value->has_spread = true;
    return pull_number(pull, &value->least);
}

static bool read_value_buckets(struct intake *intake, struct pull *pull)
{
    double last = -INFINITY;
    for (pull_enter(pull, '['); pull_item(pull);) {
        double low, high;
        uint64_t count;
        bool is_good = pull_enter(pull, '[') && pull_item(pull) && pull_number(pull, &low) &&
                       pull_item(pull) && pull_number(pull, &high) && pull_item(pull) &&
                       pull_count(pull, &count);
        if (!is_good) return pull_fault(pull, "no bucket: [low, high, count] is expected");
        if (pull_item(pull)) return pull_fault(pull, "a bucket of more than three numbers");
        if (low >= high) return pull_fault(pull, "the bucket before this ends before it begins");
        if (low < last) return pull_fault(pull, "the bucket before this begins in the one before");
        last = high;
        intake->takers->value_bucket(intake->context, low, high, count);
    }
    return !pull->fault.error;
}

bool intake_read_values(struct intake *intake, struct pull *pull)
{
    struct span name, key;
    for (pull_enter(pull, '{'); pull_key(pull, &name);) {
        struct intake_value value = {.n = 0};
        size_t histogram = 0;
        for (pull_enter(pull, '{'); pull_key(pull, &key);)
            (void)read_value_member(pull, key, &value, &histogram);
        if (pull->fault.error) return false;
        if (!intake->takers->value) continue;
        intake->takers->value(intake->context, name, &value);
        if (!histogram || !intake->takers->value_bucket) continue;
        size_t behind = pull->at;
        pull->at = histogram;
        if (!read_value_buckets(intake, pull)) return false;
        pull->at = behind;
        pull->is_first = false;
    }
    return !pull->fault.error;
}

/* Frames. */

struct frames_places {
    struct intake_frames frames;
    size_t worst, blame;
};

static bool read_frames_member(void *context, struct pull *pull, struct span key)
{
    struct frames_places *places = context;
    if (span_is(key, "budget_ms")) {
        places->frames.has_budget = pull_time(pull, &places->frames.budget_ms);
        return true;
    }
    if (span_is(key, "missed")) {
        (void)pull_count(pull, &places->frames.missed);
        return true;
    }
    if (span_is(key, "worst")) places->worst = pull->at;
    if (span_is(key, "blame")) places->blame = pull->at;
    return false;
}

static bool read_blame(struct intake *intake, struct pull *pull, struct intake_blame *blame)
{
    struct span key;
    *blame = (struct intake_blame){.function = INTAKE_NONE};
    for (pull_enter(pull, '{'); pull_key(pull, &key);) {
        if (span_is(key, "function"))
            (void)intake_read_place(pull, intake->functions, false, &blame->function);
        else if (span_is(key, "category"))
            (void)pull_text(pull, &blame->category);
        else if (span_is(key, "self_ms"))
            (void)pull_number(pull, &blame->self_ms);
        else if (span_is(key, "typical_ms"))
            (void)pull_number(pull, &blame->typical_ms);
        else if (span_is(key, "excess_ms"))
            (void)pull_number(pull, &blame->excess_ms);
        else if (span_is(key, "frames"))
            (void)pull_count(pull, &blame->frames);
        else
            (void)pull_skip(pull);
    }
    if (pull->fault.error) return false;
    return blame->function != INTAKE_NONE || blame->category.data ||
           pull_fault(pull, "neither a function nor a category is told before this");
}

typedef void blame_taker(void *context, const struct intake_blame *blame);

static bool read_blames(struct intake *intake, struct pull *pull, size_t at, blame_taker *taker)
{
    struct intake_blame blame;
    if (!at || !taker) return true;
    pull->at = at;
    for (pull_enter(pull, '['); pull_item(pull);)
        if (read_blame(intake, pull, &blame)) taker(intake->context, &blame);
    return !pull->fault.error;
}

static bool read_worst(struct intake *intake, struct pull *pull)
{
    struct span key;
    struct intake_worst worst = {.thread = 0};
    size_t functions = 0;
    for (pull_enter(pull, '{'); pull_key(pull, &key);) {
        if (span_is(key, "functions")) functions = pull->at;
        if (span_is(key, "frame"))
            (void)pull_count(pull, &worst.frame);
        else if (span_is(key, "thread"))
            (void)intake_read_place(pull, INTAKE_NONE, false, &worst.thread);
        else if (span_is(key, "start_ms"))
            (void)pull_time(pull, &worst.start_ms);
        else if (span_is(key, "duration_ms"))
            (void)pull_time(pull, &worst.duration_ms);
        else
            (void)pull_skip(pull);
    }
    if (pull->fault.error) return false;
    intake->takers->worst(intake->context, &worst);
    size_t behind = pull->at;
    bool is_good = read_blames(intake, pull, functions, intake->takers->worst_blame);
    pull->at = behind;
    pull->is_first = false;
    return is_good;
}

bool intake_read_frames(struct intake *intake, struct pull *pull)
{
    struct span name;
    if (!intake->takers->frames) return pull_skip(pull);
    for (pull_enter(pull, '{'); pull_key(pull, &name);) {
        struct intake_entry total;
        struct frames_places places = {.worst = 0};
        if (!intake_read_entry(intake, pull, &total, read_frames_member, &places)) return false;
        size_t behind = pull->at;
        total.name = name;
        intake->takers->frames(intake->context, &total, &places.frames);
        if (places.worst && intake->takers->worst) {
            pull->at = places.worst;
            for (pull_enter(pull, '['); pull_item(pull);) (void)read_worst(intake, pull);
        }
        if (!read_blames(intake, pull, places.blame, intake->takers->blame)) return false;
        pull->at = behind;
        pull->is_first = false;
    }
    return !pull->fault.error;
}

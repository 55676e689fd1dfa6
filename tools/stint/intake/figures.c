/* SPDX-License-Identifier: MIT
 *
 * Key → where its value goes. Every number a report may hold is checked on the way: times from 0
 * on, buckets of the report's grid. Runs in `stint`. */
#include "intake/figures.h"

#include "base/compiler.h"

#include <stddef.h>
#include <string.h>

void figures_clear(struct figures *figures)
{
    struct figures_bucket *buckets = figures->buckets;
    *figures = (struct figures){.buckets = buckets};
}

uint64_t figures_ended(const struct figures *figures)
{
    return figures->calls > figures->open ? figures->calls - figures->open : 0;
}

static bool take_bucket(struct pull *pull, struct figures *figures)
{
    uint64_t low, high, count;
    bool is_good = pull_enter(pull, '[') && pull_item(pull) && pull_count(pull, &low) &&
                   pull_item(pull) && pull_count(pull, &high) && pull_item(pull) &&
                   pull_count(pull, &count);
    if (!is_good) return pull_fault(pull, "no bucket: [low_ns, high_ns, count] is expected");
    if (pull_item(pull)) return pull_fault(pull, "a bucket of more than three numbers");
    if (pull->fault.error) return false;
    uint64_t grid_low, grid_high;
    uint32_t bucket = hist_ns_bucket((double)low);
    hist_ns_bounds(bucket, &grid_low, &grid_high);
    if (low != grid_low || high != grid_high)
        return pull_fault(pull, "the bucket before this is none of the report's grid");
    if (figures->buckets_used == HIST_NS_BUCKETS) return pull_fault(pull, "too many buckets");
    figures->buckets[figures->buckets_used++] = (struct figures_bucket){bucket, count};
    return true;
}

static bool take_histogram(struct pull *pull, struct figures *figures)
{
    if (!figures->buckets) return pull_skip(pull);
    figures->buckets_used = 0;
    for (pull_enter(pull, '['); pull_item(pull);) (void)take_bucket(pull, figures);
    return !pull->fault.error;
}

static bool take_percentiles(struct pull *pull, struct figures *figures)
{
    struct span word;
    if (!pull_text(pull, &word)) return false;
    figures->is_exact = span_is(word, "exact");
    return true;
}

enum kind { COUNT, MS, FLAG, PERCENTILES, HISTOGRAM };

static const struct {
    const char *key;
    enum kind kind;
    size_t place;
    size_t flag; /* set where the member is there; 0 = none */
} members[] = {
    {"Count", COUNT, offsetof(struct figures, calls), 0},
    {"Open", COUNT, offsetof(struct figures, open), 0},
    {"Total_ms", MS, offsetof(struct figures, total_ms), 0},
    {"Self_ms", MS, offsetof(struct figures, self_ms), offsetof(struct figures, has_self)},
    {"Avg_ms", MS, offsetof(struct figures, avg_ms), offsetof(struct figures, has_average)},
    {"Min_ms", MS, offsetof(struct figures, min_ms), offsetof(struct figures, has_spread)},
    {"Max_ms", MS, offsetof(struct figures, max_ms), 0},
    {"P50_ms", MS, offsetof(struct figures, quantiles_ms[0]),
     offsetof(struct figures, has_quantiles)},
    {"P90_ms", MS, offsetof(struct figures, quantiles_ms[1]), 0},
    {"P95_ms", MS, offsetof(struct figures, quantiles_ms[2]), 0},
    {"P99_ms", MS, offsetof(struct figures, quantiles_ms[3]), 0},
    {"P99_9_ms", MS, offsetof(struct figures, quantiles_ms[4]), 0},
    {"saturated", FLAG, offsetof(struct figures, is_saturated), 0},
    {"percentiles", PERCENTILES, 0, 0},
    {"histogram", HISTOGRAM, 0, 0},
};

bool figures_member(struct pull *pull, struct span key, struct figures *figures, bool *is_known)
{
    size_t i = 0;
    while (i < COUNT_OF(members) && !span_is(key, members[i].key)) i++;
    *is_known = i < COUNT_OF(members);
    if (!*is_known) return true;
    char *place = (char *)figures + members[i].place;
    if (members[i].flag) *(bool *)((char *)figures + members[i].flag) = true;
    switch (members[i].kind) {
    case COUNT:
        return pull_count(pull, (uint64_t *)place);
    case MS:
        return pull_time(pull, (double *)place);
    case FLAG:
        return pull_true_or_false(pull, (bool *)place);
    case PERCENTILES:
        return take_percentiles(pull, figures);
    case HISTOGRAM:
        return take_histogram(pull, figures);
    }
    return true;
}

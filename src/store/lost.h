/* SPDX-License-Identifier: MIT
 *
 * The kinds of what was not recorded as it happened; each is counted and stands in the report under
 * the name beside it. */
#pragma once

#define LOST_KINDS_LIST(X)                                                                         \
    X(LOST_CALLS_TOO_DEEP, "calls_too_deep")                                                       \
    X(LOST_CALLS_WHILE_BUSY, "calls_while_busy")                                                   \
    X(LOST_CONTEXTS_FOLDED, "contexts_folded")                                                     \
    X(LOST_THREADS_MERGED, "threads_merged")                                                       \
    X(LOST_UNMATCHED_EXITS, "unmatched_exits")                                                     \
    X(LOST_STACKS_DROPPED, "stacks_dropped")                                                       \
    X(LOST_NEGATIVE_TIMES, "negative_times")                                                       \
    X(LOST_CALLS_AFTER_REPORT, "calls_after_report")                                               \
    X(LOST_CALLS_NO_MEMORY, "calls_no_memory")                                                     \
    X(LOST_SAMPLES, "samples_dropped")                                                             \
    X(LOST_VALUES_NOT_FINITE, "values_not_finite")                                                 \
    X(LOST_LAPS, "frames_unmatched")

enum lost_kind {
#define X(constant, name) constant,
    LOST_KINDS_LIST(X)
#undef X
        LOST_KINDS
};

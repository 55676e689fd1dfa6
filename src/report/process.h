/* SPDX-License-Identifier: MIT
 *
 * What a report says of the process as a whole: who it was, how it ended, the clock, what recording
 * cost and what was lost. */
#pragma once

#include "clock/clock.h"
#include "report/merge.h"
#include "report/write.h"
#include "json/stream.h"

struct process_facts {
    const struct report_input *input;
    const struct store_head *head;
    struct merged *merged;
    struct stream *stream;
    struct arena *scratch;
    struct clock_rate rate;
    uint64_t now_ticks;
};

/* What a tick was worth. The rate is never 0: where the store has no second clock pair it is taken
 * now. Context: any thread, signal-safe (so are all of this file). */
struct clock_rate process_clock_rate(const struct store_head *head);

/* The members `process`, `clock`, `overhead` and `lost` of the open object. */
void process_write(const struct process_facts *facts);

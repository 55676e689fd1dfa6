/* SPDX-License-Identifier: MIT
 *
 * Functions → those too cheap → a pattern for each → what else that pattern meets. Runs in `stint`.
 */
#include "advise/cheap.h"

#include "verb/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void take_overhead(void *context, const struct intake_overhead *overhead)
{
    struct cheaps *cheaps = context;
    cheaps->per_call_ns = overhead->is_measured ? overhead->per_call_ns : 0;
    cheaps->overhead_calls = (double)overhead->calls;
}

static char *text_of(struct span text) { return memory_text(text.data, text.length); }

static void take_function(void *context, const struct intake_entry *entry)
{
    struct cheaps *cheaps = context;
    const struct figures *figures = &entry->figures;
    char name[GCCNAME_BYTES], pattern[GCCNAME_BYTES];
    cheaps->items = memory_grow(cheaps->items, cheaps->used, &cheaps->room, sizeof *cheaps->items);
    struct cheap *cheap = &cheaps->items[cheaps->used++];
    *cheap = (struct cheap){
        .name = text_of(entry->name),
        .raw_name = text_of(entry->raw_name.data ? entry->raw_name : entry->name),
        .calls = figures->calls,
        .self_ns = figures->calls ? figures->self_ms * 1e6 / (double)figures->calls : INFINITY,
        .p50_ns = figures->has_quantiles ? figures->quantiles_ms[0] * 1e6 : NAN,
    };
    if (gccname_make(cheap->name, name)) {
        cheap->gcc_name = memory_text(name, strlen(name));
        if (gccname_pattern(name, pattern)) cheap->pattern = memory_text(pattern, strlen(pattern));
    }
}

const struct intake_takers cheaps_takers = {.overhead = take_overhead, .function = take_function};

static int by_calls(const void *a, const void *b)
{
    const struct cheap *x = a, *y = b;
    if (x->is_cheap != y->is_cheap) return x->is_cheap ? -1 : 1;
    if (x->calls != y->calls) return x->calls < y->calls ? 1 : -1;
    return strcmp(x->name, y->name);
}

/* A name that gcc prints in a way of its own is compared as a whole. */
static void find_also(const struct cheaps *cheaps, struct cheap *cheap)
{
    if (!cheap->pattern) return;
    for (size_t i = cheaps->cheap; i < cheaps->used; i++) {
        const struct cheap *other = &cheaps->items[i];
        if (!strstr(other->gcc_name ? other->gcc_name : other->name, cheap->pattern)) continue;
        cheap->also++;
        cheap->also_one = other->name;
    }
}

void cheaps_judge(struct cheaps *cheaps, double cost_ns, double least_part)
{
    double calls = 0;
    for (size_t i = 0; i < cheaps->used; i++) calls += (double)cheaps->items[i].calls;
    for (size_t i = 0; i < cheaps->used; i++) {
        struct cheap *cheap = &cheaps->items[i];
        cheap->is_cheap =
            cheap->self_ns < cost_ns && (double)cheap->calls >= least_part * calls && cheap->calls;
        cheaps->cheap += cheap->is_cheap;
    }
    qsort(cheaps->items, cheaps->used, sizeof *cheaps->items, by_calls);
    for (size_t i = 0; i < cheaps->cheap; i++) find_also(cheaps, &cheaps->items[i]);
}

bool cheap_is_listed(const struct cheap *cheap) { return cheap->pattern && cheap->also == 0; }

void cheaps_fini(struct cheaps *cheaps)
{
    for (size_t i = 0; i < cheaps->used; i++) {
        free(cheaps->items[i].name);
        free(cheaps->items[i].raw_name);
        free(cheaps->items[i].gcc_name);
        free(cheaps->items[i].pattern);
    }
    free(cheaps->items);
}

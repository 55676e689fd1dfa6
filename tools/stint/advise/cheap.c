/* SPDX-License-Identifier: MIT
 *
 * Functions → those too cheap → a pattern for each → what else that pattern meets. Runs in `stint`.
 */
#include "advise/cheap.h"

#include "advise/parts.h"
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

/* What is known of a pattern. Functions of one name have one. */
struct meeting {
    size_t first; /* the first function that has it */
    size_t also;
    const char *also_one;
    bool is_covered; /* another one that is listed lies in it */
};

struct meetings {
    struct parts parts;
    struct meeting *items; /* of each part */
    const char *name;      /* what is looked at: a name that is to be kept, or … */
    uint32_t own;          /* … a pattern */
};

static void meet_name(void *context, uint32_t part)
{
    struct meetings *meetings = context;
    meetings->items[part].also++;
    meetings->items[part].also_one = meetings->name;
}

static void meet_pattern(void *context, uint32_t part)
{
    struct meetings *meetings = context;
    if (part != meetings->own && !meetings->items[part].also)
        meetings->items[meetings->own].is_covered = true;
}

/* What a pattern would take too. A name that gcc prints in a way of its own is compared as a whole.
 */
static void find_also(const struct cheaps *cheaps, struct meetings *meetings)
{
    for (size_t i = cheaps->cheap; i < cheaps->used; i++) {
        const struct cheap *other = &cheaps->items[i];
        meetings->name = other->name;
        parts_each(&meetings->parts, other->gcc_name ? other->gcc_name : other->name, meet_name,
                   meetings);
    }
}

static void find_covered(const struct cheaps *cheaps, struct meetings *meetings)
{
    for (size_t i = 0; i < cheaps->cheap; i++) {
        const struct cheap *cheap = &cheaps->items[i];
        if (cheap->part == PARTS_NONE || meetings->items[cheap->part].first != i) continue;
        meetings->own = cheap->part;
        parts_each(&meetings->parts, cheap->pattern, meet_pattern, meetings);
    }
}

static void meet(struct cheaps *cheaps)
{
    struct meetings meetings = {.name = NULL};
    parts_init(&meetings.parts);
    for (size_t i = 0; i < cheaps->cheap; i++) {
        struct cheap *cheap = &cheaps->items[i];
        cheap->part = cheap->pattern ? parts_add(&meetings.parts, cheap->pattern) : PARTS_NONE;
    }
    parts_link(&meetings.parts);
    meetings.items = memory_new(meetings.parts.count, sizeof *meetings.items);
    for (size_t i = cheaps->cheap; i-- > 0;)
        if (cheaps->items[i].part != PARTS_NONE) meetings.items[cheaps->items[i].part].first = i;
    find_also(cheaps, &meetings);
    find_covered(cheaps, &meetings);
    for (size_t i = 0; i < cheaps->cheap; i++) {
        struct cheap *cheap = &cheaps->items[i];
        if (cheap->part == PARTS_NONE) continue;
        const struct meeting *meeting = &meetings.items[cheap->part];
        cheap->also = meeting->also;
        cheap->also_one = meeting->also_one;
        cheap->is_covered = meeting->is_covered || meeting->first < i;
    }
    free(meetings.items);
    parts_fini(&meetings.parts);
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
    meet(cheaps);
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

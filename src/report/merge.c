/* SPDX-License-Identifier: MIT
 *
 * First the recorders and their function records, each of which joins the function it means; then
 * calls.c adds what every thread's nodes and frames say; last the functions are ranked. Names
 * and addresses are found by hash; a function record's module by a walk through all modules, which
 * are few. Runs anywhere. */
#include "report/merge.h"

#include "base/hash.h"
#include "report/calls.h"
#include "stats/order.h"

#include <errno.h>
#include <string.h>

bool merge_is_new(struct merged *merged, const void *record)
{
    uint64_t offset = (uint64_t)((const uint8_t *)record - merged->view->base);
    if (index_find(&merged->seen, offset) != INDEX_NONE) return false;
    return index_put(&merged->seen, offset, 0) == 0;
}

bool merge_was_called(const struct part *first, bool in_one_thread)
{
    for (const struct part *part = first; part; part = part->next) {
        if (in_one_thread && part->thread != first->thread) return false;
        if (part->in_tree || part->sums.ended || part->sums.open) return true;
    }
    return false;
}

static bool is_same(const struct merged_function *a, const struct merged_function *b)
{
    if (!a->category != !b->category || a->kind != b->kind) return false;
    if (a->category) return !strcmp(a->category, b->category);
    return a->place.module == b->place.module && a->place.offset == b->place.offset;
}

static int add_function(struct merged *merged, const struct merged_function *function)
{
    if (merged->function_count == merged->function_capacity) {
        uint32_t capacity = merged->function_capacity ? merged->function_capacity * 2 : 256;
        struct merged_function *grown =
            arena_alloc(merged->arena, capacity * sizeof *merged->functions);
        if (!grown) return -ENOMEM;
        if (merged->function_count)
            memcpy(grown, merged->functions, merged->function_count * sizeof *grown);
        merged->functions = grown;
        merged->function_capacity = capacity;
    }
    merged->functions[merged->function_count++] = *function;
    return 0;
}

/* The number of the function equal to this one, which is added if there is none; INDEX_NONE without
 * memory. */
static uint32_t make_function(struct merged *merged, const struct merged_function *wanted)
{
    uint64_t key = wanted->category
                       ? hash_bytes(wanted->category, strlen(wanted->category)) + wanted->kind
                       : hash_u64(wanted->place.offset ^ hash_u64(wanted->place.module));
    uint32_t found;
    while ((found = index_find(&merged->function_by_key, key)) != INDEX_NONE) {
        if (is_same(&merged->functions[found], wanted)) return found;
        key = hash_u64(key + 1); /* another function with this hash */
    }
    if (add_function(merged, wanted)) return INDEX_NONE;
    uint32_t at = merged->function_count - 1;
    return index_put(&merged->function_by_key, key, at) ? INDEX_NONE : at;
}

/* What a record means. 0, −ENOMEM, or 1 = its name can't be read. */
static int describe(struct merged *merged, const struct store_function *record,
                    struct merged_function *out)
{
    uint64_t address = __atomic_load_n(&record->address, __ATOMIC_RELAXED);
    *out = (struct merged_function){.place = {.module = INDEX_NONE}};
    if (!(address & STORE_MARK_CATEGORY)) {
        out->place =
            names_place_of(&merged->names, address & STORE_ADDRESS_MASK, record->first_ticks);
        return 0;
    }
    uint32_t bytes;
    out->kind = (enum store_kind)(address >> STORE_KIND_SHIFT & (STORE_KINDS - 1));
    if (out->kind == STORE_KIND_NS) out->kind = STORE_KIND_SCOPE;
    store_ref name = (store_ref)address;
    if (!view_text(merged->view, name, &bytes)) return 1;
    out->category = names_copy_text(merged->arena, merged->view, name);
    return out->category ? 0 : -ENOMEM;
}

static void join(struct merged *merged, struct part *part)
{
    struct merged_function *function = &merged->functions[part->function];
    if (function->last_part)
        function->last_part->next = part;
    else
        function->parts = part;
    part->leads = !function->last_part || function->last_part->thread != part->thread;
    function->last_part = part;
}

static int add_part(struct merged *merged, uint32_t thread, const struct store_function *record,
                    store_ref ref)
{
    struct merged_function wanted;
    int problem = describe(merged, record, &wanted);
    if (problem) return problem < 0 ? problem : 0;
    uint32_t function = make_function(merged, &wanted);
    if (function == INDEX_NONE) return -ENOMEM;
    struct part *part = &merged->parts[merged->part_count];
    *part = (struct part){.record = record,
                          .function = function,
                          .thread = thread,
                          .is_ns = record->flags & STORE_FUNCTION_NANOSECONDS,
                          .sums = SUMS_INIT};
    join(merged, part);
    return index_put(&merged->part_by_ref, ref, merged->part_count++);
}

static int add_parts(struct merged *merged, uint32_t thread)
{
    struct merged_thread *own = &merged->threads[thread];
    struct view_items items = {.segment = own->record->functions};
    const struct store_function *record;
    own->first_part = merged->part_count;
    while (merged->part_count < merged->part_capacity &&
           (record = view_next_function(merged->view, &items))) {
        if (index_find(&merged->part_by_ref, items.ref) != INDEX_NONE) break; /* a circle */
        int error = add_part(merged, thread, record, items.ref);
        if (error) return error;
    }
    own->parts = merged->part_count - own->first_part;
    return 0;
}

static uint64_t end_of(const struct merged *merged, const struct store_recorder *record)
{
    uint64_t ended = __atomic_load_n(&record->ended_ticks, __ATOMIC_RELAXED);
    return record->state == STORE_THREAD_EXITED && ended && ended < merged->now_ticks
               ? ended
               : merged->now_ticks;
}

static uint64_t count_functions(struct merged *merged, const struct store_recorder *record)
{
    struct view_items items = {.segment = record->functions};
    uint64_t n = 0;
    while (merged->items_left && view_next_function(merged->view, &items)) {
        merged->items_left--;
        n++;
    }
    return n;
}

static int find_threads(struct merged *merged)
{
    const struct store_recorder *record = NULL;
    uint64_t steps = 0, most = 0, functions = 0;
    while ((record = view_next_recorder(merged->view, record, &steps))) most++;
    merged->threads = arena_alloc(merged->arena, (most + 1) * sizeof *merged->threads);
    if (!merged->threads) return -ENOMEM;
    for (steps = 0; merged->thread_count < most;) {
        record = view_next_recorder(merged->view, record, &steps);
        if (!record || !merge_is_new(merged, record)) break; /* the end, or a circle */
        struct merged_thread *thread = &merged->threads[merged->thread_count++];
        thread->record = record;
        thread->end_ticks = end_of(merged, record);
        functions += count_functions(merged, record);
    }
    if (functions > UINT32_MAX / 2) return -ENOMEM;
    merged->part_capacity = (uint32_t)functions;
    merged->parts = arena_alloc(merged->arena, functions * sizeof *merged->parts + 1);
    return merged->parts ? 0 : -ENOMEM;
}

static int merge_threads(struct merged *merged)
{
    for (uint32_t i = 0; i < merged->thread_count; i++) {
        int error = add_parts(merged, i);
        if (error) return error;
        struct arena_mark mark = arena_mark(merged->scratch);
        error = calls_merge(merged, i);
        arena_release(merged->scratch, mark);
        if (error) return error;
    }
    return 0;
}

static int rank(struct merged *merged)
{
    struct order_item *items =
        arena_alloc(merged->arena, merged->function_count * sizeof *items + 1);
    merged->by_rank =
        arena_alloc(merged->arena, merged->function_count * sizeof *merged->by_rank + 1);
    if (!items || !merged->by_rank) return -ENOMEM;
    for (uint32_t i = 0; i < merged->function_count; i++) {
        struct merged_function *function = &merged->functions[i];
        for (const struct part *part = function->parts; part; part = part->next)
            function->self_ticks = sums_plus(function->self_ticks, part->sums.self_ticks);
        if (function->category || !merge_was_called(function->parts, false)) continue;
        items[merged->ranked++] = (struct order_item){function->self_ticks, i};
    }
    order_descending(items, merged->ranked);
    for (uint32_t i = 0; i < merged->ranked; i++) {
        merged->by_rank[i] = items[i].item;
        merged->functions[items[i].item].id = i;
    }
    return 0;
}

int merge_store(struct merged *merged, const struct merge_options *options, struct arena *arena,
                struct arena *scratch)
{
    const struct view *view = options->view;
    *merged = (struct merged){.arena = arena,
                              .scratch = scratch,
                              .view = view,
                              .now_ticks = options->now_ticks,
                              .has_thread_trees = options->has_thread_trees,
                              .items_left = view->bytes / sizeof(struct store_node),
                              .frames_left = view->bytes / sizeof(struct store_frame),
                              .part_by_ref = {.arena = arena},
                              .function_by_key = {.arena = arena},
                              .seen = {.arena = arena}};
    tree_init(&merged->tree, arena);
    int error = names_init(&merged->names, arena, view);
    if (!error) error = find_threads(merged);
    if (!error) error = merge_threads(merged);
    if (!error) error = rank(merged);
    return error;
}

/* SPDX-License-Identifier: MIT
 *
 * Four passes over one thread: read its nodes (a parent comes before its children), add its open
 * frames, walk the tree once to see which nodes are inner activations of a function already above
 * them, and sum up. Time in children is the children's, so that Self adds up to the roots' Total to
 * the tick; calls of folded functions, which are nobody's children, are subtracted where the
 * recorder noted them. Runs anywhere. */
#include "report/calls.h"

#include <errno.h>

struct call_node {
    struct part *part; /* NULL: the thread itself, or the root of the folded */
    const struct store_node *record;
    bool is_read; /* the record's counters, which its thread may change meanwhile: once for all */
    uint32_t parent, first_child, next_sibling;
    uint32_t open, inherited;
    bool is_folded;
    bool is_inner; /* below another activation of its function */
    uint64_t count, total_ticks, min_ticks, max_ticks;
    uint64_t nested_ticks; /* folded: of total_ticks, inside another activation */
    uint64_t open_ticks, open_outer_ticks;
    uint64_t child_ticks;
    uint64_t missing_ticks; /* what its callees took beyond its own time */
};

struct calls {
    struct merged *merged;
    struct merged_thread *thread;
    uint32_t thread_number;
    struct call_node *nodes; /* [0] is the thread itself */
    uint32_t count;
    uint32_t folded_root;       /* INDEX_NONE = none */
    uint64_t folded_root_ticks; /* folded calls that no other call encloses */
    struct index by_ref;
};

static uint64_t minus(uint64_t a, uint64_t b) { return a > b ? a - b : 0; }

static struct merged_function *function_of(const struct calls *calls, const struct call_node *node)
{
    return &calls->merged->functions[node->part->function];
}

static uint64_t folded_below(const struct calls *calls, const struct store_node *record)
{
    const uint64_t *ticks = view_at(calls->merged->view, record->folded_children, sizeof(uint64_t));
    return ticks ? __atomic_load_n(ticks, __ATOMIC_RELAXED) : 0;
}

/* Samples that were recorded outside the tree have no Self and no place. */
static void add_samples(struct part *part, const struct store_node *record)
{
    struct sums sums = {.ended = record->count,
                        .ended_ticks = record->total_ticks,
                        .total_ticks = record->total_ticks,
                        .min_ticks = record->count ? record->min_ticks : UINT64_MAX,
                        .max_ticks = record->max_ticks};
    sums_add(&part->sums, &sums);
}

static void read_folded(const struct calls *calls, struct call_node *node)
{
    const struct store_folded *folded =
        view_at(calls->merged->view, node->part->record->folded, sizeof *folded);
    if (!folded) return;
    node->nested_ticks = folded->nested_ticks;
    node->child_ticks = sums_plus(node->child_ticks, folded->child_ticks);
}

struct counters {
    uint64_t count, total_ticks, min_ticks, max_ticks;
};

enum {
    TRIES = 64,       /* a thread that is faster each time is not waited for */
    MOST_ENDING = 64, /* a store that tells more is damaged */
};

/* Of one moment, as well as can be: no call ended between the first and the last load. */
static struct counters read_counters(const struct store_node *record)
{
    struct counters now;
    for (int try = 0; try < TRIES; try++) {
        now.count = __atomic_load_n(&record->count, __ATOMIC_ACQUIRE);
        now.total_ticks = __atomic_load_n(&record->total_ticks, __ATOMIC_ACQUIRE);
        now.min_ticks = __atomic_load_n(&record->min_ticks, __ATOMIC_ACQUIRE);
        now.max_ticks = __atomic_load_n(&record->max_ticks, __ATOMIC_ACQUIRE);
        if (__atomic_load_n(&record->count, __ATOMIC_RELAXED) == now.count) break;
    }
    return now;
}

static void keep_counters(const struct calls *calls, struct call_node *node, struct counters now)
{
    if (node->is_read) return;
    node->is_read = true;
    node->count = now.count;
    node->total_ticks = now.total_ticks;
    node->min_ticks = now.min_ticks;
    node->max_ticks = now.max_ticks;
    node->child_ticks = sums_plus(node->child_ticks, folded_below(calls, node->record));
    if (node->is_folded) read_folded(calls, node);
}

static struct part *part_of(const struct calls *calls, store_ref function)
{
    uint32_t at = index_find(&calls->merged->part_by_ref, function);
    if (at == INDEX_NONE || calls->merged->parts[at].thread != calls->thread_number) return NULL;
    return &calls->merged->parts[at];
}

static int add_node(struct calls *calls, const struct store_node *record, store_ref ref)
{
    struct call_node *node = &calls->nodes[calls->count];
    *node = (struct call_node){.record = record};
    if (ref == calls->thread->record->folded_root) {
        calls->folded_root = calls->count;
        return index_put(&calls->by_ref, ref, calls->count++);
    }
    node->part = part_of(calls, record->function);
    if (!node->part) return 0;                                /* damaged: nothing is known of it */
    if (function_of(calls, node)->kind != STORE_KIND_SCOPE) { /* never in the tree */
        node->part->outside = record;
        node->part->sums.ended = __atomic_load_n(&record->count, __ATOMIC_ACQUIRE);
        return 0;
    }
    if (!record->parent && (record->address & STORE_MARK_CATEGORY)) {
        add_samples(node->part, record);
        return 0;
    }
    uint32_t parent = index_find(&calls->by_ref, record->parent);
    node->parent = parent == INDEX_NONE ? 0 : parent;
    node->is_folded = calls->folded_root != INDEX_NONE && node->parent == calls->folded_root;
    node->part->in_tree = true;
    return index_put(&calls->by_ref, ref, calls->count++);
}

static uint64_t count_nodes(struct calls *calls)
{
    struct view_items items = {.segment = calls->thread->record->nodes};
    uint64_t n = 0;
    while (calls->merged->items_left && view_next_node(calls->merged->view, &items)) {
        calls->merged->items_left--;
        n++;
    }
    return n;
}

static int read_nodes(struct calls *calls)
{
    const struct store_recorder *recorder = calls->thread->record;
    uint64_t most = count_nodes(calls) + 2; /* with the thread itself */
    calls->nodes =
        most <= INT32_MAX ? arena_alloc(calls->merged->scratch, most * sizeof *calls->nodes) : NULL;
    if (!calls->nodes) return -ENOMEM;
    calls->nodes[calls->count++] = (struct call_node){0};
    if (index_put(&calls->by_ref, recorder->root, 0)) return -ENOMEM;
    struct view_items items = {.segment = recorder->nodes};
    const struct store_node *record;
    while (--most && (record = view_next_node(calls->merged->view, &items))) {
        if (items.ref == recorder->root) calls->folded_root_ticks = folded_below(calls, record);
        if (index_find(&calls->by_ref, items.ref) != INDEX_NONE)
            continue; /* the root, or a circle */
        int error = add_node(calls, record, items.ref);
        if (error) return error;
    }
    return 0;
}

static bool is_inherited(const struct call_node *node)
{
    return node->record->address & STORE_MARK_INHERITED;
}

/* An open call, entered from the node `caller`. is_nested: another one of its function encloses it.
 */
static void add_open(struct calls *calls, uint32_t at, uint32_t caller, uint64_t start_ticks)
{
    struct call_node *node = &calls->nodes[at];
    struct merged_function *function = function_of(calls, node);
    uint64_t ticks = minus(calls->thread->end_ticks, start_ticks);
    bool is_nested = function->seen_on == calls->merged->stack_serial;
    function->seen_on = calls->merged->stack_serial;
    node->open++;
    node->inherited += is_inherited(node);
    node->open_ticks += ticks;
    if (!is_nested) node->open_outer_ticks += ticks;
    if (!node->is_folded) return;
    if (caller)
        calls->nodes[caller].child_ticks += ticks;
    else
        calls->folded_root_ticks += ticks;
}

/* An open call of a thread that may be running: its frame and its node's counters of one moment, so
 * that it is not among those that have ended. True: it is open, and *at is its node (INDEX_NONE:
 * none that is known); else it has ended. */
static bool read_open(struct calls *calls, const struct store_frame *frame, uint32_t *at,
                      uint64_t *start_ticks)
{
    for (int try = 0; try < TRIES; try++) {
        if (!__atomic_load_n(&frame->sp, __ATOMIC_ACQUIRE)) return false;
        *start_ticks = __atomic_load_n(&frame->start_ticks, __ATOMIC_ACQUIRE);
        *at = index_find(&calls->by_ref, __atomic_load_n(&frame->node, __ATOMIC_ACQUIRE));
        bool is_known = *at != INDEX_NONE && calls->nodes[*at].part;
        struct counters now = {0};
        if (is_known) now = read_counters(calls->nodes[*at].record);
        /* A frame is whole when it has an sp again, so the start tells another call. */
        if (!__atomic_load_n(&frame->sp, __ATOMIC_ACQUIRE)) return false;
        if (__atomic_load_n(&frame->start_ticks, __ATOMIC_RELAXED) != *start_ticks) continue;
        if (is_known)
            keep_counters(calls, &calls->nodes[*at], now);
        else
            *at = INDEX_NONE; /* damaged, or not yet whole */
        return true;
    }
    return false;
}

/* The call that left this slot has been told as open, and its end is not counted yet: its thread
 * stands just between. */
static void add_ending(struct calls *calls, const struct store_stack *stack, uint32_t slot,
                       uint32_t caller)
{
    uint64_t bytes = (slot + UINT64_C(1)) * sizeof(struct store_frame);
    const struct store_frame *frame =
        view_at(calls->merged->view, __atomic_load_n(&stack->frames, __ATOMIC_ACQUIRE), bytes);
    if (!frame || slot >= stack->capacity) return;
    frame += slot;
    uint64_t start_ticks = __atomic_load_n(&frame->start_ticks, __ATOMIC_ACQUIRE);
    uint32_t at = index_find(&calls->by_ref, __atomic_load_n(&frame->node, __ATOMIC_ACQUIRE));
    if (at == INDEX_NONE || !calls->nodes[at].part) return;
    struct call_node *node = &calls->nodes[at];
    uint64_t told = __atomic_load_n(&node->record->told, __ATOMIC_RELAXED);
    if (!told || is_inherited(node) || (start_ticks & STORE_FRAME_MUTED)) return;
    keep_counters(calls, node, read_counters(node->record));
    if (__atomic_load_n(&frame->start_ticks, __ATOMIC_ACQUIRE) != start_ticks) return;
    if (told > node->count + node->open) add_open(calls, at, caller, start_ticks);
}

static void add_stack(struct calls *calls, const struct store_stack *stack)
{
    uint32_t open, caller = 0, i = 1;
    const struct store_frame *frames = view_frames(calls->merged->view, stack, &open);
    calls->merged->stack_serial++;
    for (; i <= open && calls->merged->frames_left; i++) {
        uint32_t at;
        uint64_t start_ticks;
        if (!read_open(calls, &frames[i], &at, &start_ticks)) break;
        calls->merged->frames_left--;
        if (at == INDEX_NONE || (start_ticks & STORE_FRAME_MUTED)) continue;
        add_open(calls, at, caller, start_ticks);
        caller = at;
        uint32_t function = calls->nodes[at].part->function;
        if (!calls->merged->functions[function].category)
            calls->thread->open_calls[calls->thread->open_count++] = function;
    }
    add_ending(calls, stack, i, caller);
}

/* Nodes without an open call; and what an earlier report told of each holds: the difference is a
 * call whose end is not counted yet. */
static void read_rest(struct calls *calls)
{
    for (uint32_t i = 1; i < calls->count; i++) {
        struct call_node *node = &calls->nodes[i];
        if (!node->part) continue;
        keep_counters(calls, node, read_counters(node->record));
        if (is_inherited(node)) continue;
        uint64_t now = node->count + node->open;
        uint64_t told = __atomic_load_n(&node->record->told, __ATOMIC_RELAXED);
        if (told > now && told - now <= MOST_ENDING)
            node->open += (uint32_t)(told - now);
        else if (node->open && calls->merged->view->is_live)
            __atomic_store_n(&((struct store_node *)(uintptr_t)node->record)->told, now,
                             __ATOMIC_RELAXED);
    }
}

static int read_frames(struct calls *calls)
{
    struct merged *merged = calls->merged;
    const struct store_stack *stack = NULL;
    const struct store_recorder *recorder = calls->thread->record;
    uint64_t steps = 0, most = 0;
    while ((stack = view_next_stack(merged->view, recorder, stack, &steps))) {
        uint32_t open = 0;
        if (stack->in_use) (void)view_frames(merged->view, stack, &open); /* the number alone */
        most += open;
        if (most > merged->frames_left) break;
    }
    if (most > merged->frames_left) most = merged->frames_left;
    uint64_t left = merged->frames_left - most;
    merged->frames_left = most; /* what open_calls has room for */
    calls->thread->open_calls = arena_alloc(merged->arena, most * sizeof(uint32_t) + 1);
    if (!calls->thread->open_calls) return -ENOMEM;
    for (steps = 0, stack = NULL;
         (stack = view_next_stack(merged->view, recorder, stack, &steps));) {
        if (!merge_is_new(merged, stack)) break; /* a circle */
        if (stack->in_use) add_stack(calls, stack);
    }
    merged->frames_left += left;
    return 0;
}

static void link_children(struct calls *calls)
{
    for (uint32_t i = calls->count; i-- > 1;) { /* backwards, so that the lists run forwards */
        struct call_node *node = &calls->nodes[i], *parent = &calls->nodes[node->parent];
        node->next_sibling = parent->first_child;
        parent->first_child = i;
    }
}

static void enter(struct calls *calls, struct call_node *node)
{
    if (node->part) node->is_inner = function_of(calls, node)->active++ > 0;
}

static void leave(struct calls *calls, struct call_node *node)
{
    if (node->part) function_of(calls, node)->active--;
}

/* One walk in preorder that knows at each node which functions are active above it. Number 0 is the
 * thread, nobody's child, so it ends every list. */
static void find_inner(struct calls *calls)
{
    uint32_t at = calls->nodes[0].first_child;
    while (at) {
        struct call_node *node = &calls->nodes[at];
        enter(calls, node);
        if (node->first_child) {
            at = node->first_child;
            continue;
        }
        leave(calls, node);
        while (!node->next_sibling && node->parent) {
            node = &calls->nodes[node->parent];
            leave(calls, node);
        }
        at = node->next_sibling;
    }
}

/* Children first, since they come after their parents. A call can't be shorter than its callees;
 * where it seems so, it is one that the recorder does not time (inherited from before a fork) or
 * that another thread is in just now, and it gets what they took. */
static void add_to_parents(struct calls *calls)
{
    for (uint32_t i = calls->count; i-- > 1;) {
        struct call_node *node = &calls->nodes[i];
        if (node->is_folded || !node->part) continue;
        uint64_t own = sums_plus(node->total_ticks, node->open_ticks);
        node->missing_ticks = minus(node->child_ticks, own);
        struct call_node *parent = &calls->nodes[node->parent];
        parent->child_ticks = sums_plus(parent->child_ticks, sums_plus(own, node->missing_ticks));
    }
}

static struct sums sums_of(const struct call_node *node)
{
    uint64_t own = sums_plus(node->total_ticks, node->open_ticks);
    return (struct sums){.ended = node->count,
                         .open = node->open,
                         .inherited = node->inherited,
                         .ended_ticks = node->total_ticks,
                         .self_ticks = minus(own, node->child_ticks),
                         .min_ticks = node->count ? node->min_ticks : UINT64_MAX,
                         .max_ticks = node->count ? node->max_ticks : 0};
}

static void add_to_part(struct calls *calls, const struct call_node *node, struct sums sums)
{
    uint64_t ended = minus(node->total_ticks, node->nested_ticks);
    uint64_t other = sums_plus(node->open_outer_ticks, node->missing_ticks);
    sums.total_ticks = node->is_inner ? 0 : sums_plus(ended, other);
    sums_add(&node->part->sums, &sums);
    calls->merged->calls = sums_plus(calls->merged->calls, sums.ended + sums.open - sums.inherited);
}

/* A node's Total is its own: only folded nodes have activations inside each other. */
static void set_node_total(const struct call_node *node, struct sums *sums)
{
    sums->total_ticks =
        node->is_folded
            ? sums_plus(minus(node->total_ticks, node->nested_ticks), node->open_outer_ticks)
            : sums_plus(sums_plus(node->total_ticks, node->open_ticks), node->missing_ticks);
}

static int add_to_tree(struct calls *calls, struct tree *tree)
{
    uint32_t *place = arena_alloc(calls->merged->scratch, calls->count * sizeof *place);
    if (!place) return -ENOMEM;
    place[0] = INDEX_NONE;
    for (uint32_t i = 1; i < calls->count; i++) {
        const struct call_node *node = &calls->nodes[i];
        uint32_t function = node->part ? node->part->function : INDEX_NONE;
        bool is_folded = node->is_folded || !node->part;
        place[i] = tree_make_child(tree, place[node->parent], function, is_folded);
        if (place[i] == INDEX_NONE) return -ENOMEM;
        struct sums sums = SUMS_INIT;
        if (node->part) {
            sums = sums_of(node);
            set_node_total(node, &sums);
        } else {
            sums.total_ticks = calls->folded_root_ticks;
        }
        sums_add(&tree->nodes[place[i]].sums, &sums);
    }
    return 0;
}

int calls_merge(struct merged *merged, uint32_t thread)
{
    struct calls calls = {.merged = merged,
                          .thread = &merged->threads[thread],
                          .thread_number = thread,
                          .folded_root = INDEX_NONE,
                          .by_ref = {.arena = merged->scratch}};
    int error = read_nodes(&calls);
    if (!error) error = read_frames(&calls);
    if (error) return error;
    read_rest(&calls);
    link_children(&calls);
    find_inner(&calls);
    add_to_parents(&calls);
    for (uint32_t i = 1; i < calls.count; i++) {
        if (calls.nodes[i].part) add_to_part(&calls, &calls.nodes[i], sums_of(&calls.nodes[i]));
    }
    error = add_to_tree(&calls, &merged->tree);
    if (error || !merged->has_thread_trees) return error;
    calls.thread->tree = arena_alloc(merged->arena, sizeof *calls.thread->tree);
    if (!calls.thread->tree) return -ENOMEM;
    tree_init(calls.thread->tree, merged->arena);
    return add_to_tree(&calls, calls.thread->tree);
}

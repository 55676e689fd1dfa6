/* SPDX-License-Identifier: MIT
 *
 * Making nodes. A node is whole before the table or a reader can find it; an interruption at any
 * point (a handler that longjmps away included) leaves a valid tree, at worst with a node that
 * nothing finds. Runs on the owner's slow paths. */
#include "record/tree.h"

#include "record/category.h"
#include "record/func.h"
#include "record/recorder.h"
#include "record/space.h"
#include "record/tree_hot.h"

#include <errno.h>
#include <string.h>

enum { FIRST_NODES = 64, MOST_NODES_A_SEGMENT = 8192, FIRST_SLOTS = 256 };

/* What stands in a node's address and not in its function's. */
#define NODE_MARKS (STORE_MARK_FOLDED | STORE_MARK_INHERITED | STORE_MARK_LAP)

static int make_table(struct control *block, uint32_t capacity, store_ref **slots)
{
    store_ref ref = space_alloc(block, (uint64_t)capacity * sizeof(store_ref));
    if (!ref) return -ENOMEM;
    *slots = (store_ref *)(void *)(block->base + (uint64_t)ref * STORE_UNIT);
    return 0;
}

static void insert(const struct control *block, store_ref *slots, uint64_t mask, store_ref ref)
{
    const struct store_node *node = tree_node(block->base, ref);
    uint64_t i = tree_slot(node->parent, node->address);
    while (slots[i & mask]) i += tree_stride(node->address);
    slots[i & mask] = ref;
}

/* Doubles the table. At most a quarter of it is ever used: the hooks look at one slot before they
 * go the longer way, and tree_find ends. */
static int grow_table(struct control *block)
{
    store_ref *slots;
    uint32_t capacity = block->slots_capacity * 2;
    int error = make_table(block, capacity, &slots);
    if (error) return error;
    for (uint32_t i = 0; i < block->slots_capacity; i++) {
        if (block->slots[i]) insert(block, slots, capacity - 1, block->slots[i]);
    }
    /* A handler's calls go slow while we are busy, so nobody probes between these stores. Releases
     * pair with the acquires in recorder_forget_code, which takes the capacity first. */
    __atomic_store_n(&block->slots, slots, __ATOMIC_RELEASE);
    block->slots_mask = capacity - 1;
    __atomic_store_n(&block->slots_capacity, capacity, __ATOMIC_RELEASE);
    return 0;
}

static store_ref add_node(struct control *block, store_ref parent, uint64_t address,
                          store_ref function)
{
    struct store_recorder *recorder = block->recorder;
    struct space_list list = {&recorder->nodes,          &block->nodes_tail, STORE_SEGMENT_NODES,
                              sizeof(struct store_node), FIRST_NODES,        MOST_NODES_A_SEGMENT};
    store_ref ref = space_next_item(block, &list);
    if (!ref) return 0;
    struct store_node *node = tree_node(block->base, ref);
    *node = (struct store_node){
        .address = address, .parent = parent, .min_ticks = UINT64_MAX, .function = function};
    space_publish(block, block->nodes_tail);
    __atomic_store_n(&recorder->node_count, recorder->node_count + 1, __ATOMIC_RELEASE);
    return ref;
}

static store_ref new_node(struct control *block, store_ref parent, uint64_t address)
{
    store_ref function = address ? func_make(block, address & ~NODE_MARKS) : 0;
    if (address & STORE_ADDRESS_MASK && !function) return 0;
    return add_node(block, parent, address, function);
}

store_ref tree_outside(struct control *block, uint64_t address)
{
    return new_node(block, 0, address);
}

store_ref tree_make_apart(struct control *block, store_ref function)
{
    return add_node(block, 0, func_at(block->base, function)->address, function);
}

static store_ref make_child(struct control *block, store_ref parent, uint64_t address)
{
    if (block->slots_used * 4 >= block->slots_capacity && grow_table(block)) return 0;
    store_ref ref = new_node(block, parent, address);
    if (!ref) return 0;
    insert(block, block->slots, block->slots_mask, ref);
    block->slots_used++;
    return ref;
}

int tree_init(struct control *block)
{
    int error = make_table(block, FIRST_SLOTS, &block->slots);
    if (error) return error;
    block->slots_capacity = FIRST_SLOTS;
    block->slots_mask = FIRST_SLOTS - 1;
    store_ref root = new_node(block, 0, 0);
    block->recorder->root = root;
    return root ? 0 : -ENOMEM;
}

/* The side record of a function, made before its folded node: who finds the node relies on it. */
static bool make_side(struct control *block, uint64_t address)
{
    store_ref ref = func_make(block, address & ~NODE_MARKS);
    if (!ref) return false;
    struct store_function *function = func_at(block->base, ref);
    if (function->folded) return true;
    store_ref side = space_alloc(block, sizeof(struct store_folded));
    __atomic_store_n(&function->folded, side, __ATOMIC_RELEASE);
    return side != 0;
}

/* The node that stands for all further paths of a function, with its side record. */
store_ref tree_folded(struct control *block, uint64_t address)
{
    struct store_recorder *recorder = block->recorder;
    if (!recorder->folded_root) {
        recorder->folded_root = make_child(block, recorder->root, STORE_MARK_FOLDED);
        if (!recorder->folded_root) return 0;
    }
    uint64_t marked = address | STORE_MARK_FOLDED;
    store_ref ref = tree_find(block, recorder->folded_root, marked);
    if (ref) return ref;
    if (!make_side(block, address)) return 0;
    ref = make_child(block, recorder->folded_root, marked);
    if (!ref) return 0;
    struct store_folded *side = tree_folded_record(block, ref);
    if (!side->node) side->node = ref;
    return ref;
}

store_ref tree_child(struct control *block, store_ref parent, uint64_t address)
{
    const struct store_node *above = tree_node(block->base, parent);
    if (!tree_is_folded(above)) {
        store_ref ref = tree_find(block, parent, address);
        if (ref) return ref;
        if (block->recorder->node_count < recorder_settings()->max_nodes) {
            return make_child(block, parent, address);
        }
    }
    return tree_folded(block, address);
}

void tree_mark(struct store_node *node, uint64_t mark)
{
    __atomic_store_n(&node->address, node->address | mark, __ATOMIC_RELEASE);
}

void tree_widen_slow(struct store_node *node, uint64_t ticks)
{
    uint64_t seen = node->min_ticks;
    while (ticks < seen && !__atomic_compare_exchange_n(&node->min_ticks, &seen, ticks, false,
                                                        __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
    seen = node->max_ticks;
    while (ticks > seen && !__atomic_compare_exchange_n(&node->max_ticks, &seen, ticks, false,
                                                        __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
}

void tree_add(struct store_node *node, uint64_t ticks)
{
    node->count += 1;
    node->total_ticks += ticks;
    if (ticks < node->min_ticks || ticks > node->max_ticks) tree_widen_slow(node, ticks);
}

static double number(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static void add_values(struct store_node *node, const struct store_node *more)
{
    double sum = (node->count ? number(node->total_ticks) : 0) + number(more->total_ticks);
    if (!node->count || number(more->min_ticks) < number(node->min_ticks))
        node->min_ticks = more->min_ticks;
    if (!node->count || number(more->max_ticks) > number(node->max_ticks))
        node->max_ticks = more->max_ticks;
    memcpy(&node->total_ticks, &sum, sizeof sum);
}

static void add_counts(struct control *block, struct store_node *node, int64_t n)
{
    int64_t sum;
    if (__builtin_add_overflow((int64_t)node->total_ticks, n, &sum)) {
        sum = n > 0 ? INT64_MAX : INT64_MIN;
        func_at(block->base, node->function)->flags |= STORE_FUNCTION_SATURATED;
    }
    node->total_ticks = (uint64_t)sum;
}

void tree_add_node(struct control *block, struct store_node *node, const struct store_node *more)
{
    enum store_kind kind = STORE_KIND_SCOPE;
    if (node->address & STORE_MARK_CATEGORY) kind = category_kind(node->address);
    if (kind == STORE_KIND_COUNT) {
        add_counts(block, node, (int64_t)more->total_ticks);
    } else if (kind == STORE_KIND_VALUE) {
        add_values(node, more);
    } else {
        if (__builtin_add_overflow(node->total_ticks, more->total_ticks, &node->total_ticks))
            node->total_ticks = UINT64_MAX;
        tree_widen_slow(node, more->min_ticks);
        tree_widen_slow(node, more->max_ticks);
    }
    node->count += more->count;
}

struct store_folded *tree_folded_record(const struct control *block, store_ref node)
{
    const struct store_function *function =
        func_at(block->base, tree_node(block->base, node)->function);
    return (struct store_folded *)(void *)tree_node(block->base, function->folded);
}

/* Which functions are open in the part of a path that has nodes of its own? One path is remembered,
 * node by node, and counted in its functions. The next one asked for mostly shares all but its last
 * nodes with it, so a question costs about what was called since the one before, however deep that
 * is. A function's count is void where its epoch is not the path's. */
static void path_count(struct control *block, store_ref ref, uint32_t change)
{
    const struct store_node *node = tree_node(block->base, ref);
    if (!node->function) return;
    struct store_function *function = func_at(block->base, node->function);
    if (function->path_epoch != block->path_epoch) function->on_path = 0;
    function->path_epoch = block->path_epoch;
    function->on_path += change;
}

/* How many nodes of the path there are down to this one, 0 where it is not on it. A child is made
 * after its parent, and refs ascend. */
static uint32_t path_find(const struct control *block, store_ref ref)
{
    const store_ref *path = space_at(block, block->path);
    uint32_t low = 0, high = block->path_length;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (path[middle] == ref) return middle + 1;
        if (path[middle] < ref)
            low = middle + 1;
        else
            high = middle;
    }
    return 0;
}

static bool path_grow(struct control *block, uint32_t length)
{
    if (length <= block->path_capacity) return true;
    uint32_t capacity = 2 * length;
    store_ref ref = space_alloc(block, (uint64_t)capacity * sizeof ref);
    if (!ref) return false;
    memcpy(space_at(block, ref), space_at(block, block->path), block->path_length * sizeof ref);
    block->path = ref;
    block->path_capacity = capacity;
    return true;
}

/* Makes the path that of `end`; false without memory. */
static bool path_go(struct control *block, store_ref end)
{
    uint32_t kept = 0, added = 0;
    if (block->path_changes || !block->path_epoch) { /* a handler of a trap left it for good */
        block->path_epoch++;
        block->path_length = 0;
    }
    block->path_changes = 1;
    SIGNAL_FENCE();
    for (store_ref at = end; at; at = tree_node(block->base, at)->parent) {
        kept = path_find(block, at);
        if (kept) break;
        added++;
    }
    const store_ref *old = space_at(block, block->path);
    while (block->path_length > kept) path_count(block, old[--block->path_length], UINT32_MAX);
    bool has_room = path_grow(block, kept + added);
    store_ref *path = space_at(block, block->path);
    for (uint32_t i = kept + added; has_room && i > kept; i--) {
        path[i - 1] = end;
        path_count(block, end, 1);
        end = tree_node(block->base, end)->parent;
    }
    if (has_room) block->path_length = kept + added;
    SIGNAL_FENCE();
    block->path_changes = 0;
    return has_room;
}

bool tree_is_within(struct control *block, store_ref from, store_ref function)
{
    if (path_go(block, from)) {
        const struct store_function *record = func_at(block->base, function);
        return record->path_epoch == block->path_epoch && record->on_path > 0;
    }
    for (store_ref at = from; at; at = tree_node(block->base, at)->parent) {
        if (tree_node(block->base, at)->function == function) return true;
    }
    return false;
}

uint32_t tree_enter_folded(struct control *block, store_ref node, const struct store_frame *above)
{
    struct store_folded *folded = tree_folded_record(block, node);
    store_ref function = tree_node(block->base, node)->function;
    bool is_above_folded = tree_is_folded(tree_node(block->base, above->node));
    store_ref outer = above->node;
    if (is_above_folded) outer = (store_ref)above->expected & ~(uint32_t)STORE_FRAME_FLAGS;
    bool is_nested = folded->active > 0 || tree_is_within(block, outer, function);
    folded->active++;
    return outer | (is_nested ? (uint32_t)STORE_FRAME_NESTED : 0);
}

void tree_add_folded_child(struct control *block, store_ref parent, uint64_t ticks)
{
    struct store_node *node = tree_node(block->base, parent);
    if (tree_is_folded(node)) {
        tree_folded_record(block, parent)->child_ticks += ticks;
        return;
    }
    if (!node->folded_children) {
        store_ref sum = space_alloc(block, sizeof(uint64_t));
        if (!sum) return; /* the time stays in the parent's Self */
        __atomic_store_n(&node->folded_children, sum, __ATOMIC_RELEASE);
    }
    *(uint64_t *)(void *)(block->base + (uint64_t)node->folded_children * STORE_UNIT) += ticks;
}

void tree_exit_folded(struct control *block, store_ref node, store_ref parent, uint32_t frame_flags,
                      uint64_t ticks)
{
    struct store_folded *folded = tree_folded_record(block, node);
    if (folded->active) folded->active--;
    if (frame_flags & STORE_FRAME_NESTED) folded->nested_ticks += ticks;
    tree_add_folded_child(block, parent, ticks);
}

/* SPDX-License-Identifier: MIT
 *
 * Function records: found by address in a table of their own, since a function has many nodes but
 * one histogram. Runs on the owner's slow paths. */
#include "record/func.h"

#include "base/hash.h"
#include "clock/clock.h"
#include "record/category.h"
#include "record/recorder.h"
#include "record/ring.h"
#include "record/space.h"
#include "stats/hist_hot.h"

enum { FIRST_FUNCTIONS = 8, MOST_FUNCTIONS_A_SEGMENT = 256, FIRST_SLOTS = 64 };

static void insert(const uint8_t *base, store_ref *slots, uint32_t capacity, store_ref ref)
{
    uint64_t i = hash_u64(func_at(base, ref)->address);
    while (slots[i & (capacity - 1)]) i++;
    slots[i & (capacity - 1)] = ref;
}

static bool grow_table(struct control *block)
{
    uint32_t capacity = block->function_slots_capacity;
    uint32_t larger = capacity ? capacity * 2 : FIRST_SLOTS;
    store_ref ref = space_alloc(block, (uint64_t)larger * sizeof(store_ref));
    if (!ref) return false;
    store_ref *slots = (store_ref *)(void *)(block->base + (uint64_t)ref * STORE_UNIT);
    for (uint32_t i = 0; i < capacity; i++) {
        if (block->function_slots[i]) insert(block->base, slots, larger, block->function_slots[i]);
    }
    /* Releases pair with the acquires in func_forget. */
    __atomic_store_n(&block->function_slots, slots, __ATOMIC_RELEASE);
    __atomic_store_n(&block->function_slots_capacity, larger, __ATOMIC_RELEASE);
    return true;
}

static store_ref find(const struct control *block, uint64_t address)
{
    if (!block->function_slots_capacity) return 0;
    uint32_t mask = block->function_slots_capacity - 1;
    for (uint64_t i = hash_u64(address);; i++) {
        store_ref ref = block->function_slots[i & mask];
        if (!ref || func_at(block->base, ref)->address == address) return ref;
    }
}

store_ref func_make_apart(struct control *block, uint64_t address, uint32_t flags)
{
    struct space_list list = {
        &block->recorder->functions,   &block->functions_tail, STORE_SEGMENT_FUNCTIONS,
        sizeof(struct store_function), FIRST_FUNCTIONS,        MOST_FUNCTIONS_A_SEGMENT};
    store_ref ref = space_next_item(block, &list);
    if (!ref) return 0;
    struct store_function *function = func_at(block->base, ref);
    function->address = address;
    function->flags = flags;
    bool is_ns = address & STORE_MARK_CATEGORY && category_kind(address) == STORE_KIND_NS;
    if (is_ns) function->flags |= STORE_FUNCTION_NANOSECONDS;
    function->number = block->function_count++;
    function->first_ticks = clock_now((enum clock_source)recorder_settings()->clock_source);
    space_publish(block, block->functions_tail);
    return ref;
}

store_ref func_make(struct control *block, uint64_t address)
{
    store_ref ref = find(block, address);
    if (ref) return ref;
    if (block->function_slots_used * 2 >= block->function_slots_capacity && !grow_table(block)) {
        return 0;
    }
    ref = func_make_apart(block, address, 0);
    if (!ref) return 0;
    insert(block->base, block->function_slots, block->function_slots_capacity, ref);
    block->function_slots_used++;
    return ref;
}

/* The blocks of short calls are made together: the hooks find a counter among them by one sum. */
static void make_counters(struct control *block, struct store_function *function, uint32_t number)
{
    uint32_t first = number < STORE_NEAR_BLOCKS ? 0 : number;
    uint32_t blocks = number < STORE_NEAR_BLOCKS ? STORE_NEAR_BLOCKS : 1;
    uint64_t bytes = STORE_BLOCK_BUCKETS * sizeof(uint64_t);
    store_ref ref = space_alloc(block, blocks * bytes);
    if (!ref) return;
    for (uint32_t i = blocks; i > 0; i--) {
        store_ref at = ref + (store_ref)((i - 1) * bytes / STORE_UNIT);
        __atomic_store_n(&function->blocks[first + i - 1], at, __ATOMIC_RELEASE);
    }
}

uint64_t *func_counters(struct control *block, struct store_function *function, uint32_t number)
{
    if (!function->blocks[number]) make_counters(block, function, number);
    store_ref counters = function->blocks[number];
    if (!counters) return NULL;
    return (uint64_t *)(void *)(block->base + (uint64_t)counters * STORE_UNIT);
}

void func_count(struct control *block, struct store_function *function, uint32_t bucket)
{
    uint64_t *counters = func_counters(block, function, bucket / STORE_BLOCK_BUCKETS);
    if (counters)
        counters[bucket % STORE_BLOCK_BUCKETS] += 1;
    else
        recorder_count_lost(LOST_SAMPLES, 1);
}

void func_record(struct control *block, store_ref ref, uint64_t ticks)
{
    struct store_function *function = func_at(block->base, ref);
    func_count(block, function, hist_bucket(ticks));
    uint32_t limit = recorder_settings()->function_samples;
    bool is_category = function->address & STORE_MARK_CATEGORY;
    if (is_category) limit = recorder_settings()->max_samples;
    if (limit) ring_add(block, function, ticks, limit);
    /* Its scopes go the straight line to a ring, laps don't. */
    bool is_lap = function->flags & STORE_FUNCTION_LAP;
    if (is_category && !is_lap) category_note_ring(block, function);
}

void func_forget(struct control *block, uint64_t low, uint64_t high)
{
    /* Pair with the releases in grow_table: the table is at least as large as the capacity. */
    uint32_t capacity = __atomic_load_n(&block->function_slots_capacity, __ATOMIC_ACQUIRE);
    const store_ref *slots = __atomic_load_n(&block->function_slots, __ATOMIC_ACQUIRE);
    for (uint32_t i = 0; i < capacity; i++) {
        if (!slots[i]) continue;
        struct store_function *function = func_at(block->base, slots[i]);
        if (function->address < low || function->address >= high) continue;
        __atomic_store_n(&function->address, function->address | STORE_MARK_UNLOADED,
                         __ATOMIC_RELEASE);
    }
}

static const struct func_laps *watched;

void func_watch(const struct func_laps *laps)
{
    /* Release pairs with the acquire in find_watched. */
    __atomic_store_n(&watched, laps, __ATOMIC_RELEASE);
}

static const struct func_lap *find_watched(uint64_t address)
{
    const struct func_laps *list = __atomic_load_n(&watched, __ATOMIC_ACQUIRE);
    uint32_t low = 0, high = list ? list->count : 0;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (list->items[middle].address == address) return &list->items[middle];
        if (list->items[middle].address < address)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

uint64_t func_mark(uint64_t address)
{
    return find_watched(address) ? address | STORE_MARK_LAP : address;
}

const char *func_lap_name(uint64_t address)
{
    const struct func_lap *found = find_watched(address);
    return found ? found->name : NULL;
}

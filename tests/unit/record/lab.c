/* SPDX-License-Identifier: MIT
 *
 * Opening and closing a recorder under test, and a plain reader of what it holds. */
#include "lab.h"

#include "clock/clock.h"
#include "record/frames.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

struct lab lab;

void lab_open_store(struct recorder_options wanted)
{
    const struct store_options memory = {.pid = (uint32_t)getpid()};
    assert_int_equal(store_create(&lab.store, &memory), 0);
    lab.reserved_bytes = lab.store.reserved_bytes;
    wanted.store = &lab.store;
    if (!wanted.max_nodes) wanted.max_nodes = 1 << 20;
    if (!wanted.max_depth) wanted.max_depth = 1 << 20;
    if (!wanted.max_threads) wanted.max_threads = 256;
    if (!wanted.max_samples) wanted.max_samples = 1000;
    if (!wanted.sample_bytes) wanted.sample_bytes = 1 << 30;
    if (!wanted.clock_source) wanted.clock_source = (uint32_t)clock_choose(CLOCK_WISH_TSC);
    recorder_configure(&wanted);
    assert_non_null(control_process());
    control_process()->pid = (uint32_t)getpid();
}

static void open_on(struct recorder_options wanted, uintptr_t low, uintptr_t high)
{
    lab_open_store(wanted);
    const struct recorder_thread thread = {
        .tid = (uint32_t)gettid(), .stack_low = low, .stack_high = high, .name = "lab"};
    assert_int_equal(recorder_attach(&thread), 0);
    lab.block = control;
}

void lab_open(struct recorder_options wanted) { open_on(wanted, LAB_LOW, LAB_HIGH); }

void lab_open_here(struct recorder_options wanted) { open_on(wanted, 0, UINTPTR_MAX); }

int lab_close(void **state)
{
    (void)state;
    control = &control_none;
    control_wipe();
    if (lab.store.base) lab.store.reserved_bytes = lab.reserved_bytes;
    store_abandon(&lab.store);
    lab = (struct lab){.block = NULL};
    recorder_configure(&(struct recorder_options){.store = NULL});
    return 0;
}

void lab_exhaust(void)
{
    lab.store.reserved_bytes = lab.store.mapped_bytes;
    while (store_alloc(&lab.store, 4096, 8)) {
    }
    while (store_alloc(&lab.store, 8, 8)) {
    }
    if (lab.block) lab.block->extent = lab.block->extent_end;
}

void lab_replenish(void)
{
    lab.store.reserved_bytes = lab.reserved_bytes;
    lab.store.refused_bytes = 0;
}

void lab_enter(uint64_t address, uintptr_t sp, uint64_t start)
{
    struct control *block = lab.block;
    assert_true(control_begin(block, sp));
    frames_enter(block, address, sp);
    if (!block->too_deep) block->top->start_ticks = start; /* else the call is lost */
    control_end(block);
}

void lab_exit(uint64_t address, uintptr_t sp, uint64_t now)
{
    assert_true(control_begin(lab.block, sp));
    frames_exit(lab.block, address, sp, now);
    control_end(lab.block);
}

const void *lab_at(const struct control *block, store_ref ref)
{
    return block->base + (uint64_t)ref * 8;
}

uint32_t lab_depth(void)
{
    const struct store_frame *frames = lab_at(lab.block, lab.block->stack->frames);
    return (uint32_t)(lab.block->top - frames);
}

uint64_t lab_lost(enum lost_kind kind) { return lab.block->recorder->lost[kind]; }

/* Items stand behind the segment's 64 bytes. */
static const void *nth_item(const struct control *block, store_ref segment, uint64_t bytes,
                            uint32_t i)
{
    while (segment) {
        const struct store_segment *head = lab_at(block, segment);
        assert_true(head->used <= head->capacity);
        if (i < head->used) return (const char *)head + 64 + i * bytes;
        i -= head->used;
        segment = head->next;
    }
    return NULL;
}

const struct store_node *lab_nth_node(const struct control *block, uint32_t i)
{
    return nth_item(block, block->recorder->nodes, sizeof(struct store_node), i);
}

const struct store_function *lab_nth_function(const struct control *block, uint32_t i)
{
    return nth_item(block, block->recorder->functions, sizeof(struct store_function), i);
}

static bool has_path(const struct control *block, const struct store_node *node,
                     const uint64_t *path, size_t length)
{
    while (length > 0) {
        if (!node->parent || node->address != path[length - 1]) return false;
        node = lab_at(block, node->parent);
        length--;
    }
    return !node->parent && node->address == 0;
}

const struct store_node *lab_node(const struct control *block, const uint64_t *path, size_t length)
{
    const struct store_node *found = NULL, *node;
    for (uint32_t i = 0; (node = lab_nth_node(block, i)); i++) {
        if (!has_path(block, node, path, length)) continue;
        assert_null(found);
        found = node;
    }
    return found;
}

const struct store_node *lab_folded(const struct control *block, uint64_t address)
{
    return lab_node(block, (const uint64_t[]){STORE_MARK_FOLDED, address | STORE_MARK_FOLDED}, 2);
}

const struct store_function *lab_function(const struct control *block, uint64_t address)
{
    const struct store_function *found = NULL, *function;
    for (uint32_t i = 0; (function = lab_nth_function(block, i)); i++) {
        if (function->address != address) continue;
        assert_null(found);
        found = function;
    }
    return found;
}

uint64_t lab_bucket(const struct control *block, const struct store_function *function,
                    uint32_t bucket)
{
    store_ref counters = function->blocks[bucket / 64];
    return counters ? ((const uint64_t *)lab_at(block, counters))[bucket % 64] : 0;
}

uint64_t lab_histogram_sum(const struct control *block, const struct store_function *function)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < STORE_BUCKETS; i++) sum += lab_bucket(block, function, i);
    return sum;
}

uint32_t lab_bucket_of(uint64_t ticks)
{
    uint32_t msb = 0;
    for (uint64_t rest = ticks; rest > 1; rest /= 2) msb++;
    uint32_t shift = msb > 8 ? msb - 8 : 0;
    return shift * 256 + (uint32_t)(ticks >> shift);
}

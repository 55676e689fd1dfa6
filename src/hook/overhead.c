/* SPDX-License-Identifier: MIT
 *
 * The hooks run on a toy recorder of one function that lies outside the store; signals are blocked
 * meanwhile. The least of several batches is taken: what disturbs a batch only adds. It is an
 * estimate: caches and branches are as warm as they get. */
#include "hook/overhead.h"

#include "base/file.h"
#include "clock/clock_hot.h"
#include "hook/hook.h"
#include "record/recorder.h"
#include "stats/hist_hot.h"

enum { BATCHES = 8, CALLS = 128, SLOTS = 4 };

/* All refs are relative to the start of this struct. */
struct toy {
    _Alignas(64) struct store_node none, root, node;
    struct store_function function;
    uint64_t counters[STORE_NEAR_TICKS];
    struct store_frame frames[4];
    store_ref slots[SLOTS];
    struct control block;
};

#define REF(member) ((store_ref)(offsetof(struct toy, member) / STORE_UNIT))

static void make(struct toy *toy, uint64_t address)
{
    toy->root = (struct store_node){.min_ticks = UINT64_MAX};
    toy->node = (struct store_node){.address = address,
                                    .parent = REF(root),
                                    .min_ticks = 0,
                                    .max_ticks = UINT64_MAX,
                                    .function = REF(function)};
    for (int i = 0; i < STORE_BLOCKS; i++) toy->function.blocks[i] = REF(counters);
    toy->frames[0] = (struct store_frame){.sp = UINTPTR_MAX,
                                          .node = REF(root),
                                          .expected = address << 32 | REF(node),
                                          .expected_address = address};
    toy->block = (struct control){.top = toy->frames,
                                  .frames = toy->frames,
                                  .frames_bytes = 3 * sizeof(struct store_frame),
                                  .base = (uint8_t *)toy,
                                  .stack_bytes = UINTPTR_MAX,
                                  .slots = toy->slots,
                                  .slots_mask = SLOTS - 1,
                                  .in_use = 1};
}

static uint64_t batch(void *function)
{
    uint64_t start = clock_counter();
    for (int i = 0; i < CALLS; i++) {
        hook_enter(function, NULL);
        hook_exit(function, NULL);
    }
    return clock_counter() - start;
}

/* Too large for the stack of a first event's caller. */
static struct toy toy;

/* One thread measures for a store; a report that is made just then has next to nothing. */
static bool claim(struct store_head *head)
{
    uint64_t none = 0;
    return __atomic_compare_exchange_n(&head->overhead_ticks_1024, &none, 1, false,
                                       __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

void overhead_measure(void)
{
    struct control *own = control;
    const struct store *store = recorder_settings()->store;
    struct store_head *head = store_head(store);
    if (head->overhead_ticks_1024 || own->always_slow) return;
    struct file_guard guard;
    file_guard(&guard);
    if (!claim(head)) {
        file_unguard(&guard);
        return;
    }
    toy = (struct toy){.slots = {0}};
    make(&toy, (uintptr_t)overhead_measure);
    control = &toy.block;
    uint64_t least = UINT64_MAX;
    for (int i = 0; i < BATCHES; i++) {
        uint64_t ticks = batch((void *)(uintptr_t)overhead_measure);
        if (ticks < least) least = ticks;
    }
    control = own;
    file_unguard(&guard);
    head->overhead_ticks_1024 = least * 1024 / CALLS;
}

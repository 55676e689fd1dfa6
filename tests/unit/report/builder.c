/* SPDX-License-Identifier: MIT
 *
 * Records are taken one after the other from the end of what is used; lists are linked at their
 * end. */
#include "builder.h"

#include "clock/clock.h"
#include "stats/hist_hot.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

void builder_init(struct builder *builder, uint64_t capacity)
{
    *builder = (struct builder){.capacity = capacity};
    builder->base =
        mmap(NULL, capacity, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (builder->base == MAP_FAILED) abort();
    struct store_head *head = builder_head(builder);
    memcpy(head->magic, STORE_MAGIC, sizeof head->magic);
    head->version = STORE_VERSION;
    head->byte_order = STORE_BYTE_ORDER;
    head->head_bytes = sizeof(struct store_head);
    head->node_bytes = sizeof(struct store_node);
    head->function_bytes = sizeof(struct store_function);
    head->frame_bytes = sizeof(struct store_frame);
    head->recorder_bytes = sizeof(struct store_recorder);
    head->module_bytes = sizeof(struct store_module);
    strcpy(head->stint_version, "0.1.0");
    strcpy(head->run, "4242:77");
    head->pid = 4242;
    head->parent_pid = 4200;
    head->clock_source = CLOCK_NS;
    head->used_bytes = head->file_bytes = STORE_HEAD_BYTES;
}

void builder_fini(struct builder *builder) { munmap(builder->base, builder->capacity); }

struct store_head *builder_head(const struct builder *builder)
{
    return (struct store_head *)builder->base;
}

void *builder_at(const struct builder *builder, store_ref ref)
{
    return builder->base + (uint64_t)ref * STORE_UNIT;
}

uint64_t builder_used(const struct builder *builder) { return builder_head(builder)->used_bytes; }

store_ref builder_alloc(struct builder *builder, uint64_t bytes)
{
    struct store_head *head = builder_head(builder);
    uint64_t at = head->used_bytes;
    head->used_bytes = head->file_bytes = at + ((bytes + 7) & ~(uint64_t)7);
    if (head->used_bytes > builder->capacity) abort();
    return (store_ref)(at / STORE_UNIT);
}

store_ref builder_text(struct builder *builder, const char *text, uint32_t bytes)
{
    store_ref ref = builder_alloc(builder, sizeof(struct store_text) + bytes + 1);
    struct store_text *copy = builder_at(builder, ref);
    copy->bytes = bytes;
    memcpy(copy->data, text, bytes);
    return ref;
}

struct store_module *builder_module(struct builder *builder, const char *path, uint64_t low,
                                    uint64_t high)
{
    store_ref ref = builder_alloc(builder, sizeof(struct store_module));
    struct store_module *module = builder_at(builder, ref);
    module->path = builder_text(builder, path, (uint32_t)strlen(path));
    module->low = module->bias = low;
    module->high = high;
    if (builder->last_module) {
        struct store_module *last = builder_at(builder, builder->last_module);
        last->next = ref;
        module->id = last->id + 1;
    } else {
        builder_head(builder)->modules = ref;
    }
    builder->last_module = ref;
    return module;
}

static store_ref segment(struct builder *builder, uint32_t kind, uint32_t capacity,
                         uint64_t item_bytes)
{
    store_ref ref = builder_alloc(builder, sizeof(struct store_segment) + capacity * item_bytes);
    struct store_segment *made = builder_at(builder, ref);
    made->kind = kind;
    made->capacity = capacity;
    return ref;
}

static store_ref next_item(struct builder *builder, store_ref first, uint64_t item_bytes)
{
    struct store_segment *found = builder_at(builder, first);
    if (found->used == found->capacity) abort();
    return (store_ref)(first + (sizeof *found + found->used++ * item_bytes) / STORE_UNIT);
}

static store_ref empty_node(struct builder *builder, struct store_recorder *recorder)
{
    store_ref ref = next_item(builder, recorder->nodes, sizeof(struct store_node));
    struct store_node *node = builder_at(builder, ref);
    node->min_ticks = UINT64_MAX;
    recorder->node_count++;
    return ref;
}

struct store_recorder *builder_recorder(struct builder *builder, uint32_t nodes, uint32_t functions)
{
    store_ref ref = builder_alloc(builder, sizeof(struct store_recorder));
    struct store_recorder *recorder = builder_at(builder, ref);
    recorder->generations = 1;
    recorder->tid = 4242;
    strcpy(recorder->name, "app");
    recorder->nodes = segment(builder, STORE_SEGMENT_NODES, nodes + 2, sizeof(struct store_node));
    recorder->functions =
        segment(builder, STORE_SEGMENT_FUNCTIONS, functions, sizeof(struct store_function));
    recorder->root = empty_node(builder, recorder);
    if (builder->last_recorder) {
        struct store_recorder *last = builder_at(builder, builder->last_recorder);
        last->next = ref;
        recorder->id = last->id + 1;
        recorder->tid = last->tid + 1;
    } else {
        builder_head(builder)->recorders = ref;
    }
    builder->last_recorder = ref;
    return recorder;
}

store_ref builder_function(struct builder *builder, struct store_recorder *recorder,
                           uint64_t address)
{
    store_ref ref = next_item(builder, recorder->functions, sizeof(struct store_function));
    struct store_function *function = builder_at(builder, ref);
    function->address = address;
    const struct store_segment *list = builder_at(builder, recorder->functions);
    function->number = list->used - 1;
    return ref;
}

store_ref builder_category(struct builder *builder, struct store_recorder *recorder,
                           const char *name)
{
    store_ref text = builder_text(builder, name, (uint32_t)strlen(name));
    return builder_function(builder, recorder, STORE_MARK_CATEGORY | text);
}

store_ref builder_kind(struct builder *builder, struct store_recorder *recorder, const char *name,
                       uint32_t kind)
{
    store_ref ref = builder_category(builder, recorder, name);
    struct store_function *function = builder_at(builder, ref);
    function->address |= (uint64_t)kind << STORE_KIND_SHIFT;
    if (kind == STORE_KIND_NS) function->flags = STORE_FUNCTION_NANOSECONDS;
    return ref;
}

store_ref builder_node(struct builder *builder, struct store_recorder *recorder, store_ref parent,
                       store_ref function)
{
    store_ref ref = empty_node(builder, recorder);
    struct store_node *node = builder_at(builder, ref);
    const struct store_function *called = builder_at(builder, function);
    node->address = called->address;
    node->parent = parent;
    node->function = function;
    return ref;
}

void builder_call(struct builder *builder, store_ref ref, uint64_t duration)
{
    struct store_node *node = builder_at(builder, ref);
    struct store_function *function = builder_at(builder, node->function);
    node->count++;
    node->total_ticks += duration;
    if (duration < node->min_ticks) node->min_ticks = duration;
    if (duration > node->max_ticks) node->max_ticks = duration;
    uint32_t bucket = hist_bucket(duration);
    store_ref *block = &function->blocks[bucket / STORE_BLOCK_BUCKETS];
    if (!*block) *block = builder_alloc(builder, STORE_BLOCK_BUCKETS * sizeof(uint64_t));
    uint64_t *counts = builder_at(builder, *block);
    counts[bucket % STORE_BLOCK_BUCKETS]++;
}

void builder_sample(struct builder *builder, store_ref ref, uint64_t value, uint32_t limit)
{
    struct store_function *function = builder_at(builder, ref);
    if (!function->ring) {
        function->ring = builder_alloc(builder, sizeof(struct store_ring));
        struct store_ring *made = builder_at(builder, function->ring);
        made->samples = builder_alloc(builder, limit * sizeof(uint64_t));
        made->capacity = made->limit = limit;
    }
    struct store_ring *ring = builder_at(builder, function->ring);
    uint64_t *samples = builder_at(builder, ring->samples);
    if (ring->next == limit) {
        ring->lapped += limit;
        ring->next = 0;
    }
    samples[ring->next++] = value;
}

store_ref builder_folded_root(struct builder *builder, struct store_recorder *recorder)
{
    if (recorder->folded_root) return recorder->folded_root;
    recorder->folded_root = empty_node(builder, recorder);
    struct store_node *node = builder_at(builder, recorder->folded_root);
    node->address = STORE_MARK_FOLDED;
    node->parent = recorder->root;
    return recorder->folded_root;
}

store_ref builder_folded(struct builder *builder, struct store_recorder *recorder,
                         store_ref function)
{
    store_ref root = builder_folded_root(builder, recorder);
    store_ref ref = builder_node(builder, recorder, root, function);
    struct store_node *node = builder_at(builder, ref);
    node->address |= STORE_MARK_FOLDED;
    struct store_function *called = builder_at(builder, function);
    called->folded = builder_alloc(builder, sizeof(struct store_folded));
    struct store_folded *folded = builder_at(builder, called->folded);
    folded->node = ref;
    return ref;
}

void builder_add_folded_children(struct builder *builder, store_ref ref, uint64_t ticks)
{
    struct store_node *node = builder_at(builder, ref);
    if (!node->folded_children) node->folded_children = builder_alloc(builder, sizeof(uint64_t));
    uint64_t *sum = builder_at(builder, node->folded_children);
    *sum += ticks;
}

store_ref builder_stack(struct builder *builder, struct store_recorder *recorder, uint32_t capacity)
{
    store_ref ref = builder_alloc(builder, sizeof(struct store_stack));
    struct store_stack *stack = builder_at(builder, ref);
    stack->frames = builder_alloc(builder, capacity * sizeof(struct store_frame));
    stack->capacity = capacity;
    stack->in_use = 1;
    stack->high = UINT64_MAX;
    store_ref *link = &recorder->stacks;
    while (*link) link = &((struct store_stack *)builder_at(builder, *link))->next;
    *link = ref;
    return ref;
}

void builder_frame(struct builder *builder, store_ref ref, store_ref node, uint64_t start)
{
    struct store_stack *stack = builder_at(builder, ref);
    struct store_frame *frames = builder_at(builder, stack->frames);
    uint32_t at = 1;
    while (frames[at].sp) at++;
    if (at + 1 >= stack->capacity) abort();
    frames[at] =
        (struct store_frame){.start_ticks = start, .sp = 0x7fff0000 - at * 64u, .node = node};
}

/* SPDX-License-Identifier: MIT
 *
 * Every way into a store goes through view_at, which checks that the whole record is readable;
 * every list is walked with a count of steps. Fields that a live writer publishes are loaded with
 * acquire, once. Runs anywhere; view_open outside a target. */
#include "store/view.h"

#include "base/compiler.h"
#include "base/sys.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MAX_STEPS_ALWAYS = 4, ITEMS_OFFSET = sizeof(struct store_segment) };

static store_ref load_ref(const store_ref *ref) { return __atomic_load_n(ref, __ATOMIC_ACQUIRE); }

static int check_sizes(const struct store_head *head)
{
    return head->head_bytes == sizeof(struct store_head) &&
           head->node_bytes == sizeof(struct store_node) &&
           head->function_bytes == sizeof(struct store_function) &&
           head->frame_bytes == sizeof(struct store_frame) &&
           head->recorder_bytes == sizeof(struct store_recorder) &&
           head->module_bytes == sizeof(struct store_module);
}

int view_init(struct view *view, const void *base, uint64_t bytes, struct fault *fault)
{
    const struct store_head *head = base;
    if (bytes < STORE_HEAD_BYTES) return fault_set(fault, -EINVAL, "too short to be a store");
    if (memcmp(head->magic, STORE_MAGIC, sizeof head->magic))
        return fault_set_at(fault, -EINVAL, "not a store: it does not begin with STINTSTO", 0);
    if (head->byte_order != STORE_BYTE_ORDER)
        return fault_set(fault, -EINVAL, "the store was written in the other byte order");
    if (head->version != STORE_VERSION || !check_sizes(head))
        return fault_set(fault, -EINVAL, "the store was written by another version of stint");
    uint64_t used = __atomic_load_n(&head->used_bytes, __ATOMIC_ACQUIRE);
    if (used < STORE_HEAD_BYTES) return fault_set(fault, -EINVAL, "the store was never begun");
    *view = (struct view){.base = base, .bytes = used < bytes ? used : bytes};
    return 0;
}

static int map_file(struct view *view, int fd, struct fault *fault)
{
    long size = sys_call3(SYS_lseek, fd, 0, SEEK_END);
    if (size < 0) return fault_set(fault, (int)size, "the store's size can't be told");
    if (size < STORE_HEAD_BYTES) return fault_set(fault, -EINVAL, "too short to be a store");
    long at = sys_call6(SYS_mmap, 0, size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (at < 0 && at > -4096) return fault_set(fault, (int)at, "the store can't be mapped");
    int error = view_init(view, (const void *)at, (uint64_t)size, fault);
    if (error) {
        (void)sys_call2(SYS_munmap, at, size); /* ours, can't fail */
        return error;
    }
    view->mapping = (void *)at;
    view->mapped_bytes = (uint64_t)size;
    return 0;
}

int view_open(struct view *view, const char *path, struct fault *fault)
{
    /* O_NONBLOCK: a FIFO must not make us wait */
    long fd = sys_call4(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0);
    if (fd < 0) return fault_set(fault, (int)fd, "the store can't be opened");
    int error = map_file(view, (int)fd, fault);
    (void)sys_call1(SYS_close, fd); /* read only, nothing to lose */
    return error;
}

void view_close(struct view *view)
{
    if (view->mapping) (void)sys_call2(SYS_munmap, view->mapping, view->mapped_bytes);
    *view = (struct view){0};
}

static uint64_t readable(const struct view *view)
{
    if (LIKELY(!view->is_live)) return view->bytes;
    return __atomic_load_n(&view_head(view)->used_bytes, __ATOMIC_ACQUIRE);
}

const void *view_at(const struct view *view, store_ref ref, uint64_t bytes)
{
    uint64_t offset = (uint64_t)ref * STORE_UNIT, end = readable(view);
    if (!ref || offset > end || bytes > end - offset) return NULL;
    return view->base + offset;
}

const struct store_head *view_head(const struct view *view)
{
    return (const struct store_head *)view->base;
}

const char *view_text(const struct view *view, store_ref ref, uint32_t *bytes)
{
    const struct store_text *text = view_at(view, ref, sizeof *text);
    if (!text) return NULL;
    uint64_t left = readable(view) - (uint64_t)(text->data - (const char *)view->base);
    uint32_t length = text->bytes;
    *bytes = length < left ? length : (uint32_t)left;
    return text->data;
}

/* The record at ref as one more step of a walk; NULL when the walk is longer than it can be. */
static const void *step_to(const struct view *view, store_ref ref, uint64_t bytes, uint64_t *steps)
{
    if ((*steps)++ > readable(view) / bytes + MAX_STEPS_ALWAYS) return NULL;
    return view_at(view, ref, bytes);
}

const struct store_module *view_next_module(const struct view *view,
                                            const struct store_module *previous, uint64_t *steps)
{
    const store_ref *link = previous ? &previous->next : &view_head(view)->modules;
    return step_to(view, load_ref(link), sizeof *previous, steps);
}

const struct store_recorder *
view_next_recorder(const struct view *view, const struct store_recorder *previous, uint64_t *steps)
{
    const store_ref *link = previous ? &previous->next : &view_head(view)->recorders;
    return step_to(view, load_ref(link), sizeof *previous, steps);
}

const struct store_stack *view_next_stack(const struct view *view,
                                          const struct store_recorder *recorder,
                                          const struct store_stack *previous, uint64_t *steps)
{
    const store_ref *link = previous ? &previous->next : &recorder->stacks;
    return step_to(view, load_ref(link), sizeof *previous, steps);
}

static const void *next_item(const struct view *view, struct view_items *items, uint32_t kind,
                             uint64_t item_bytes)
{
    for (;;) {
        const struct store_segment *segment =
            view_at(view, items->segment, sizeof(struct store_segment));
        if (!segment || segment->kind != kind) return NULL;
        uint32_t used = __atomic_load_n(&segment->used, __ATOMIC_ACQUIRE);
        if (items->index < used && items->index < segment->capacity) {
            uint64_t offset = ITEMS_OFFSET + items->index * item_bytes;
            uint64_t ref = items->segment + offset / STORE_UNIT;
            const void *item = ref <= UINT32_MAX ? view_at(view, (store_ref)ref, item_bytes) : NULL;
            if (item) {
                items->index++;
                items->ref = (store_ref)ref;
                return item;
            }
        }
        if (items->steps++ > readable(view) / ITEMS_OFFSET) return NULL; /* the list is a circle */
        items->segment = load_ref(&segment->next);
        items->index = 0;
    }
}

const struct store_node *view_next_node(const struct view *view, struct view_items *items)
{
    return next_item(view, items, STORE_SEGMENT_NODES, sizeof(struct store_node));
}

const struct store_function *view_next_function(const struct view *view, struct view_items *items)
{
    return next_item(view, items, STORE_SEGMENT_FUNCTIONS, sizeof(struct store_function));
}

const struct store_frame *view_frames(const struct view *view, const struct store_stack *stack,
                                      uint32_t *open)
{
    uint32_t capacity = stack->capacity;
    store_ref ref = load_ref(&stack->frames);
    *open = 0;
    const struct store_frame *frames = view_at(view, ref, sizeof *frames);
    if (!frames) return NULL;
    uint64_t whole = (readable(view) - (uint64_t)ref * STORE_UNIT) / sizeof *frames;
    uint64_t most = capacity < whole ? capacity : whole;
    uint32_t i = 1;
    while (i < most && __atomic_load_n(&frames[i].sp, __ATOMIC_ACQUIRE)) i++;
    *open = i - 1;
    return *open ? frames : NULL;
}

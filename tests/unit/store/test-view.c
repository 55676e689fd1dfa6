/* SPDX-License-Identifier: MIT
 *
 * Stores laid out by hand, whole, cut and damaged: what lies outside is not there, and every walk
 * ends. */
#include "store/view.h"

#include "../report/builder.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static struct builder store;
static struct store_recorder *recorder;
static store_ref function, outer, inner, stack;

static int lay_out(void **state)
{
    builder_init(&store, 1 << 20);
    builder_module(&store, "/lib/a", 0x1000, 0x2000);
    builder_module(&store, "/lib/b", 0x3000, 0x4000);
    recorder = builder_recorder(&store, 8, 4);
    function = builder_function(&store, recorder, 0x1100);
    outer = builder_node(&store, recorder, recorder->root, function);
    inner = builder_node(&store, recorder, outer, function);
    stack = builder_stack(&store, recorder, 8);
    builder_frame(&store, stack, outer, 10);
    builder_frame(&store, stack, inner, 20);
    builder_recorder(&store, 8, 4);
    return 0;
}

static int tear_down(void **state)
{
    builder_fini(&store);
    return 0;
}

static struct view view_of_store(void)
{
    struct view view;
    struct fault fault = {0};
    assert_int_equal(view_init(&view, store.base, builder_used(&store), &fault), 0);
    return view;
}

static int refused(void)
{
    struct view view;
    struct fault fault = {0};
    int error = view_init(&view, store.base, builder_used(&store), &fault);
    assert_int_equal(error, fault.error);
    assert_true(!error || fault.text[0]);
    return error;
}

static void what_is_no_store_is_refused(void **state)
{
    builder_head(&store)->magic[0] = 'X';
    assert_int_equal(refused(), -EINVAL);
}

static void another_byte_order_version_or_record_size_is_refused(void **state)
{
    struct store_head good = *builder_head(&store);
    builder_head(&store)->byte_order = 0x04030201;
    assert_int_equal(refused(), -EINVAL);
    *builder_head(&store) = good;
    builder_head(&store)->version++;
    assert_int_equal(refused(), -EINVAL);
    *builder_head(&store) = good;
    builder_head(&store)->node_bytes = 56;
    assert_int_equal(refused(), -EINVAL);
    *builder_head(&store) = good;
    assert_int_equal(refused(), 0);
}

static void less_than_a_head_is_refused(void **state)
{
    struct view view;
    assert_int_equal(view_init(&view, store.base, STORE_HEAD_BYTES - 1, NULL), -EINVAL);
    assert_int_equal(view_init(&view, store.base, 0, NULL), -EINVAL);
}

static void a_record_is_there_only_as_a_whole(void **state)
{
    struct view view = view_of_store();
    store_ref last = (store_ref)(view.bytes / STORE_UNIT - 1);
    assert_null(view_at(&view, 0, 8));
    assert_ptr_equal(view_at(&view, last, 8), store.base + view.bytes - 8);
    assert_null(view_at(&view, last, 16));
    assert_null(view_at(&view, last + 1, 8));
    assert_null(view_at(&view, UINT32_MAX, 8));
    assert_null(view_at(&view, last, UINT64_MAX));
}

static void a_text_is_cut_where_the_store_ends(void **state)
{
    store_ref ref = builder_text(&store, "abcdefgh", 8);
    struct view view = view_of_store();
    uint32_t bytes;
    assert_memory_equal(view_text(&view, ref, &bytes), "abcdefgh", 8);
    assert_int_equal(bytes, 8);
    view.bytes = (uint64_t)ref * STORE_UNIT + sizeof(struct store_text) + 3;
    assert_memory_equal(view_text(&view, ref, &bytes), "abc", 3);
    assert_int_equal(bytes, 3);
}

static void lists_are_walked_in_order(void **state)
{
    struct view view = view_of_store();
    uint64_t steps = 0;
    const struct store_module *module = view_next_module(&view, NULL, &steps);
    assert_int_equal(module->low, 0x1000);
    module = view_next_module(&view, module, &steps);
    assert_int_equal(module->low, 0x3000);
    assert_null(view_next_module(&view, module, &steps));
    steps = 0;
    const struct store_recorder *first = view_next_recorder(&view, NULL, &steps);
    assert_ptr_equal(first, recorder);
    const struct store_recorder *second = view_next_recorder(&view, first, &steps);
    assert_int_equal(second->id, 1);
    assert_null(view_next_recorder(&view, second, &steps));
}

static void items_are_walked_over_segments(void **state)
{
    struct store_segment *first = builder_at(&store, recorder->nodes);
    store_ref more = builder_alloc(&store, sizeof *first + 2 * sizeof(struct store_node));
    struct store_segment *second = builder_at(&store, more);
    *second = (struct store_segment){.kind = STORE_SEGMENT_NODES, .capacity = 2, .used = 1};
    first->next = more;
    struct view view = view_of_store();
    struct view_items items = {.segment = recorder->nodes};
    const store_ref expected[] = {recorder->root, outer, inner, more + 64 / STORE_UNIT};
    for (int i = 0; i < 4; i++) {
        const struct store_node *node = view_next_node(&view, &items);
        assert_int_equal(items.ref, expected[i]);
        assert_ptr_equal(node, builder_at(&store, expected[i]));
    }
    assert_null(view_next_node(&view, &items));
}

static void a_segment_of_another_kind_or_beyond_its_capacity_gives_nothing(void **state)
{
    struct view view = view_of_store();
    struct view_items items = {.segment = recorder->functions};
    assert_null(view_next_node(&view, &items));
    struct store_segment *nodes = builder_at(&store, recorder->nodes);
    nodes->used = UINT32_MAX;
    nodes->capacity = 2;
    items = (struct view_items){.segment = recorder->nodes};
    assert_non_null(view_next_node(&view, &items));
    assert_non_null(view_next_node(&view, &items));
    assert_null(view_next_node(&view, &items));
}

static void circles_end(void **state)
{
    struct store_module *module = builder_at(&store, builder_head(&store)->modules);
    module->next = builder_head(&store)->modules;
    recorder->next = builder_head(&store)->recorders;
    struct store_stack *own = builder_at(&store, stack);
    own->next = stack;
    struct store_segment *nodes = builder_at(&store, recorder->nodes);
    nodes->next = recorder->nodes;
    struct view view = view_of_store();
    uint64_t steps = 0;
    for (module = NULL; (module = (void *)view_next_module(&view, module, &steps));) {
    }
    steps = 0;
    for (const struct store_recorder *r = NULL; (r = view_next_recorder(&view, r, &steps));) {
    }
    steps = 0;
    for (const struct store_stack *s = NULL; (s = view_next_stack(&view, recorder, s, &steps));) {
    }
    struct view_items items = {.segment = recorder->nodes};
    while (view_next_node(&view, &items)) {
    }
}

static void open_frames_end_at_the_first_without_stack_address(void **state)
{
    struct view view = view_of_store();
    struct store_stack *own = builder_at(&store, stack);
    uint32_t open;
    const struct store_frame *frames = view_frames(&view, own, &open);
    assert_int_equal(open, 2);
    assert_int_equal(frames[1].node, outer);
    assert_int_equal(frames[2].start_ticks, 20);
    ((struct store_frame *)builder_at(&store, own->frames))[1].sp = 0;
    assert_null(view_frames(&view, own, &open));
    assert_int_equal(open, 0);
}

static void frames_beyond_the_end_are_not_counted(void **state)
{
    struct view view = view_of_store();
    struct store_stack *own = builder_at(&store, stack);
    own->capacity = UINT32_MAX;
    view.bytes = (uint64_t)own->frames * STORE_UNIT + 2 * sizeof(struct store_frame);
    uint32_t open;
    assert_non_null(view_frames(&view, own, &open));
    assert_int_equal(open, 1);
}

static void a_file_is_read_up_to_its_end(void **state)
{
    char path[] = "/tmp/stint-view-XXXXXX";
    int fd = mkstemp(path);
    uint64_t cut = builder_used(&store) - 5;
    assert_int_equal(write(fd, store.base, cut), cut);
    struct view view = {0};
    struct fault fault = {0};
    assert_int_equal(view_open(&view, path, &fault), 0);
    assert_int_equal(view.bytes, cut);
    assert_int_equal(view_head(&view)->pid, 4242);
    view_close(&view);
    assert_null(view.base);
    assert_int_equal(ftruncate(fd, 100), 0);
    assert_int_equal(view_open(&view, path, &fault), -EINVAL);
    close(fd);
    unlink(path);
    fault = (struct fault){0};
    assert_int_equal(view_open(&view, path, &fault), -ENOENT);
}

static void a_fifo_is_refused_without_waiting(void **state)
{
    char path[] = "/tmp/stint-view-XXXXXX";
    assert_non_null(mkdtemp(path));
    char fifo[64];
    strcpy(stpcpy(fifo, path), "/fifo");
    assert_int_equal(mkfifo(fifo, 0600), 0);
    struct view view = {0};
    struct fault fault = {0};
    assert_true(view_open(&view, fifo, &fault) < 0);
    unlink(fifo);
    rmdir(path);
}

#define IN_STORE(test) cmocka_unit_test_setup_teardown(test, lay_out, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_STORE(what_is_no_store_is_refused),
        IN_STORE(another_byte_order_version_or_record_size_is_refused),
        IN_STORE(less_than_a_head_is_refused),
        IN_STORE(a_record_is_there_only_as_a_whole),
        IN_STORE(a_text_is_cut_where_the_store_ends),
        IN_STORE(lists_are_walked_in_order),
        IN_STORE(items_are_walked_over_segments),
        IN_STORE(a_segment_of_another_kind_or_beyond_its_capacity_gives_nothing),
        IN_STORE(circles_end),
        IN_STORE(open_frames_end_at_the_first_without_stack_address),
        IN_STORE(frames_beyond_the_end_are_not_counted),
        IN_STORE(a_file_is_read_up_to_its_end),
        IN_STORE(a_fifo_is_refused_without_waiting),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

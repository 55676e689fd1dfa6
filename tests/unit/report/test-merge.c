/* SPDX-License-Identifier: MIT
 *
 * What counts as one function over threads and loads, and stores that are cut or damaged at every
 * place: a report or a fault, never a crash. */
#include "load.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

static struct builder store;
static struct store_recorder *recorder;
static json_t *report;

static int lay_out(void **state)
{
    builder_init(&store, 1 << 22);
    recorder = builder_recorder(&store, 16, 8);
    report = NULL;
    return 0;
}

static int tear_down(void **state)
{
    json_decref(report);
    builder_fini(&store);
    return 0;
}

static store_ref called(struct store_recorder *thread, uint64_t address, uint64_t first_ticks,
                        uint64_t duration)
{
    store_ref ref = builder_function(&store, thread, address);
    struct store_function *function = builder_at(&store, ref);
    function->first_ticks = first_ticks;
    store_ref node = builder_node(&store, thread, thread->root, ref);
    builder_call(&store, node, duration);
    return node;
}

static void make_report(void)
{
    report = load_report(&store, (struct report_input){.now_ticks = 100000, .thread_trees = 1});
}

static size_t functions(void) { return json_array_size(load_at(report, "functions")); }

static void a_function_of_two_threads_is_one(void **state)
{
    builder_module(&store, "/no/such/lib.so", 0x1000, 0x2000);
    struct store_recorder *second = builder_recorder(&store, 16, 8);
    called(recorder, 0x1100, 0, 100);
    called(second, 0x1100, 0, 300);
    called(second, 0x1200, 0, 1000);
    make_report();
    assert_int_equal(functions(), 2);
    json_t *both = load_named(load_at(report, "functions"), "name", "lib.so+0x100");
    assert_int_equal(load_integer(both, "id"), 1);
    assert_int_equal(load_integer(both, "Count"), 2);
    assert_true(load_ns(both, "Total_ms") == 400);
    assert_true(load_ns(both, "Min_ms") == 100);
    assert_int_equal(load_integer(report, "threads.0.functions.0.id"), 1);
    assert_int_equal(load_integer(report, "threads.0.functions.0.Count"), 1);
    assert_int_equal(load_integer(report, "threads.1.functions.0.id"), 0);
    assert_int_equal(json_array_size(load_at(report, "call_tree")), 2);
    assert_int_equal(json_array_size(load_at(report, "threads.0.call_tree")), 1);
    assert_int_equal(json_array_size(load_at(report, "threads.1.call_tree")), 2);
}

static void two_modules_at_one_address_one_after_the_other_are_told_apart(void **state)
{
    builder_module(&store, "/no/a.so", 0x1000, 0x2000)->unloaded_ticks = 500;
    builder_module(&store, "/no/b.so", 0x1000, 0x2000);
    called(recorder, 0x1100 | STORE_MARK_UNLOADED, 400, 10);
    called(recorder, 0x1100, 500, 20);
    make_report();
    assert_int_equal(functions(), 2);
    assert_true(
        load_ns(load_named(load_at(report, "functions"), "name", "a.so+0x100"), "Total_ms") == 10);
    assert_true(
        load_ns(load_named(load_at(report, "functions"), "name", "b.so+0x100"), "Total_ms") == 20);
}

static void a_module_that_was_loaded_again_elsewhere_is_the_same(void **state)
{
    struct store_module *first = builder_module(&store, "/no/a.so", 0x1000, 0x2000);
    struct store_module *second = builder_module(&store, "/no/a.so", 0x7000, 0x8000);
    first->unloaded_ticks = 500;
    first->build_id_bytes = second->build_id_bytes = 2;
    first->build_id[0] = second->build_id[0] = 0xab;
    first->build_id[1] = second->build_id[1] = 0x01;
    called(recorder, 0x1100, 400, 10);
    called(recorder, 0x7100, 600, 20);
    make_report();
    assert_int_equal(functions(), 1);
    json_t *function = load_at(report, "functions.0");
    assert_int_equal(load_integer(function, "Count"), 2);
    assert_string_equal(load_text(function, "offset"), "0x100");
    assert_string_equal(load_text(function, "module"), "/no/a.so");
    assert_string_equal(load_text(function, "build_id"), "ab01");
    assert_int_equal(json_array_size(load_at(report, "threads.0.functions")), 1);
    assert_int_equal(json_array_size(load_at(report, "call_tree")), 1);
    assert_int_equal(load_integer(report, "call_tree.0.Count"), 2);
}

static void another_build_id_is_another_module(void **state)
{
    struct store_module *first = builder_module(&store, "/no/a.so", 0x1000, 0x2000);
    struct store_module *second = builder_module(&store, "/no/a.so", 0x7000, 0x8000);
    first->build_id_bytes = second->build_id_bytes = 1;
    second->build_id[0] = 7;
    called(recorder, 0x1100, 0, 10);
    called(recorder, 0x7100, 0, 20);
    make_report();
    assert_int_equal(functions(), 2);
}

static void recursion_over_two_loads_is_recursion(void **state)
{
    builder_module(&store, "/no/a.so", 0x1000, 0x2000)->unloaded_ticks = 500;
    builder_module(&store, "/no/a.so", 0x7000, 0x8000);
    store_ref outer = called(recorder, 0x1100, 400, 1000);
    store_ref again = builder_function(&store, recorder, 0x7100);
    builder_call(&store, builder_node(&store, recorder, outer, again), 100);
    make_report();
    assert_int_equal(functions(), 1);
    assert_true(load_ns(report, "functions.0.Total_ms") == 1000);
    assert_int_equal(load_integer(report, "functions.0.Count"), 2);
}

static void a_function_without_module_is_its_address(void **state)
{
    called(recorder, 0xabc, 0, 10);
    make_report();
    assert_string_equal(load_text(report, "functions.0.name"), "0xabc");
    assert_false(load_has(report, "functions.0.module"));
    assert_false(load_has(report, "functions.0.build_id"));
}

static void functions_are_sorted_by_self(void **state)
{
    for (uint64_t i = 1; i <= 8; i++) called(recorder, 0x100 * i, 0, i * 37 % 11 * 100);
    make_report();
    for (size_t i = 0; i < 8; i++) {
        json_t *all = load_at(report, "functions");
        assert_int_equal(load_integer(json_array_get(all, i), "id"), i);
        if (i)
            assert_true(load_real(json_array_get(all, i - 1), "Self_ms") >=
                        load_real(json_array_get(all, i), "Self_ms"));
    }
}

static void names_of_categories_that_differ_only_in_bad_bytes_are_one_key(void **state)
{
    const char *const names[] = {"caf\xe9", "caf\xe8"};
    for (int i = 0; i < 2; i++) {
        store_ref category = builder_category(&store, recorder, names[i]);
        builder_call(&store, builder_node(&store, recorder, recorder->root, category), 10);
    }
    make_report(); /* duplicate keys are refused there */
    assert_int_equal(load_integer(report, "categories.caf\xef\xbf\xbd.Count"), 2);
}

static void a_record_that_no_node_refers_to_is_no_function(void **state)
{
    builder_function(&store, recorder, STORE_MARK_FOLDED);
    builder_category(&store, recorder, "never");
    called(recorder, 0x100, 0, 10);
    make_report();
    assert_int_equal(functions(), 1);
    assert_int_equal(json_array_size(load_at(report, "threads.0.functions")), 1);
    assert_int_equal(json_object_size(load_at(report, "categories")), 0);
    assert_int_equal(json_object_size(load_at(report, "threads.0.categories")), 0);
}

static void a_node_without_function_is_skipped_and_its_children_are_not(void **state)
{
    store_ref lost = called(recorder, 0x100, 0, 1000);
    store_ref child = builder_function(&store, recorder, 0x200);
    builder_call(&store, builder_node(&store, recorder, lost, child), 100);
    ((struct store_node *)builder_at(&store, lost))->function = 3;
    make_report();
    json_t *found = load_named(load_at(report, "functions"), "name", "0x200");
    assert_true(load_ns(found, "Total_ms") == 100);
    assert_true(json_is_null(load_at(report, "call_tree.0.parent")));
}

static void a_parent_that_comes_later_is_no_parent(void **state)
{
    store_ref first = called(recorder, 0x100, 0, 1000);
    store_ref second = called(recorder, 0x200, 0, 100);
    ((struct store_node *)builder_at(&store, first))->parent = second;
    ((struct store_node *)builder_at(&store, second))->parent = first;
    make_report();
    assert_int_equal(json_array_size(load_at(report, "call_tree")), 2);
    assert_true(json_is_null(load_at(report, "call_tree.0.parent")));
    assert_int_equal(load_integer(report, "call_tree.1.parent"), 0);
}

/* One of everything. */
static void lay_out_everything(void)
{
    builder_fini(&store);
    builder_init(&store, 1 << 20);
    struct store_head *head = builder_head(&store);
    head->executable = builder_text(&store, "/bin/app", 8);
    head->arguments = builder_text(&store, "app\0-x", 6);
    head->host = builder_text(&store, "box", 3);
    head->ending = (struct store_ending){
        .kind = STORE_ENDING_SIGNAL, .signal = 11, .recorder = 1, .frames = 2, .ticks = 90000};
    head->ending.backtrace = builder_alloc(&store, 16);
    builder_module(&store, "/no/a.so", 0x1000, 0x2000);
    builder_module(&store, "/no/b.so", 0x3000, 0x4000)->build_id_bytes = 20;
    recorder = builder_recorder(&store, 4, 3);
    store_ref node = called(recorder, 0x1100, 0, 500);
    called(recorder, 0x3100, 0, 700000);
    store_ref category = builder_category(&store, recorder, "Load");
    builder_call(&store, builder_node(&store, recorder, 0, category), 40);
    builder_sample(&store, category, 40, 2);
    store_ref stack = builder_stack(&store, recorder, 4);
    builder_frame(&store, stack, node, 2000);
    struct store_recorder *second = builder_recorder(&store, 3, 1);
    store_ref function = builder_function(&store, second, 0x1100);
    store_ref folded = builder_folded(&store, second, function);
    builder_call(&store, folded, 30);
    builder_add_folded_children(&store, second->root, 30);
    builder_frame(&store, builder_stack(&store, second, 4), folded, 3000);
}

/* A copy that ends where memory ends, so that one byte too many is a fault. */
static const uint8_t *copy_before_the_end(uint64_t bytes)
{
    enum { ROOM = 1 << 20 };
    static uint8_t *room;
    if (!room) {
        room = mmap(NULL, ROOM + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        assert_int_equal(mprotect(room + ROOM, 4096, PROT_NONE), 0);
    }
    return memcpy(room + ROOM - bytes, store.base, bytes);
}

static int write_anyhow(uint64_t bytes, int fd)
{
    struct report_input input = {.thread_trees = 1, .is_killed = 1};
    struct fault fault = {0};
    int error = view_init(&input.view, copy_before_the_end(bytes), bytes, &fault);
    return error ? error : report_write_to(&input, fd, NULL, &fault);
}

static void a_store_cut_anywhere_still_gives_a_report(void **state)
{
    lay_out_everything();
    int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
    for (uint64_t bytes = 0; bytes <= builder_used(&store); bytes += 8)
        assert_int_equal(write_anyhow(bytes, fd) == 0, bytes >= STORE_HEAD_BYTES);
    close(fd);
}

static void any_word_may_be_junk(void **state)
{
    lay_out_everything();
    int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
    uint64_t used = builder_used(&store);
    const uint32_t junk[] = {0, 1, STORE_HEAD_BYTES / STORE_UNIT, (uint32_t)(used / STORE_UNIT - 1),
                             UINT32_MAX};
    for (uint64_t at = 0; at < used; at += 4) {
        if (at == sizeof(struct store_head)) at = STORE_HEAD_BYTES;
        uint32_t *word = (uint32_t *)(store.base + at), good = *word;
        for (size_t j = 0; j < sizeof junk / sizeof *junk; j++) {
            *word = junk[j];
            (void)write_anyhow(used, fd); /* a fault is as good as a report */
        }
        *word = (uint32_t)(at / STORE_UNIT); /* a ref to itself */
        (void)write_anyhow(used, fd);
        *word = good;
    }
    assert_int_equal(write_anyhow(used, fd), 0);
    close(fd);
}

#define IN_STORE(test) cmocka_unit_test_setup_teardown(test, lay_out, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_STORE(a_function_of_two_threads_is_one),
        IN_STORE(two_modules_at_one_address_one_after_the_other_are_told_apart),
        IN_STORE(a_module_that_was_loaded_again_elsewhere_is_the_same),
        IN_STORE(another_build_id_is_another_module),
        IN_STORE(recursion_over_two_loads_is_recursion),
        IN_STORE(a_function_without_module_is_its_address),
        IN_STORE(functions_are_sorted_by_self),
        IN_STORE(names_of_categories_that_differ_only_in_bad_bytes_are_one_key),
        IN_STORE(a_record_that_no_node_refers_to_is_no_function),
        IN_STORE(a_node_without_function_is_skipped_and_its_children_are_not),
        IN_STORE(a_parent_that_comes_later_is_no_parent),
        IN_STORE(a_store_cut_anywhere_still_gives_a_report),
        IN_STORE(any_word_may_be_junk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT
 *
 * One thread's calls, laid out by hand with durations whose sums can be done in the head: one tick
 * is a nanosecond. Addresses without a module name the functions: 0x100 is "0x100". */
#include "load.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

enum { NOW = 100000 };

static struct builder store;
static struct store_recorder *recorder;
static json_t *report;

static int lay_out(void **state)
{
    builder_init(&store, 1 << 22);
    recorder = builder_recorder(&store, 32, 8);
    report = NULL;
    return 0;
}

static int tear_down(void **state)
{
    json_decref(report);
    builder_fini(&store);
    return 0;
}

static store_ref function(uint64_t address) { return builder_function(&store, recorder, address); }

static store_ref node(store_ref parent, store_ref called)
{
    return builder_node(&store, recorder, parent ? parent : recorder->root, called);
}

static void make_report(void)
{
    report = load_report(&store, (struct report_input){.now_ticks = NOW});
}

static json_t *named(const char *name)
{
    return load_named(load_at(report, "functions"), "name", name);
}

static void has_times(json_t *statistics, int64_t count, double total_ns, double self_ns)
{
    assert_int_equal(load_integer(statistics, "Count"), count);
    assert_true(load_ns(statistics, "Total_ms") == total_ns);
    assert_true(load_ns(statistics, "Self_ms") == self_ns);
}

static void self_is_total_without_children(void **state)
{
    store_ref a = function(0x100), b = function(0x200), c = function(0x300);
    store_ref in_a = node(0, a), in_b = node(in_a, b), in_c = node(in_b, c);
    builder_call(&store, in_c, 10);
    builder_call(&store, in_c, 20);
    builder_call(&store, in_b, 100);
    builder_call(&store, in_a, 1000);
    make_report();
    has_times(named("0x100"), 1, 1000, 900);
    has_times(named("0x200"), 1, 100, 70);
    has_times(named("0x300"), 2, 30, 30);
}

static void recursion_is_counted_once_in_total_and_each_time_in_count(void **state)
{
    store_ref a = function(0x100);
    store_ref first = node(0, a), second = node(first, a), third = node(second, a);
    builder_call(&store, third, 100);
    builder_call(&store, second, 300);
    builder_call(&store, first, 1000);
    make_report();
    has_times(named("0x100"), 3, 1000, 1000);
    assert_true(load_ns(named("0x100"), "Min_ms") == 100);
    assert_true(load_ns(named("0x100"), "Max_ms") == 1000);
    assert_true(load_ns(named("0x100"), "Avg_ms") == 466.667);
}

static void mutual_recursion_counts_each_function_once(void **state)
{
    store_ref a = function(0x100), b = function(0x200);
    store_ref a1 = node(0, a), b1 = node(a1, b), a2 = node(b1, a), b2 = node(a2, b);
    builder_call(&store, b2, 10);
    builder_call(&store, a2, 100);
    builder_call(&store, b1, 1000);
    builder_call(&store, a1, 10000);
    make_report();
    has_times(named("0x100"), 2, 10000, 9000 + 90);
    has_times(named("0x200"), 2, 1000, 900 + 10);
}

static void siblings_are_not_inside_each_other(void **state)
{
    store_ref a = function(0x100), b = function(0x200);
    store_ref first = node(0, a);
    store_ref below = node(first, b);
    store_ref again = node(0, b);
    builder_call(&store, below, 50);
    builder_call(&store, first, 100);
    builder_call(&store, again, 70);
    make_report();
    has_times(named("0x200"), 2, 120, 120);
}

static void an_open_call_lasts_until_now(void **state)
{
    store_ref a = function(0x100), b = function(0x200);
    store_ref in_a = node(0, a), in_b = node(in_a, b);
    store_ref stack = builder_stack(&store, recorder, 8);
    builder_call(&store, in_b, 500);
    builder_frame(&store, stack, in_a, NOW - 10000);
    builder_frame(&store, stack, in_b, NOW - 2000);
    make_report();
    has_times(named("0x100"), 1, 10000, 7500);
    has_times(named("0x200"), 2, 2500, 2500);
    assert_int_equal(load_integer(named("0x100"), "Open"), 1);
    assert_false(load_has(named("0x100"), "Avg_ms"));
    assert_false(load_has(named("0x100"), "percentiles"));
    assert_false(load_has(named("0x100"), "histogram"));
    assert_true(load_ns(named("0x200"), "Avg_ms") == 500);
    json_t *open = load_at(report, "threads.0.open_calls");
    assert_int_equal(json_array_size(open), 2);
    assert_int_equal(load_integer(open, "0"), load_integer(named("0x100"), "id"));
    assert_int_equal(load_integer(open, "1"), load_integer(named("0x200"), "id"));
}

static void an_open_recursion_adds_only_its_outermost_call(void **state)
{
    store_ref a = function(0x100);
    store_ref first = node(0, a), second = node(first, a);
    store_ref stack = builder_stack(&store, recorder, 8);
    builder_call(&store, second, 700);
    builder_frame(&store, stack, first, NOW - 9000);
    builder_frame(&store, stack, second, NOW - 1000);
    make_report();
    has_times(named("0x100"), 3, 9000, 9000);
    assert_int_equal(load_integer(named("0x100"), "Open"), 2);
}

/* Its frame stands on the node of the call around it. */
static void a_muted_call_is_not_there(void **state)
{
    store_ref a = function(0x100), b = function(0x200);
    store_ref in_a = node(0, a), in_b = node(in_a, b);
    store_ref stack = builder_stack(&store, recorder, 8);
    builder_frame(&store, stack, in_a, NOW - 9000);
    builder_frame(&store, stack, in_a, STORE_FRAME_MUTED | 0x300);
    builder_frame(&store, stack, in_b, NOW - 1000);
    make_report();
    has_times(named("0x100"), 1, 9000, 8000);
    has_times(named("0x200"), 1, 1000, 1000);
    assert_int_equal(json_array_size(load_at(report, "threads.0.open_calls")), 2);
}

static void an_inherited_call_is_open_and_not_counted(void **state)
{
    store_ref a = function(0x100), b = function(0x200);
    store_ref in_a = node(0, a), in_b = node(in_a, b);
    store_ref stack = builder_stack(&store, recorder, 8);
    builder_call(&store, in_b, 300);
    struct store_node *inherited = builder_at(&store, in_a);
    inherited->address |= STORE_MARK_INHERITED;
    builder_frame(&store, stack, in_a, NOW - 5000);
    make_report();
    has_times(named("0x100"), 0, 5000, 4700);
    assert_int_equal(load_integer(named("0x100"), "Open"), 1);
    assert_int_equal(load_integer(report, "overhead.calls"), 1);
}

static void a_call_that_nobody_timed_lasts_as_long_as_its_callees(void **state)
{
    store_ref a = function(0x100), b = function(0x200), c = function(0x300);
    store_ref in_a = node(0, a), in_b = node(in_a, b), in_c = node(in_b, c);
    builder_call(&store, in_c, 300);
    builder_call(&store, in_c, 50);
    make_report();
    has_times(named("0x100"), 0, 350, 0);
    has_times(named("0x200"), 0, 350, 0);
    has_times(named("0x300"), 2, 350, 350);
    has_times(load_at(report, "call_tree.0"), 0, 350, 0);
}

static void a_stack_that_is_not_in_use_has_no_open_calls(void **state)
{
    store_ref a = function(0x100), in_a = node(0, a);
    store_ref stack = builder_stack(&store, recorder, 8);
    builder_call(&store, in_a, 5);
    builder_frame(&store, stack, in_a, 10);
    ((struct store_stack *)builder_at(&store, stack))->in_use = 0;
    make_report();
    has_times(named("0x100"), 1, 5, 5);
    assert_false(load_has(named("0x100"), "Open"));
}

static void open_calls_of_an_exited_thread_end_with_it(void **state)
{
    store_ref a = function(0x100), in_a = node(0, a);
    store_ref stack = builder_stack(&store, recorder, 8);
    builder_frame(&store, stack, in_a, 1000);
    recorder->state = STORE_THREAD_EXITED;
    recorder->ended_ticks = 4000;
    make_report();
    has_times(named("0x100"), 1, 3000, 3000);
    assert_string_equal(load_text(report, "threads.0.state"), "exited");
    assert_true(load_ns(report, "threads.0.lifetime_ms") == 4000);
}

static void a_call_that_starts_after_now_lasts_no_time(void **state)
{
    store_ref a = function(0x100), in_a = node(0, a);
    store_ref stack = builder_stack(&store, recorder, 8);
    builder_frame(&store, stack, in_a, NOW + 50);
    make_report();
    has_times(named("0x100"), 1, 0, 0);
}

static void scopes_leave_the_self_of_what_encloses_them(void **state)
{
    store_ref a = function(0x100), scope = builder_category(&store, recorder, "Frame");
    store_ref in_a = node(0, a), in_scope = node(in_a, scope), nested = node(in_scope, scope);
    builder_call(&store, nested, 40);
    builder_call(&store, in_scope, 100);
    builder_call(&store, in_a, 1000);
    make_report();
    has_times(named("0x100"), 1, 1000, 900);
    has_times(load_at(report, "categories.Frame"), 2, 100, 100);
    assert_string_equal(load_text(report, "call_tree.1.category"), "Frame");
    assert_int_equal(json_array_size(load_at(report, "functions")), 1);
}

static void samples_outside_the_tree_have_no_self(void **state)
{
    store_ref category = builder_category(&store, recorder, "Load");
    struct store_function *record = builder_at(&store, category);
    record->flags |= STORE_FUNCTION_NANOSECONDS;
    builder_call(&store, builder_node(&store, recorder, 0, category), 2500);
    make_report();
    json_t *load = load_at(report, "categories.Load");
    assert_int_equal(load_integer(load, "Count"), 1);
    assert_true(load_ns(load, "Total_ms") == 2500);
    assert_false(load_has(load, "Self_ms"));
    assert_int_equal(json_array_size(load_at(report, "call_tree")), 0);
    assert_int_equal(load_integer(report, "overhead.calls"), 0);
}

/* a [1000] calls folded f [300], which calls folded g [100] and itself [50]; the root calls f [20].
 */
static void folded_calls_keep_totals_right(void **state)
{
    store_ref a = function(0x100), f = function(0x200), g = function(0x300);
    store_ref in_a = node(0, a);
    store_ref in_f = builder_folded(&store, recorder, f);
    store_ref in_g = builder_folded(&store, recorder, g);
    builder_call(&store, in_f, 50);
    builder_call(&store, in_g, 100);
    builder_call(&store, in_f, 300);
    builder_call(&store, in_a, 1000);
    builder_call(&store, in_f, 20);
    struct store_function *record = builder_at(&store, f);
    struct store_folded *folded = builder_at(&store, record->folded);
    folded->nested_ticks = 50;
    folded->child_ticks = 150;
    builder_add_folded_children(&store, in_a, 300);
    builder_add_folded_children(&store, recorder->root, 20);
    make_report();
    has_times(named("0x100"), 1, 1000, 700);
    has_times(named("0x200"), 3, 320, 220);
    has_times(named("0x300"), 1, 100, 100);
    json_t *tree = load_at(report, "call_tree");
    has_times(load_at(tree, "1"), 0, 20, 0);
    assert_true(json_is_true(load_at(tree, "1.folded")));
    assert_false(load_has(tree, "1.function"));
    has_times(load_at(tree, "2"), 3, 320, 220);
    assert_int_equal(load_integer(tree, "2.parent"), 1);
}

static void open_folded_calls_leave_their_callers_self(void **state)
{
    store_ref a = function(0x100), f = function(0x200);
    store_ref in_a = node(0, a), in_f = builder_folded(&store, recorder, f);
    store_ref stack = builder_stack(&store, recorder, 8);
    builder_frame(&store, stack, in_a, NOW - 1000);
    builder_frame(&store, stack, in_f, NOW - 600);
    builder_frame(&store, stack, in_f, NOW - 100);
    make_report();
    has_times(named("0x100"), 1, 1000, 400);
    has_times(named("0x200"), 2, 600, 600);
}

static double self_sum(json_t *statistics)
{
    double sum = 0;
    size_t i;
    const char *key;
    json_t *value;
    if (json_is_array(statistics))
        json_array_foreach(statistics, i, value) sum += load_ns(value, "Self_ms");
    else
        json_object_foreach(statistics, key, value) sum += load_ns(value, "Self_ms");
    return sum;
}

static uint64_t random_state = 88172645463325252u;

static uint64_t next_random(void) /* xorshift64, Marsaglia 2003 */
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    return random_state ^= random_state << 17;
}

/* Calls made by a random program on a clock of its own, so that they nest as real ones do. */
static uint64_t run_some(const store_ref *functions, store_ref parent, int depth)
{
    store_ref here = 0;
    uint64_t duration = next_random() % 50;
    const struct store_node *nodes = builder_at(&store, recorder->root);
    const struct store_function *called = builder_at(&store, functions[next_random() % 4]);
    for (uint32_t i = 0; i < recorder->node_count && !here; i++) {
        store_ref ref = recorder->root + i * (store_ref)(sizeof *nodes / STORE_UNIT);
        if (i && nodes[i].parent == parent && nodes[i].address == called->address) here = ref;
    }
    store_ref ref = (store_ref)(((const uint8_t *)called - store.base) / STORE_UNIT);
    if (!here) here = builder_node(&store, recorder, parent, ref);
    for (uint64_t n = depth < 4 ? next_random() % 3 : 0; n; n--)
        duration += run_some(functions, here, depth + 1) + next_random() % 9;
    builder_call(&store, here, duration);
    return duration;
}

static void self_of_everything_is_the_total_of_the_roots(void **state)
{
    builder_fini(&store);
    builder_init(&store, 1 << 24);
    recorder = builder_recorder(&store, 5000, 8);
    store_ref functions[4] = {function(0x100), function(0x200), function(0x300),
                              builder_category(&store, recorder, "scope")};
    uint64_t total = 0;
    for (int i = 0; i < 500; i++) total += run_some(functions, recorder->root, 0);
    make_report();
    double roots = 0, tree = 0;
    size_t i;
    json_t *entry;
    json_array_foreach(load_at(report, "call_tree"), i, entry)
    {
        if (json_is_null(load_at(entry, "parent"))) roots += load_ns(entry, "Total_ms");
        tree += load_ns(entry, "Self_ms");
    }
    double self = self_sum(load_at(report, "threads.0.functions")) +
                  self_sum(load_at(report, "threads.0.categories"));
    assert_true(roots == (double)total && tree == (double)total && self == (double)total);
}

static void a_deep_recursion_is_merged_without_recursion(void **state)
{
    enum { DEEP = 60000 };
    builder_fini(&store);
    builder_init(&store, 1 << 24);
    recorder = builder_recorder(&store, DEEP, 8);
    store_ref a = function(0x100), at = recorder->root;
    for (int i = 0; i < DEEP; i++) {
        at = builder_node(&store, recorder, at, a);
        builder_call(&store, at, (uint64_t)(DEEP - i));
    }
    make_report();
    has_times(named("0x100"), DEEP, DEEP, DEEP);
    assert_int_equal(load_integer(report, "call_tree.59999.parent"), DEEP - 2);
}

/* Four calls of 100 ns, and what an earlier report told of them. */
static store_ref called_and_told(uint64_t told)
{
    store_ref in_a = node(0, function(0x100));
    for (int i = 0; i < 4; i++) builder_call(&store, in_a, 100);
    ((struct store_node *)builder_at(&store, in_a))->told = told;
    return in_a;
}

/* A frame that has been left: all of it stands there still, but for its sp. */
static void leave_frame(store_ref node_left, uint64_t start)
{
    store_ref stack = builder_stack(&store, recorder, 8);
    builder_frame(&store, stack, node_left, start);
    struct store_stack *record = builder_at(&store, stack);
    struct store_frame *frames = builder_at(&store, record->frames);
    frames[1].sp = 0;
}

static void a_call_between_its_end_and_its_count_is_still_open(void **state)
{
    leave_frame(called_and_told(5), NOW - 2000);
    make_report();
    has_times(named("0x100"), 5, 2400, 2400);
    assert_int_equal(load_integer(named("0x100"), "Open"), 1);
    assert_int_equal(load_integer(report, "call_tree.0.Count"), 5);
}

static void a_call_that_is_counted_is_no_longer_open(void **state)
{
    leave_frame(called_and_told(4), NOW - 2000);
    make_report();
    has_times(named("0x100"), 4, 400, 400);
    assert_false(load_has(named("0x100"), "Open"));
}

static void what_was_told_is_never_less(void **state)
{
    (void)called_and_told(6);
    make_report();
    has_times(named("0x100"), 6, 400, 400);
    assert_int_equal(load_integer(named("0x100"), "Open"), 2);
}

static void a_damaged_store_tells_nothing(void **state)
{
    (void)called_and_told(UINT64_MAX);
    make_report();
    has_times(named("0x100"), 4, 400, 400);
}

static void a_running_process_notes_what_it_told_of_open_calls(void **state)
{
    char path[] = "/tmp/stint-calls.XXXXXX";
    store_ref in_a = called_and_told(0), in_b = node(in_a, function(0x200));
    builder_call(&store, in_b, 10);
    builder_frame(&store, builder_stack(&store, recorder, 8), in_a, NOW - 2000);
    make_report(); /* another process's: untouched */
    assert_int_equal(((struct store_node *)builder_at(&store, in_a))->told, 0);
    struct report_input input = {.now_ticks = NOW, .path = path, .is_snapshot = 1};
    struct file_replace file = FILE_REPLACE_INIT;
    close(mkstemp(path));
    assert_int_equal(report_write_mapped(&input, store.base, builder_used(&store), &file), 0);
    unlink(path);
    assert_int_equal(((struct store_node *)builder_at(&store, in_a))->told, 5);
    assert_int_equal(((struct store_node *)builder_at(&store, in_b))->told, 0);
}

#define IN_STORE(test) cmocka_unit_test_setup_teardown(test, lay_out, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_STORE(self_is_total_without_children),
        IN_STORE(recursion_is_counted_once_in_total_and_each_time_in_count),
        IN_STORE(mutual_recursion_counts_each_function_once),
        IN_STORE(siblings_are_not_inside_each_other),
        IN_STORE(an_open_call_lasts_until_now),
        IN_STORE(an_open_recursion_adds_only_its_outermost_call),
        IN_STORE(a_muted_call_is_not_there),
        IN_STORE(an_inherited_call_is_open_and_not_counted),
        IN_STORE(a_call_that_nobody_timed_lasts_as_long_as_its_callees),
        IN_STORE(a_stack_that_is_not_in_use_has_no_open_calls),
        IN_STORE(open_calls_of_an_exited_thread_end_with_it),
        IN_STORE(a_call_that_starts_after_now_lasts_no_time),
        IN_STORE(scopes_leave_the_self_of_what_encloses_them),
        IN_STORE(samples_outside_the_tree_have_no_self),
        IN_STORE(folded_calls_keep_totals_right),
        IN_STORE(open_folded_calls_leave_their_callers_self),
        IN_STORE(self_of_everything_is_the_total_of_the_roots),
        IN_STORE(a_deep_recursion_is_merged_without_recursion),
        IN_STORE(a_call_between_its_end_and_its_count_is_still_open),
        IN_STORE(a_call_that_is_counted_is_no_longer_open),
        IN_STORE(what_was_told_is_never_less),
        IN_STORE(a_damaged_store_tells_nothing),
        IN_STORE(a_running_process_notes_what_it_told_of_open_calls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

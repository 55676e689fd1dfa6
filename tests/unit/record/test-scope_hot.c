/* SPDX-License-Identifier: MIT
 *
 * What a thread records under a category, each kind against sums worked out here. */
#include "record/scope_hot.h"

#include "event.h"

#include "record/fold.h"
#include "record/frames.h"
#include "stats/hist.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { SP = LAB_HIGH - 0x1000 };

static void durations_are_summed_up(void **state)
{
    lab_open((struct recorder_options){.max_samples = 100});
    struct category *category = category_make("ns");
    uint64_t sum = 0, most = 0;
    for (uint64_t i = 0; i < 1000; i++) {
        uint64_t ns = i * 7919 % 5000 + 3;
        event_ns(category, ns);
        sum += ns;
        if (ns > most) most = ns;
    }
    const struct store_node *node = event_node(lab.block, category, STORE_KIND_NS);
    assert_int_equal(node->count, 1000);
    assert_int_equal(node->total_ticks, sum);
    assert_int_equal(node->min_ticks, 3);
    assert_int_equal(node->max_ticks, most);
    const struct store_function *function = event_record(lab.block, category, STORE_KIND_NS);
    assert_int_equal(function->flags, STORE_FUNCTION_NANOSECONDS);
    assert_int_equal(lab_histogram_sum(lab.block, function), 1000);
    uint64_t held;
    const uint64_t *samples = event_samples(lab.block, function, &held);
    assert_int_equal(held, 100);
    for (uint64_t i = 900; i < 1000; i++) assert_int_equal(samples[i % 100], i * 7919 % 5000 + 3);
}

static void most_durations_take_the_straight_line(void **state)
{
    lab_open((struct recorder_options){.max_samples = 1000});
    struct category *category = category_make("straight");
    event_ns(category, 5);
    event_ns(category, 60);
    uint32_t slow = 0;
    for (uint32_t i = 0; i < 10000; i++)
        if (!scope_try_ns(lab.block, category, 10 + i % 40)) {
            slow++;
            event_ns(category, 10 + i % 40);
        }
    /* 64 → 128 → … → 1000, then a lap each 1000 */
    assert_in_range(slow, 9, 16);
    assert_int_equal(event_node(lab.block, category, STORE_KIND_NS)->count, 10002);
}

static void no_samples_are_kept_where_none_are_asked_for(void **state)
{
    lab_open((struct recorder_options){0});
    struct recorder_options none = *recorder_settings();
    none.max_samples = 0;
    recorder_configure(&none);
    struct category *category = category_make("none");
    for (uint64_t i = 0; i < 100; i++) event_ns(category, 10 + i % 2);
    assert_true(scope_try_ns(lab.block, category, 10));
    event_double(category, NULL, 1);
    assert_int_equal(event_record(lab.block, category, STORE_KIND_NS)->ring, 0);
    assert_int_equal(event_record(lab.block, category, STORE_KIND_VALUE)->ring, 0);
    assert_int_equal(event_node(lab.block, category, STORE_KIND_NS)->count, 101);
}

static void a_sum_of_durations_stops_at_its_end(void **state)
{
    lab_open((struct recorder_options){0});
    struct category *category = category_make("huge");
    event_ns(category, UINT64_MAX - 10);
    event_ns(category, 100);
    event_ns(category, 100);
    assert_int_equal(event_node(lab.block, category, STORE_KIND_NS)->count, 3);
    assert_int_equal(event_node(lab.block, category, STORE_KIND_NS)->total_ticks, UINT64_MAX);
}

static void counts_are_summed_up(void **state)
{
    lab_open((struct recorder_options){0});
    struct category *category = category_make("count");
    for (int i = 0; i < 100; i++) event_count(category, i % 2 ? 7 : -10);
    const struct store_node *node = event_node(lab.block, category, STORE_KIND_COUNT);
    assert_int_equal(node->count, 100);
    assert_int_equal((int64_t)node->total_ticks, -150);
    event_count(category, INT64_MIN);
    event_count(category, INT64_MIN);
    assert_int_equal((int64_t)node->total_ticks, INT64_MIN);
    assert_int_equal(event_record(lab.block, category, STORE_KIND_COUNT)->flags,
                     STORE_FUNCTION_SATURATED);
    event_count(category, 5);
    assert_int_equal((int64_t)node->total_ticks, INT64_MIN + 5);
    assert_int_equal(node->count, 103);
}

static void values_are_summed_up(void **state)
{
    lab_open((struct recorder_options){.max_samples = 10});
    struct category *category = category_make("value");
    event_double(category, "bytes", -2.5);
    event_double(category, "other", 8);
    event_double(category, NULL, 0);
    event_double(category, NULL, 1.25);
    const struct store_node *node = event_node(lab.block, category, STORE_KIND_VALUE);
    assert_int_equal(node->count, 4);
    assert_true(event_value(node->total_ticks) == 6.75);
    assert_true(event_value(node->min_ticks) == -2.5);
    assert_true(event_value(node->max_ticks) == 8);
    const struct store_function *function = event_record(lab.block, category, STORE_KIND_VALUE);
    const struct store_text *unit = lab_at(lab.block, function->unit);
    assert_int_equal(unit->bytes, 5);
    assert_memory_equal(unit->data, "bytes", 5);
    assert_int_equal(lab_histogram_sum(lab.block, function), 4);
    assert_int_equal(lab_bucket(lab.block, function, hist_value_bucket(event_bits(1.25))), 1);
    uint64_t held;
    const uint64_t *samples = event_samples(lab.block, function, &held);
    assert_int_equal(held, 4);
    assert_true(event_value(samples[0]) == -2.5 && event_value(samples[3]) == 1.25);
}

static void what_is_no_number_is_dropped_and_told(void **state)
{
    lab_open((struct recorder_options){0});
    struct category *category = category_make("nan");
    event_double(category, NULL, __builtin_nan(""));
    event_double(category, NULL, __builtin_inf());
    event_double(category, NULL, -__builtin_inf());
    assert_null(event_node(lab.block, category, STORE_KIND_VALUE));
    event_double(category, NULL, 1e308);
    assert_int_equal(event_node(lab.block, category, STORE_KIND_VALUE)->count, 1);
    assert_int_equal(lab_lost(LOST_VALUES_NOT_FINITE), 3);
}

static void kinds_of_one_name_are_apart(void **state)
{
    lab_open((struct recorder_options){0});
    struct category *category = category_make("kinds");
    event_ns(category, 10);
    event_count(category, 20);
    event_double(category, NULL, 30);
    lab_enter(category_address(category, STORE_KIND_SCOPE), SP, 100);
    lab_exit(category_address(category, STORE_KIND_SCOPE), SP, 140);
    assert_int_equal(event_node(lab.block, category, STORE_KIND_NS)->total_ticks, 10);
    assert_int_equal(event_node(lab.block, category, STORE_KIND_COUNT)->total_ticks, 20);
    assert_true(event_value(event_node(lab.block, category, STORE_KIND_VALUE)->total_ticks) == 30);
    const struct store_node *scope = LAB_NODE(category_address(category, STORE_KIND_SCOPE));
    assert_int_equal(scope->total_ticks, 40);
    assert_int_equal(scope->parent, lab.block->recorder->root);
}

/* The name stands in the store, once. */
static void scopes_are_callees(void **state)
{
    enum { F = 0x1000 };
    lab_open((struct recorder_options){.max_samples = 50});
    struct category *category = category_make("scope");
    uint64_t address = category_address(category, STORE_KIND_SCOPE);
    lab_enter(F, SP, 0);
    for (uint64_t i = 0; i < 60; i++) {
        lab_enter(address, SP - 64, 100 * i);
        lab_exit(address, SP - 64, 100 * i + i % 9 + 1);
    }
    lab_exit(F, SP, 10000);
    const struct store_node *node = LAB_NODE(F, address);
    assert_int_equal(node->count, 60);
    uint64_t held, sum = 0;
    const uint64_t *samples =
        event_samples(lab.block, event_record(lab.block, category, STORE_KIND_SCOPE), &held);
    assert_int_equal(held, 50);
    for (uint64_t i = 0; i < 60; i++) sum += i % 9 + 1;
    assert_int_equal(node->total_ticks, sum);
    for (uint64_t i = 10; i < 60; i++) assert_int_equal(samples[i % 50], i % 9 + 1);
}

/* On the thread's real stack, by the straight line. False where it was not taken. */
static HOT NOINLINE bool pair(struct category *category, uint64_t took)
{
    struct control *block = control;
    uint64_t ticks = 0;
    if (!scope_try_enter(block, category)) return false;
    struct store_frame *frame = block->top;
    uint64_t now = frame->start_ticks + took;
    enum scope_exit done = scope_try_exit(block, frame, category, now, took % 2, &ticks);
    assert_int_not_equal(done, SCOPE_EXIT_SLOW);
    assert_int_equal(ticks, took);
    if (done == SCOPE_EXIT_DONE) return true;
    assert_true(control_begin(block, SP));
    category_add_sample(block, category, ticks);
    control_end(block);
    return false;
}

static void ordinary_scopes_take_the_straight_line(void **state)
{
    lab_open_here((struct recorder_options){.max_samples = 100});
    struct category *category = category_make("ordinary");
    uint64_t address = category_address(category, STORE_KIND_SCOPE);
    uintptr_t sp = (uintptr_t)__builtin_frame_address(0) - 4096;
    lab_enter(address, sp, 0);
    lab_exit(address, sp, 10);
    lab_enter(address, sp, 0);
    lab_exit(address, sp, 200);
    for (uint64_t i = 0; i < 62; i++) assert_true(pair(category, 20 + i));
    assert_false(pair(category, 20)); /* its sample made the ring grow */
    assert_int_equal(lab_depth(), 0);
    assert_true(pair(category, 50));
    assert_int_equal(LAB_NODE(address)->count, 2 + 62 + 1 + 1);
    const struct store_function *function = event_record(lab.block, category, STORE_KIND_SCOPE);
    uint64_t held;
    const uint64_t *samples = event_samples(lab.block, function, &held);
    assert_int_equal(held, 66);
    assert_int_equal(samples[0], 10);
    for (uint64_t i = 0; i < 62; i++) assert_int_equal(samples[2 + i], 20 + i);
    assert_int_equal(samples[64], 20);
    assert_int_equal(samples[65], 50);
    assert_int_equal(lab_histogram_sum(lab.block, function), 66);
}

static void beyond_the_tree_scopes_fold(void **state)
{
    enum { F = 0x1000 };
    lab_open((struct recorder_options){.max_nodes = 3});
    struct category *category = category_make("folds");
    uint64_t address = category_address(category, STORE_KIND_SCOPE);
    lab_enter(F, SP, 0);
    lab_enter(F + 16, SP - 32, 0);
    lab_enter(address, SP - 64, 0);
    lab_enter(address, SP - 96, 10);
    lab_exit(address, SP - 96, 30);
    lab_exit(address, SP - 64, 100);
    lab_exit(F + 16, SP - 32, 100);
    lab_exit(F, SP, 100);
    const struct store_node *node = lab_folded(lab.block, address);
    assert_int_equal(node->count, 2);
    assert_int_equal(node->total_ticks, 120);
    const struct store_folded *side =
        lab_at(lab.block, event_record(lab.block, category, STORE_KIND_SCOPE)->folded);
    assert_int_equal(side->nested_ticks, 20);
}

/* A scope that is open in the tree and again in a folded place is nested there. */
static void a_folded_scope_knows_itself_in_the_tree(void **state)
{
    lab_open((struct recorder_options){.max_nodes = 2});
    struct category *category = category_make("itself");
    uint64_t address = category_address(category, STORE_KIND_SCOPE);
    lab_enter(address, SP, 0);
    lab_enter(address, SP - 32, 10);
    lab_exit(address, SP - 32, 25);
    lab_exit(address, SP, 100);
    assert_int_equal(LAB_NODE(address)->total_ticks, 100);
    const struct store_folded *side =
        lab_at(lab.block, event_record(lab.block, category, STORE_KIND_SCOPE)->folded);
    assert_int_equal(side->nested_ticks, 15);
}

static const struct control *others(void) { return control_block(control_process()->others - 1); }

static struct control *another_recorder(void)
{
    struct recorder_thread row = {
        .tid = 1, .stack_low = LAB_LOW, .stack_high = LAB_HIGH, .name = "gone"};
    lab.block = recorder_make(&row);
    assert_non_null(lab.block);
    control_end(lab.block);
    return lab.block;
}

static void every_kind_is_folded_into_the_other_threads(void **state)
{
    lab_open_store((struct recorder_options){.max_samples = 100});
    struct category *category = category_make("folded away"), *late = category_make("late");
    uint64_t scope = category_address(category, STORE_KIND_SCOPE);
    for (uint64_t thread = 0; thread < 3; thread++) {
        struct control *block = another_recorder();
        event_ns(category, 10 + thread);
        event_count(category, 5);
        event_double(category, "kg", 1.5 * (double)thread - 1);
        lab_enter(scope, SP, 0);
        lab_exit(scope, SP, 100 + thread);
        if (thread == 2) event_ns(late, 1);
        fold_into_others(block);
        assert_int_equal(event_node(block, category, STORE_KIND_NS)->count, 0);
    }
    const struct store_node *ns = event_node(others(), category, STORE_KIND_NS);
    assert_int_equal(ns->count, 3);
    assert_int_equal(ns->total_ticks, 33);
    assert_int_equal(ns->min_ticks, 10);
    assert_int_equal(ns->max_ticks, 12);
    assert_int_equal(event_record(others(), category, STORE_KIND_NS)->flags,
                     STORE_FUNCTION_NANOSECONDS);
    const struct store_node *count = event_node(others(), category, STORE_KIND_COUNT);
    assert_int_equal(count->count, 3);
    assert_int_equal(count->total_ticks, 15);
    const struct store_node *value = event_node(others(), category, STORE_KIND_VALUE);
    assert_int_equal(value->count, 3);
    assert_true(event_value(value->total_ticks) == 1.5);
    assert_true(event_value(value->min_ticks) == -1);
    assert_true(event_value(value->max_ticks) == 2);
    assert_int_not_equal(event_record(others(), category, STORE_KIND_VALUE)->unit, 0);
    assert_int_equal(lab_node(others(), &scope, 1)->total_ticks, 303);
    assert_int_equal(event_node(others(), late, STORE_KIND_NS)->count, 1);
    uint64_t held;
    const uint64_t *samples =
        event_samples(others(), event_record(others(), category, STORE_KIND_NS), &held);
    assert_int_equal(held, 3);
    for (uint64_t i = 0; i < 3; i++) assert_int_equal(samples[i], 10 + i);
    assert_int_equal(lab_nth_node(others(), 0)->count, 0); /* the root has nothing of it */
}

static void what_was_folded_records_on(void **state)
{
    lab_open_store((struct recorder_options){.max_samples = 100});
    struct category *category = category_make("on");
    struct control *block = another_recorder();
    for (int round = 0; round < 3; round++) {
        for (uint64_t i = 0; i < 150; i++) event_ns(category, 10 + i);
        event_count(category, INT64_MAX / 2);
        event_double(category, NULL, -3);
        fold_into_others(block);
    }
    assert_int_equal(event_node(others(), category, STORE_KIND_NS)->count, 450);
    assert_int_equal(lab_histogram_sum(others(), event_record(others(), category, STORE_KIND_NS)),
                     450);
    assert_int_equal(event_node(others(), category, STORE_KIND_COUNT)->total_ticks, INT64_MAX);
    assert_int_equal(event_record(others(), category, STORE_KIND_COUNT)->flags,
                     STORE_FUNCTION_SATURATED);
    assert_true(event_value(event_node(others(), category, STORE_KIND_VALUE)->max_ticks) == -3);
    assert_int_equal(event_node(block, category, STORE_KIND_NS)->count, 0);
}

static void without_memory_an_event_is_lost_and_told(void **state)
{
    lab_open((struct recorder_options){0});
    struct category *category = category_make("lost");
    lab_exhaust();
    event_ns(category, 1);
    event_count(category, 1);
    event_double(category, "u", 1);
    assert_int_equal(lab_lost(LOST_CALLS_NO_MEMORY), 3);
    lab_replenish();
    event_ns(category, 1);
    assert_int_equal(event_node(lab.block, category, STORE_KIND_NS)->count, 1);
}

/* Leaves the table full: the last case. */

int main(void)
{
    const struct CMUnitTest tests[] = {
        LAB_CASE(durations_are_summed_up),
        LAB_CASE(most_durations_take_the_straight_line),
        LAB_CASE(no_samples_are_kept_where_none_are_asked_for),
        LAB_CASE(a_sum_of_durations_stops_at_its_end),
        LAB_CASE(counts_are_summed_up),
        LAB_CASE(values_are_summed_up),
        LAB_CASE(what_is_no_number_is_dropped_and_told),
        LAB_CASE(kinds_of_one_name_are_apart),
        LAB_CASE(scopes_are_callees),
        LAB_CASE(ordinary_scopes_take_the_straight_line),
        LAB_CASE(beyond_the_tree_scopes_fold),
        LAB_CASE(a_folded_scope_knows_itself_in_the_tree),
        LAB_CASE(every_kind_is_folded_into_the_other_threads),
        LAB_CASE(what_was_folded_records_on),
        LAB_CASE(without_memory_an_event_is_lost_and_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

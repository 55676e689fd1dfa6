/* SPDX-License-Identifier: MIT
 *
 * A store's head in the report's words. */
#include "load.h"

#include "clock/clock.h"
#include "report/process.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct builder store;
static json_t *report;

static int lay_out(void **state)
{
    builder_init(&store, 1 << 20);
    report = NULL;
    return 0;
}

static int tear_down(void **state)
{
    json_decref(report);
    builder_fini(&store);
    return 0;
}

static void make_report(struct report_input options) { report = load_report(&store, options); }

static void the_head_is_told(void **state)
{
    struct store_head *head = builder_head(&store);
    head->executable = builder_text(&store, "/abs/app", 8);
    head->arguments = builder_text(&store, "app\0\0-x\xff", 8);
    head->host = builder_text(&store, "box", 3);
    head->started_unix_ns = UINT64_C(1769851800123456789); /* date -d @1769851800 */
    head->first_ticks = 1000;
    head->cpu_ns = 2200100000;
    make_report((struct report_input){.now_ticks = 1501000});
    assert_int_equal(load_integer(report, "schema"), 1);
    assert_string_equal(load_text(report, "stint"), "0.1.0");
    assert_int_equal(load_integer(report, "process.pid"), 4242);
    assert_int_equal(load_integer(report, "process.parent_pid"), 4200);
    assert_string_equal(load_text(report, "process.run"), "4242:77");
    assert_string_equal(load_text(report, "process.executable"), "/abs/app");
    assert_string_equal(load_text(report, "process.host"), "box");
    assert_int_equal(json_array_size(load_at(report, "process.arguments")), 3);
    assert_string_equal(load_text(report, "process.arguments.1"), "");
    assert_string_equal(load_text(report, "process.arguments.2"), "-x\xef\xbf\xbd");
    assert_string_equal(load_text(report, "process.started_at"), "2026-01-31T09:30:00.123456Z");
    assert_true(load_real(report, "process.duration_ms") == 1.5);
    assert_true(load_real(report, "process.cpu_ms") == 2200.1);
}

/* From `date -u -d @…`: a leap day, the days around it, and a century's end. */
static void dates_are_those_of_the_calendar(void **state)
{
    static const struct {
        uint64_t seconds;
        const char *text;
    } dates[] = {
        {0, "1970-01-01T00:00:00.000000Z"},          {951782399, "2000-02-28T23:59:59.000000Z"},
        {951782400, "2000-02-29T00:00:00.000000Z"},  {951868800, "2000-03-01T00:00:00.000000Z"},
        {4102444799, "2099-12-31T23:59:59.000000Z"}, {4107542400, "2100-03-01T00:00:00.000000Z"},
    };
    for (size_t i = 0; i < sizeof dates / sizeof *dates; i++) {
        builder_head(&store)->started_unix_ns = dates[i].seconds * 1000000000;
        json_decref(report);
        make_report((struct report_input){.now_ticks = 1});
        assert_string_equal(load_text(report, "process.started_at"), dates[i].text);
    }
}

static void what_the_head_does_not_say_is_absent(void **state)
{
    make_report((struct report_input){.now_ticks = 1});
    assert_false(load_has(report, "process.executable"));
    assert_false(load_has(report, "process.arguments"));
    assert_false(load_has(report, "process.cpu_ms"));
    assert_false(load_has(report, "overhead.per_call_ns"));
}

static void losses_of_head_and_threads_add_up(void **state)
{
    builder_head(&store)->lost[LOST_CALLS_NO_MEMORY] = 5;
    builder_recorder(&store, 1, 1)->lost[LOST_CALLS_TOO_DEEP] = 7;
    builder_recorder(&store, 1, 1)->lost[LOST_CALLS_TOO_DEEP] = 30;
    make_report((struct report_input){.now_ticks = 1});
    assert_int_equal(load_integer(report, "lost.calls_too_deep"), 37);
    assert_int_equal(load_integer(report, "lost.calls_no_memory"), 5);
    assert_int_equal(json_object_size(load_at(report, "lost")), LOST_KINDS);
}

static void the_overhead_is_calls_times_one(void **state)
{
    struct store_recorder *recorder = builder_recorder(&store, 4, 1);
    store_ref function = builder_function(&store, recorder, 0x100);
    store_ref node = builder_node(&store, recorder, recorder->root, function);
    for (int i = 0; i < 1000; i++) builder_call(&store, node, 10);
    builder_head(&store)->overhead_ticks_1024 = 25 * 1024 + 512;
    make_report((struct report_input){.now_ticks = 1});
    assert_int_equal(load_integer(report, "overhead.calls"), 1000);
    assert_true(load_real(report, "overhead.per_call_ns") == 25.5);
    assert_true(load_real(report, "overhead.total_ms") == 0.0255);
}

static void a_killed_process_ends_at_the_latest_moment_that_it_left(void **state)
{
    struct store_recorder *recorder = builder_recorder(&store, 4, 1);
    store_ref function = builder_function(&store, recorder, 0x100);
    store_ref node = builder_node(&store, recorder, recorder->root, function);
    store_ref ref = builder_stack(&store, recorder, 8);
    builder_frame(&store, ref, node, 1000);
    builder_frame(&store, ref, node, 9000);
    builder_call(&store, node, 500);
    const struct store_stack *stack = builder_at(&store, ref);
    ((struct store_frame *)builder_at(&store, stack->frames))[2].sp = 0; /* it has ended */
    make_report((struct report_input){.is_killed = 1});
    assert_true(load_ns(report, "process.duration_ms") == 9500);
    assert_true(load_ns(report, "functions.0.Total_ms") == 8500 + 500);
}

static void a_store_without_a_second_clock_pair_takes_the_rate_of_now(void **state)
{
    struct store_head *head = builder_head(&store);
    head->clock_source = clock_choose(CLOCK_WISH_AUTO);
    if (head->clock_source == CLOCK_NS) return; /* no counter here */
    struct clock_rate rate = process_clock_rate(head);
    assert_true(rate.ticks_per_second > 1e6 && rate.ticks_per_second < 1e11);
}

#define IN_STORE(test) cmocka_unit_test_setup_teardown(test, lay_out, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_STORE(the_head_is_told),
        IN_STORE(dates_are_those_of_the_calendar),
        IN_STORE(what_the_head_does_not_say_is_absent),
        IN_STORE(losses_of_head_and_threads_add_up),
        IN_STORE(the_overhead_is_calls_times_one),
        IN_STORE(a_killed_process_ends_at_the_latest_moment_that_it_left),
        IN_STORE(a_store_without_a_second_clock_pair_takes_the_rate_of_now),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT
 *
 * Frames of laid-out records: order, typical times and blame worked out by hand, several threads,
 * an open one, and records that say what can't be. The clock counts nanoseconds. */
#include "report/laps.h"

#include "load.h"

#include "store/lap_layout.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static struct builder store;

static int lay_out(void **state)
{
    builder_init(&store, 4 << 20);
    builder_head(&store)->lap_budget_ns = 1500;
    builder_head(&store)->worst_laps = 3;
    return 0;
}

static int tear_down(void **state)
{
    builder_fini(&store);
    return 0;
}

static json_t *report(void)
{
    return load_report(&store, (struct report_input){.now_ticks = 1000000});
}

/* A thread with two functions of which each was called. */
struct lane {
    struct store_recorder *recorder;
    store_ref functions[2], lap_ref, node;
    struct store_lap *lap;
    struct store_lap_sums *sums;
    struct store_lap_worst *places;
    struct store_lap_series *series;
};

static struct lane lane(const char *name)
{
    struct lane lane = {.recorder = builder_recorder(&store, 8, 4)};
    for (uint64_t i = 0; i < 2; i++) {
        lane.functions[i] = builder_function(&store, lane.recorder, 0x1000 + i * 0x100);
        builder_call(&store,
                     builder_node(&store, lane.recorder, lane.recorder->root, lane.functions[i]),
                     10 + i);
    }
    store_ref category = builder_category(&store, lane.recorder, name);
    ((struct store_function *)builder_at(&store, category))->flags = STORE_FUNCTION_LAP;
    lane.node = builder_node(&store, lane.recorder, 0, category);
    lane.recorder->laps = lane.lap_ref = builder_alloc(&store, sizeof *lane.lap);
    lane.lap = builder_at(&store, lane.lap_ref);
    lane.lap->function = category;
    lane.lap->sums = builder_alloc(&store, sizeof *lane.sums + 8 * sizeof(uint64_t));
    lane.sums = builder_at(&store, lane.lap->sums);
    lane.sums->capacity = 8;
    lane.lap->worst = builder_alloc(&store, 8 * sizeof *lane.places);
    lane.lap->worst_capacity = 8;
    lane.places = builder_at(&store, lane.lap->worst);
    lane.lap->series =
        builder_alloc(&store, sizeof *lane.series + 8 * sizeof(struct store_lap_bucket));
    lane.series = builder_at(&store, lane.lap->series);
    lane.series->capacity = 8;
    lane.series->laps_per_bucket = 1;
    return lane;
}

static void keep(struct lane *lane, uint64_t ticks, uint64_t a, uint64_t b)
{
    struct store_lap_worst *place = &lane->places[lane->lap->worst_used++];
    *place = (struct store_lap_worst){.number = lane->lap->count,
                                      .ticks = ticks,
                                      .start_ticks = 100 * lane->lap->count,
                                      .capacity = 2};
    place->selves = builder_alloc(&store, 2 * sizeof(struct store_lap_self));
    struct store_lap_self *selves = builder_at(&store, place->selves);
    if (a) selves[place->used++] = (struct store_lap_self){lane->functions[0], 0, a};
    if (b) selves[place->used++] = (struct store_lap_self){lane->functions[1], 0, b};
}

static void add(struct lane *lane, uint64_t ticks, uint64_t a, uint64_t b, bool is_kept)
{
    builder_call(&store, lane->node, ticks);
    if (is_kept) keep(lane, ticks, a, b);
    if (lane->series->used < lane->series->capacity)
        lane->series->buckets[lane->series->used++] =
            (struct store_lap_bucket){100 * lane->lap->count, 1, ticks, ticks, ticks};
    lane->lap->count++;
    lane->lap->total_ticks += ticks;
    lane->lap->missed += ticks > 1500;
    lane->sums->ticks[0] += a;
    lane->sums->ticks[1] += b;
}

/* Four ordinary laps (A 100, 110, 90, 100; B 400) and two long ones. */
static struct lane six_laps(const char *name)
{
    struct lane made = lane(name);
    add(&made, 1000, 100, 400, true);
    add(&made, 5000, 4100, 450, true);
    add(&made, 1000, 110, 400, false);
    add(&made, 2000, 80, 1400, true);
    add(&made, 1000, 90, 400, false);
    add(&made, 1000, 100, 400, false);
    return made;
}

static void the_blame_is_the_excess_over_what_is_typical(void **state)
{
    (void)six_laps("Frame");
    json_t *json = report();
    json_t *frame = load_at(json, "frames.Frame");
    assert_int_equal(load_integer(frame, "Count"), 6);
    assert_int_equal(load_integer(frame, "missed"), 2);
    assert_int_equal(load_ns(frame, "budget_ms"), 1500);
    assert_int_equal(load_ns(frame, "Max_ms"), 5000);
    assert_int_equal(load_ns(frame, "worst.0.duration_ms"), 5000);
    assert_int_equal(load_integer(frame, "worst.0.frame"), 1);
    assert_int_equal(load_ns(frame, "worst.0.start_ms"), 100);
    assert_int_equal(load_integer(frame, "worst.1.frame"), 3);
    assert_int_equal(load_integer(frame, "worst.2.frame"), 0);
    assert_false(load_has(frame, "worst.3"));
    /* The three longest are half of all, so typical are 110, 90, 100 of A and 400 of B. */
    json_t *first = load_at(frame, "worst.0.functions");
    int64_t a = load_integer(load_named(load_at(json, "functions"), "offset", "0x1000"), "id");
    int64_t b = load_integer(load_named(load_at(json, "functions"), "offset", "0x1100"), "id");
    assert_int_equal(load_integer(first, "0.function"), a);
    assert_int_equal(load_ns(first, "0.self_ms"), 4100);
    assert_int_equal(load_ns(first, "0.typical_ms"), 100);
    assert_int_equal(load_ns(first, "0.excess_ms"), 4000);
    assert_int_equal(load_integer(first, "1.function"), b);
    assert_int_equal(load_ns(first, "1.excess_ms"), 50);
    assert_int_equal(load_integer(frame, "worst.1.functions.0.function"), b);
    assert_false(load_has(frame, "worst.1.functions.1")); /* A took less than it does */
    assert_int_equal(load_integer(frame, "blame.0.function"), a);
    assert_int_equal(load_ns(frame, "blame.0.excess_ms"), 4000);
    assert_int_equal(load_integer(frame, "blame.0.frames"), 1);
    assert_int_equal(load_integer(frame, "blame.1.function"), b);
    assert_int_equal(load_ns(frame, "blame.1.excess_ms"), 1050);
    assert_int_equal(load_integer(frame, "blame.1.frames"), 2);
    assert_int_equal(load_integer(frame, "series.0.frames_per_bucket"), 1);
    assert_int_equal(load_ns(frame, "series.0.buckets.3.0"), 300);
    assert_int_equal(load_integer(frame, "series.0.buckets.3.1"), 1);
    assert_int_equal(load_ns(frame, "series.0.buckets.3.3"), 2000);
    assert_int_equal(load_integer(json, "categories.Frame.Count"), 6);
    json_decref(json);
}

static void threads_are_told_together_by_their_own_typical_laps(void **state)
{
    (void)six_laps("Frame");
    struct lane second = lane("Frame");
    add(&second, 100, 5, 5, true);
    add(&second, 100, 5, 5, false);
    add(&second, 3000, 5, 2905, true);
    json_t *json = report(), *frame = load_at(json, "frames.Frame");
    assert_int_equal(load_integer(frame, "Count"), 9);
    assert_int_equal(load_integer(frame, "missed"), 3);
    assert_int_equal(load_integer(frame, "worst.1.thread"), 1);
    assert_int_equal(load_ns(frame, "worst.1.duration_ms"), 3000);
    assert_int_equal(load_ns(frame, "worst.1.functions.0.typical_ms"), 5);
    assert_int_equal(load_ns(frame, "worst.2.duration_ms"), 2000);
    assert_false(load_has(frame, "worst.3"));
    assert_int_equal(load_integer(frame, "series.1.thread"), 1);
    assert_int_equal(load_ns(frame, "blame.1.excess_ms"), 2900 + 1000 + 50);
    json_decref(json);
}

static void an_open_one_is_open_and_no_frame(void **state)
{
    struct lane made = lane("Only open");
    made.lap->is_open = 1;
    made.lap->start_ticks = 990000;
    json_t *json = report(), *frame = load_at(json, "frames.Only open");
    assert_int_equal(load_integer(frame, "Count"), 1);
    assert_int_equal(load_integer(frame, "Open"), 1);
    assert_int_equal(load_ns(frame, "Total_ms"), 10000);
    assert_false(load_has(frame, "Avg_ms"));
    assert_false(load_has(frame, "blame.0"));
    assert_int_equal(load_integer(json, "categories.Only open.Open"), 1);
    json_decref(json);
}

static void without_frames_there_is_no_such_member(void **state)
{
    struct lane made = lane("never begun");
    (void)made;
    json_t *json = report();
    assert_false(load_has(json, "frames"));
    json_decref(json);
}

static void a_place_that_is_being_changed_is_left_out(void **state)
{
    struct lane made = six_laps("Frame");
    made.places[1].changes = 3;
    json_t *json = report(), *frame = load_at(json, "frames.Frame");
    assert_int_equal(load_integer(frame, "worst.0.frame"), 3);
    json_decref(json);
}

static void damage_is_survived(void **state)
{
    struct lane made = six_laps("Frame");
    struct store_lap sound = *made.lap;
    const struct store_lap damaged[] = {
        {.next = made.lap_ref}, {.sums = 0xffffffff}, {.series = 0xffffffff},
        {.worst = 0xffffffff},  {.function = 7},      {.worst_used = 0xffffffff},
    };
    for (size_t i = 0; i < sizeof damaged / sizeof *damaged; i++) {
        *made.lap = sound;
        if (damaged[i].next) made.lap->next = damaged[i].next;
        if (damaged[i].sums) made.lap->sums = damaged[i].sums;
        if (damaged[i].series) made.lap->series = damaged[i].series;
        if (damaged[i].worst) made.lap->worst = damaged[i].worst;
        if (damaged[i].function) made.lap->function = damaged[i].function;
        if (damaged[i].worst_used)
            made.lap->worst_used = made.lap->worst_capacity = damaged[i].worst_used;
        json_decref(report());
    }
    *made.lap = sound;
    made.sums->capacity = 0xffffffff;
    made.series->used = made.series->capacity = 0xffffffff;
    made.places[0].used = 0xffffffff;
    made.places[1].selves = 0xfffffff0;
    json_t *json = report();
    assert_int_equal(load_integer(json, "frames.Frame.Count"), 6);
    json_decref(json);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, lay_out, tear_down)
    const struct CMUnitTest tests[] = {
        CASE(the_blame_is_the_excess_over_what_is_typical),
        CASE(threads_are_told_together_by_their_own_typical_laps),
        CASE(an_open_one_is_open_and_no_frame),
        CASE(without_frames_there_is_no_such_member),
        CASE(a_place_that_is_being_changed_is_left_out),
        CASE(damage_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

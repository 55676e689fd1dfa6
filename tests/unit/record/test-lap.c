/* SPDX-License-Identifier: MIT
 *
 * Laps of made-up times: what is counted, what is kept of the longest, and that nothing is lost
 * when they are folded. The clock counts nanoseconds, so the budget is a number of ticks. */
#include "record/lap.h"

#include "lab.h"

#include "clock/clock.h"
#include "record/fold.h"
#include "record/func.h"
#include "store/lap_layout.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { A = 0xa000, B = 0xb000, SP = LAB_HIGH - 0x1000, FIRST = 1000000 };

static uint64_t kind, other_kind;

static uint64_t make_kind(const char *name)
{
    return STORE_MARK_CATEGORY | store_copy_text(&lab.store, name, strlen(name));
}

static void open_lab(struct recorder_options options)
{
    options.clock_source = CLOCK_NS;
    lab_open(options);
    kind = make_kind("Frame");
    other_kind = make_kind("Other");
}

static void begin(uint64_t which, uint64_t now)
{
    assert_true(control_begin(lab.block, SP));
    struct lap *lap = lap_open(lab.block, which, now);
    if (lap) lap_start(lab.block, lap, now);
    control_end(lab.block);
}

static void end(uint64_t which, uint64_t now)
{
    assert_true(control_begin(lab.block, SP));
    lap_end(lab.block, which, now);
    control_end(lab.block);
}

static const struct store_lap *record_of(const struct control *block, uint64_t which)
{
    for (store_ref ref = block->recorder->laps; ref;) {
        const struct store_lap *record = lab_at(block, ref);
        const struct store_function *function = lab_at(block, record->function);
        if (function->address == which) return record;
        ref = record->next;
    }
    return NULL;
}

static const struct store_lap *record(uint64_t which)
{
    const struct store_lap *found = record_of(lab.block, which);
    assert_non_null(found);
    return found;
}

static const struct store_lap_series *series(uint64_t which)
{
    return lab_at(lab.block, record(which)->series);
}

static const struct store_lap_worst *worst_of(const struct control *block, uint64_t which,
                                              uint64_t number)
{
    const struct store_lap *found = record_of(block, which);
    const struct store_lap_worst *places = lab_at(block, found->worst);
    for (uint32_t i = 0; found->worst && i < found->worst_used; i++) {
        assert_int_equal(places[i].changes % 2, 0);
        if (places[i].number == number) return &places[i];
    }
    return NULL;
}

static uint64_t self_in(const struct control *block, const struct store_lap_worst *place,
                        uint64_t address)
{
    uint64_t ticks = 0;
    const struct store_lap_self *selves = lab_at(block, place->selves);
    for (uint32_t i = 0; i < place->used; i++) {
        const struct store_function *function = lab_at(block, selves[i].function);
        if (function->address == address) ticks += selves[i].ticks;
    }
    return ticks;
}

static uint64_t sum_of(const struct control *block, uint64_t which, uint64_t address)
{
    const struct store_lap_sums *sums = lab_at(block, record_of(block, which)->sums);
    const struct store_function *function = lab_function(block, address);
    return function && function->number < sums->capacity ? sums->ticks[function->number] : 0;
}

/* A lap of `ticks`, of which A takes a and B, called by A, b. */
static uint64_t run_lap(uint64_t which, uint64_t now, uint64_t ticks, uint64_t a, uint64_t b)
{
    begin(which, now);
    lab_enter(A, SP, now);
    lab_enter(B, SP - 32, now + a);
    lab_exit(B, SP - 32, now + a + b);
    lab_exit(A, SP, now + a + b);
    end(which, now + ticks);
    return now + ticks;
}

static void laps_are_counted_and_timed(void **state)
{
    open_lab((struct recorder_options){.worst_laps = 4, .lap_budget_ns = 500});
    uint64_t now = FIRST;
    for (uint64_t i = 1; i <= 9; i++) now = run_lap(kind, now, i * 100, i, 2 * i) + 50;
    assert_int_equal(record(kind)->count, 9);
    assert_int_equal(record(kind)->total_ticks, 4500);
    assert_int_equal(record(kind)->missed, 4); /* 600 … 900; 500 is in time */
    assert_int_equal(record(kind)->is_open, 0);
    const struct store_function *function = lab_at(lab.block, record(kind)->function);
    assert_int_equal(lab_histogram_sum(lab.block, function), 9);
    assert_int_equal(sum_of(lab.block, kind, A), 45);
    assert_int_equal(sum_of(lab.block, kind, B), 90);
    begin(kind, now);
    assert_int_equal(record(kind)->is_open, 1);
    assert_int_equal(record(kind)->start_ticks, now);
    assert_int_equal(record(kind)->count, 9);
    assert_int_equal(lab_lost(LOST_LAPS), 0);
}

static void the_longest_are_kept_with_what_functions_took(void **state)
{
    open_lab((struct recorder_options){.worst_laps = 3, .lap_budget_ns = 500});
    static const uint64_t ticks[] = {100, 900, 300, 300, 800, 200, 700, 950, 100};
    uint64_t now = FIRST;
    for (int i = 0; i < 9; i++) now = run_lap(kind, now, ticks[i], ticks[i] / 4, ticks[i] / 2) + 9;
    assert_int_equal(record(kind)->worst_used, 3);
    static const int longest[] = {1, 4, 7};
    for (int i = 0; i < 3; i++) {
        const struct store_lap_worst *place = worst_of(lab.block, kind, (uint64_t)longest[i]);
        assert_non_null(place);
        assert_int_equal(place->ticks, ticks[longest[i]]);
        assert_int_equal(self_in(lab.block, place, A), ticks[longest[i]] / 4);
        assert_int_equal(self_in(lab.block, place, B), ticks[longest[i]] / 2);
    }
}

static void with_none_asked_for_none_is_kept(void **state)
{
    open_lab((struct recorder_options){.worst_laps = 0, .lap_budget_ns = 500});
    (void)run_lap(kind, FIRST, 100, 10, 20);
    assert_int_equal(record(kind)->worst, 0);
    assert_int_equal(record(kind)->count, 1);
}

static void calls_that_reach_over_the_ends_count_for_what_lies_inside(void **state)
{
    open_lab((struct recorder_options){.worst_laps = 4, .lap_budget_ns = 500});
    lab_enter(A, SP, FIRST);
    begin(kind, FIRST + 100);
    lab_enter(B, SP - 32, FIRST + 150);
    end(kind, FIRST + 170); /* A 50, B 20 */
    lab_exit(B, SP - 32, FIRST + 300);
    begin(kind, FIRST + 400);
    end(kind, FIRST + 410); /* A 10 */
    lab_exit(A, SP, FIRST + 500);
    assert_int_equal(self_in(lab.block, worst_of(lab.block, kind, 0), A), 50);
    assert_int_equal(self_in(lab.block, worst_of(lab.block, kind, 0), B), 20);
    assert_int_equal(self_in(lab.block, worst_of(lab.block, kind, 1), A), 10);
    assert_int_equal(self_in(lab.block, worst_of(lab.block, kind, 1), B), 0);
    assert_int_equal(sum_of(lab.block, kind, A), 60);
}

static void kinds_overlap_freely(void **state)
{
    open_lab((struct recorder_options){.worst_laps = 4, .lap_budget_ns = 500});
    begin(kind, FIRST);
    begin(other_kind, FIRST + 40);
    lab_enter(A, SP, FIRST + 50);
    end(kind, FIRST + 100);
    lab_exit(A, SP, FIRST + 150);
    end(other_kind, FIRST + 200);
    assert_int_equal(self_in(lab.block, worst_of(lab.block, kind, 0), A), 50);
    assert_int_equal(self_in(lab.block, worst_of(lab.block, other_kind, 0), A), 100);
    assert_int_equal(record(kind)->total_ticks, 100);
    assert_int_equal(record(other_kind)->total_ticks, 160);
}

static void a_beginning_ends_the_open_one_and_an_end_alone_is_lost(void **state)
{
    open_lab((struct recorder_options){.worst_laps = 4, .lap_budget_ns = 500});
    end(kind, FIRST);
    assert_int_equal(lab_lost(LOST_LAPS), 1);
    begin(kind, FIRST);
    begin(kind, FIRST + 100);
    begin(kind, FIRST + 300);
    assert_int_equal(record(kind)->count, 2);
    assert_int_equal(record(kind)->total_ticks, 300);
    end(kind, FIRST + 350);
    end(kind, FIRST + 360);
    assert_int_equal(record(kind)->count, 3);
    assert_int_equal(lab_lost(LOST_LAPS), 2);
}

static void the_series_holds_all_and_then_merges_neighbours(void **state)
{
    open_lab((struct recorder_options){.worst_laps = 2, .lap_budget_ns = 500});
    uint64_t now = FIRST, sum = 0, laps = 0;
    for (uint32_t i = 0; i < STORE_LAP_BUCKETS; i++)
        now = run_lap(kind, now, 100 + i % 7, 1, 1) + 10;
    assert_int_equal(series(kind)->used, STORE_LAP_BUCKETS);
    assert_int_equal(series(kind)->laps_per_bucket, 1);
    assert_int_equal(series(kind)->buckets[3].start_ticks, FIRST + 3 * 110 + 0 + 1 + 2);
    for (uint32_t i = STORE_LAP_BUCKETS; i < 3 * STORE_LAP_BUCKETS; i++)
        now = run_lap(kind, now, 100 + i % 7, 1, 1) + 10;
    assert_int_equal(series(kind)->laps_per_bucket, 4);
    for (uint32_t i = 0; i < series(kind)->used; i++) {
        const struct store_lap_bucket *bucket = &series(kind)->buckets[i];
        assert_int_equal(bucket->laps, 4);
        uint64_t expected = 0, least = 1000, most = 0;
        for (uint32_t k = 4 * i; k < 4 * i + 4; k++) {
            expected += 100 + k % 7;
            if (100 + k % 7 < least) least = 100 + k % 7;
            if (100 + k % 7 > most) most = 100 + k % 7;
        }
        assert_int_equal(bucket->sum_ticks, expected);
        assert_int_equal(bucket->min_ticks, least);
        assert_int_equal(bucket->max_ticks, most);
        sum += bucket->sum_ticks;
        laps += bucket->laps;
    }
    assert_int_equal(laps, record(kind)->count);
    assert_int_equal(sum, record(kind)->total_ticks);
}

/* One lap in which each of `n` functions takes its number in ticks. */
static void lap_of_many(uint32_t n)
{
    uint64_t now = FIRST;
    begin(kind, now);
    for (uint32_t i = 1; i <= n; i++) {
        lab_enter(A + i * 16, SP, now);
        lab_exit(A + i * 16, SP, now += i);
    }
    end(kind, now);
}

static void of_very_many_functions_the_largest_are_kept(void **state)
{
    open_lab((struct recorder_options){.worst_laps = 1, .lap_budget_ns = 500});
    lap_of_many(3000);
    const struct store_lap_worst *place = worst_of(lab.block, kind, 0);
    assert_int_equal(place->used, STORE_LAP_SELVES);
    const struct store_lap_self *selves = lab_at(lab.block, place->selves);
    uint64_t least = UINT64_MAX;
    for (uint32_t i = 0; i < place->used; i++)
        if (selves[i].ticks < least) least = selves[i].ticks;
    assert_true(least >= 1024); /* of 2048 … 3000 all, and some of the power below */
    assert_int_equal(self_in(lab.block, place, A + 3000 * 16), 3000);
    assert_int_equal(self_in(lab.block, place, A + 2048 * 16), 2048);
    assert_int_equal(sum_of(lab.block, kind, A + 16), 1);
}

static void without_memory_a_lap_is_lost_and_counted(void **state)
{
    open_lab((struct recorder_options){.worst_laps = 4, .lap_budget_ns = 500});
    lab_exhaust();
    begin(kind, FIRST);
    end(kind, FIRST + 10);
    assert_int_equal(lab_lost(LOST_LAPS), 2);
    lab_replenish();
    (void)run_lap(kind, FIRST + 20, 100, 10, 20);
    assert_int_equal(record(kind)->count, 1);
}

static void kinds_are_bounded(void **state)
{
    open_lab((struct recorder_options){.worst_laps = 4, .lap_budget_ns = 500});
    for (int i = 0; i < LAP_KINDS + 3; i++) begin(make_kind("one of many"), FIRST);
    assert_int_equal(lab_lost(LOST_LAPS), 3);
}

static void a_lap_left_open_by_a_dead_thread_is_lost_and_counted(void **state)
{
    open_lab((struct recorder_options){.worst_laps = 4, .lap_budget_ns = 500});
    begin(kind, FIRST);
    lap_drop_all(lab.block);
    assert_int_equal(record(kind)->is_open, 0);
    assert_int_equal(record(kind)->count, 0);
    assert_int_equal(lab_lost(LOST_LAPS), 1);
    (void)run_lap(kind, FIRST + 20, 100, 10, 20);
    assert_int_equal(record(kind)->total_ticks, 100);
}

static struct {
    uint32_t count;
    struct func_lap items[2];
} watched = {2, {{A, "A by name"}, {B + 512, "B by name"}}};

static int unwatch(void **state)
{
    func_watch(NULL);
    return lab_close(state);
}

static void calls_of_watched_functions_are_laps(void **state)
{
    open_lab((struct recorder_options){.worst_laps = 4, .lap_budget_ns = 500});
    lab_enter(A, SP, FIRST); /* known before it is watched, and open meanwhile */
    lab_enter(B, SP - 32, FIRST);
    func_watch((const struct func_laps *)(const void *)&watched);
    recorder_mark_laps(A);
    assert_int_equal(func_mark(A), A | STORE_MARK_LAP);
    assert_int_equal(func_mark(B), B);
    lab_exit(B, SP - 32, FIRST + 10);
    lab_exit(A, SP, FIRST + 20);
    assert_int_equal(lab.block->recorder->laps, 0);
    lab_enter(A, SP, FIRST + 100);
    lab_enter(B, SP - 32, FIRST + 110);
    lab_enter(A, SP - 64, FIRST + 120); /* inside another: none of its own */
    lab_exit(A, SP - 64, FIRST + 130);
    const struct store_lap *laps = lab_at(lab.block, lab.block->recorder->laps);
    assert_int_equal(laps->count, 0);
    assert_int_equal(laps->is_open, 1);
    lab_exit(B, SP - 32, FIRST + 140);
    lab_exit(A, SP, FIRST + 700);
    assert_int_equal(laps->count, 1);
    assert_int_equal(laps->total_ticks, 600);
    assert_int_equal(laps->missed, 1);
    /* Without its exit: it ends where what is further out goes on. */
    lab_enter(A, SP - 32, FIRST + 800);
    lab_enter(B, SP, FIRST + 900);
    assert_int_equal(laps->count, 2);
    lab_exit(B, SP, FIRST + 950);
    const struct store_function *function = lab_at(lab.block, laps->function);
    assert_int_equal(function->flags, STORE_FUNCTION_LAP);
    const struct store_text *name = lab_at(lab.block, (store_ref)function->address);
    assert_string_equal(name->data, "A by name");
    /* All that it took counts for it, wherever its nodes stand. */
    uint64_t calls = 0;
    const struct store_node *node;
    for (uint32_t i = 0; (node = lab_nth_node(lab.block, i)); i++)
        if ((node->address & STORE_ADDRESS_MASK) == A) calls += node->count;
    assert_int_equal(calls, 4);
    assert_int_equal(lab_histogram_sum(lab.block, lab_function(lab.block, A)), 4);
}

static struct control *make(void)
{
    const struct recorder_thread thread = {
        .tid = 1, .stack_low = LAB_LOW, .stack_high = LAB_HIGH, .started_ticks = 1};
    lab.block = recorder_make(&thread);
    control_end(lab.block);
    return lab.block;
}

static void folding_keeps_counts_sums_and_the_longest(void **state)
{
    lab_open_store(
        (struct recorder_options){.worst_laps = 3, .lap_budget_ns = 500, .clock_source = CLOCK_NS});
    kind = make_kind("Frame");
    struct control *first = make();
    uint64_t now = run_lap(kind, FIRST, 900, 100, 200);
    (void)run_lap(kind, now, 400, 10, 20);
    struct control *second = make();
    lab_enter(B + 512, SP, FIRST); /* numbers of functions differ */
    lab_exit(B + 512, SP, FIRST + 1);
    now = run_lap(kind, FIRST, 800, 50, 60);
    now = run_lap(kind, now, 300, 1, 2);
    (void)run_lap(kind, now, 850, 70, 80);
    store_ref array = record_of(second, kind)->series;
    fold_into_others(first);
    fold_into_others(second);
    const struct control *others = control_block(control_process()->others - 1);
    const struct store_lap *sum = record_of(others, kind);
    assert_non_null(sum);
    assert_int_equal(sum->count, 5);
    assert_int_equal(sum->missed, 3);
    assert_int_equal(sum->total_ticks, 3250);
    assert_int_equal(sum_of(others, kind, A), 231);
    assert_int_equal(sum_of(others, kind, B), 362);
    const struct store_function *function = lab_at(others, sum->function);
    assert_int_equal(lab_histogram_sum(others, function), 5);
    assert_int_equal(sum->worst_used, 3);
    assert_int_equal(self_in(others, worst_of(others, kind, 2), A), 70);
    assert_int_equal(self_in(others, worst_of(others, kind, 2), B), 80);
    lab.block = second;
    assert_int_equal(record(kind)->count, 0);
    assert_int_equal(sum_of(second, kind, A), 0);
    (void)run_lap(kind, now + 5000, 100, 5, 6);
    assert_int_equal(record(kind)->count, 1);
    assert_int_equal(sum_of(second, kind, A), 5);
    assert_int_equal(series(kind)->used, 1);
    assert_int_equal(record(kind)->series, array); /* threads that come and go take no more */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        LAB_CASE(laps_are_counted_and_timed),
        LAB_CASE(the_longest_are_kept_with_what_functions_took),
        LAB_CASE(with_none_asked_for_none_is_kept),
        LAB_CASE(calls_that_reach_over_the_ends_count_for_what_lies_inside),
        LAB_CASE(kinds_overlap_freely),
        LAB_CASE(a_beginning_ends_the_open_one_and_an_end_alone_is_lost),
        LAB_CASE(the_series_holds_all_and_then_merges_neighbours),
        LAB_CASE(of_very_many_functions_the_largest_are_kept),
        LAB_CASE(without_memory_a_lap_is_lost_and_counted),
        LAB_CASE(kinds_are_bounded),
        LAB_CASE(a_lap_left_open_by_a_dead_thread_is_lost_and_counted),
        cmocka_unit_test_teardown(calls_of_watched_functions_are_laps, unwatch),
        LAB_CASE(folding_keeps_counts_sums_and_the_longest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT
 *
 * A function has one record, whose histogram counts each duration in the bucket that the layout's
 * formula names. */
#include "record/func.h"

#include "lab.h"

#include "clock/clock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { A = 0xa000, B = 0xb000, MANY = 5000 };

static struct store_function *make(uint64_t address)
{
    store_ref ref = func_make(lab.block, address);
    assert_int_not_equal(ref, 0);
    return store_at(&lab.store, ref);
}

static void record(const struct store_function *function, uint64_t ticks)
{
    func_record(lab.block, func_make(lab.block, function->address), ticks);
}

static void the_same_address_has_the_same_record(void **state)
{
    lab_open((struct recorder_options){0});
    struct store_function *a = make(A);
    assert_int_equal(a->address, A);
    assert_ptr_equal(make(A), a);
    assert_ptr_not_equal(make(B), a);
    assert_ptr_equal(lab_function(lab.block, A), a);
    assert_int_equal((uintptr_t)a % 64, 0);
}

static void it_says_when_it_was_first_seen(void **state)
{
    lab_open((struct recorder_options){0});
    enum clock_source source = (enum clock_source)recorder_settings()->clock_source;
    uint64_t before = clock_now(source);
    const struct store_function *a = make(A);
    uint64_t seen = a->first_ticks;
    assert_in_range(seen, before, clock_now(source));
    (void)make(A);
    assert_int_equal(a->first_ticks, seen);
}

static void thousands_of_functions_are_all_found(void **state)
{
    static struct store_function *functions[MANY];
    lab_open((struct recorder_options){0});
    for (uint64_t i = 0; i < MANY; i++) functions[i] = make(A + i * 4096);
    for (uint64_t i = 0; i < MANY; i++) {
        assert_ptr_equal(make(A + i * 4096), functions[i]);
        assert_int_equal(functions[i]->address, A + i * 4096);
    }
    assert_non_null(lab_nth_function(lab.block, MANY - 1));
    assert_null(lab_nth_function(lab.block, MANY));
}

static void a_category_is_no_function_of_the_same_number(void **state)
{
    lab_open((struct recorder_options){0});
    assert_ptr_not_equal(make(A | STORE_MARK_CATEGORY), make(A));
    assert_ptr_equal(make(A | STORE_MARK_CATEGORY), make(A | STORE_MARK_CATEGORY));
}

/* Counts one duration and checks that its bucket, and no other, has it. */
static void check_duration(const struct store_function *function, uint64_t ticks, uint64_t counted)
{
    uint32_t bucket = lab_bucket_of(ticks);
    uint64_t before = lab_bucket(lab.block, function, bucket);
    record(function, ticks);
    assert_int_equal(lab_bucket(lab.block, function, bucket), before + 1);
    assert_int_equal(lab_histogram_sum(lab.block, function), counted);
}

static void every_duration_is_counted_in_its_bucket(void **state)
{
    lab_open((struct recorder_options){0});
    const struct store_function *a = make(A);
    uint64_t counted = 0;
    for (int bit = 0; bit < 64; bit++) {
        uint64_t power = UINT64_C(1) << bit;
        check_duration(a, power - 1, ++counted);
        check_duration(a, power, ++counted);
        check_duration(a, power + power / 3, ++counted);
        check_duration(a, power + (power - 1), ++counted);
    }
    check_duration(a, UINT64_MAX, ++counted);
    assert_int_equal(lab_histogram_sum(lab.block, make(B)), 0);
}

/* The formula of the test itself, at points that can be worked out by hand. */
static void the_grid_is_single_below_512_then_256_steps_an_octave(void **state)
{
    lab_open((struct recorder_options){0});
    const struct store_function *a = make(A);
    static const struct {
        uint64_t ticks;
        uint32_t bucket;
    } points[] = {{0, 0},     {1, 1},     {255, 255},  {256, 256},  {511, 511},         {512, 512},
                  {513, 512}, {514, 513}, {1023, 767}, {1024, 768}, {UINT64_MAX, 14591}};
    for (size_t i = 0; i < sizeof points / sizeof points[0]; i++) {
        uint64_t before = lab_bucket(lab.block, a, points[i].bucket);
        record(a, points[i].ticks);
        assert_int_equal(lab_bucket(lab.block, a, points[i].bucket), before + 1);
    }
    assert_int_equal(STORE_BUCKETS, 14592);
}

static void the_blocks_of_short_calls_lie_one_behind_the_other(void **state)
{
    static const uint64_t firsts[] = {0, 63, 64, 130, 255};
    lab_open((struct recorder_options){0});
    for (uint64_t i = 0; i < 5; i++) {
        const struct store_function *function = make(A + i);
        record(function, firsts[i]);
        assert_int_not_equal(function->blocks[0], 0);
        for (uint32_t k = 1; k < 4; k++) {
            assert_int_equal(function->blocks[k], function->blocks[0] + k * 64);
        }
        assert_int_equal(function->blocks[4], 0);
    }
}

static void a_long_call_makes_its_own_block_only(void **state)
{
    lab_open((struct recorder_options){0});
    const struct store_function *a = make(A);
    record(a, 1 << 20);
    for (uint32_t i = 0; i < STORE_BLOCKS; i++) {
        if (i == lab_bucket_of(1 << 20) / 64)
            assert_int_not_equal(a->blocks[i], 0);
        else
            assert_int_equal(a->blocks[i], 0);
    }
}

static void counters_are_made_once(void **state)
{
    lab_open((struct recorder_options){0});
    struct store_function *a = make(A);
    uint64_t *second = func_counters(lab.block, a, 1), *late = func_counters(lab.block, a, 100);
    assert_ptr_equal(func_counters(lab.block, a, 1), second);
    assert_ptr_equal(func_counters(lab.block, a, 100), late);
    assert_ptr_equal(func_counters(lab.block, a, 0) + 64, second);
    assert_ptr_not_equal(late, second);
}

static void without_memory_a_lost_sample_is_counted(void **state)
{
    lab_open((struct recorder_options){0});
    struct store_function *a = make(A);
    record(a, 10);
    lab_exhaust();
    record(a, 11); /* its counters are there */
    assert_int_equal(lab_lost(LOST_SAMPLES), 0);
    record(a, 100000);
    assert_int_equal(lab_lost(LOST_SAMPLES), 1);
    assert_null(func_counters(lab.block, a, 200));
    uint64_t made = 0;
    while (made < MANY && func_make(lab.block, B + made)) made++;
    assert_true(made < MANY);
    assert_ptr_equal(make(A), a);
    lab_replenish();
    assert_int_equal(make(B + made)->address, B + made);
}

static void samples_are_kept_where_they_are_asked_for(void **state)
{
    lab_open((struct recorder_options){.function_samples = 3, .max_samples = 5});
    const struct store_function *function = make(A), *category = make(A | STORE_MARK_CATEGORY);
    for (uint64_t i = 0; i < 10; i++) {
        record(function, i);
        record(category, i);
    }
    assert_int_equal(((const struct store_ring *)lab_at(lab.block, function->ring))->limit, 3);
    assert_int_equal(((const struct store_ring *)lab_at(lab.block, category->ring))->limit, 5);
}

static void otherwise_a_function_keeps_none_and_a_category_does(void **state)
{
    lab_open((struct recorder_options){.max_samples = 5});
    const struct store_function *function = make(A), *category = make(A | STORE_MARK_CATEGORY);
    record(function, 1);
    record(category, 1);
    assert_int_equal(function->ring, 0);
    assert_int_not_equal(category->ring, 0);
}

static void unloaded_code_is_marked_and_what_comes_there_later_is_new(void **state)
{
    lab_open((struct recorder_options){0});
    struct store_function *before = make(A - 1), *first = make(A), *last = make(B - 1);
    struct store_function *behind = make(B);
    func_forget(lab.block, A, B);
    assert_int_equal(before->address, A - 1);
    assert_true(first->address == (A | STORE_MARK_UNLOADED));
    assert_true(last->address == ((B - 1) | STORE_MARK_UNLOADED));
    assert_int_equal(behind->address, B);
    struct store_function *again = make(A);
    assert_ptr_not_equal(again, first);
    for (uint64_t i = 0; i < 500; i++) (void)make(B + i);
    assert_ptr_equal(make(A), again);
    assert_true(first->address == (A | STORE_MARK_UNLOADED));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        LAB_CASE(the_same_address_has_the_same_record),
        LAB_CASE(it_says_when_it_was_first_seen),
        LAB_CASE(thousands_of_functions_are_all_found),
        LAB_CASE(a_category_is_no_function_of_the_same_number),
        LAB_CASE(every_duration_is_counted_in_its_bucket),
        LAB_CASE(the_grid_is_single_below_512_then_256_steps_an_octave),
        LAB_CASE(the_blocks_of_short_calls_lie_one_behind_the_other),
        LAB_CASE(a_long_call_makes_its_own_block_only),
        LAB_CASE(counters_are_made_once),
        LAB_CASE(without_memory_a_lost_sample_is_counted),
        LAB_CASE(samples_are_kept_where_they_are_asked_for),
        LAB_CASE(otherwise_a_function_keeps_none_and_a_category_does),
        LAB_CASE(unloaded_code_is_marked_and_what_comes_there_later_is_new),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

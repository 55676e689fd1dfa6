/* SPDX-License-Identifier: MIT
 *
 * The newest samples, in the slots that the layout names, within the bound on all rings. */
#include "record/ring.h"

#include "lab.h"

#include "record/func.h"
#include "record/ring_hot.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static struct store_function *function(uint64_t address)
{
    store_ref ref = func_make(lab.block, address);
    assert_int_not_equal(ref, 0);
    return store_at(&lab.store, ref);
}

static const struct store_ring *ring_of(const struct store_function *owner)
{
    return owner->ring ? lab_at(lab.block, owner->ring) : NULL;
}

/* A value that tells which sample it is. */
static uint64_t value(uint64_t i) { return i * 1000003 + 17; }

static void add(struct store_function *owner, uint64_t from, uint64_t to, uint32_t limit)
{
    for (uint64_t i = from; i < to; i++) ring_add(lab.block, owner, value(i), limit);
}

/* Of `written` samples the newest `held` are there: sample i at i % held. */
static void assert_newest(const struct store_function *owner, uint64_t written, uint64_t held)
{
    const struct store_ring *ring = ring_of(owner);
    assert_non_null(ring);
    assert_int_equal(ring->lapped + ring->next, written);
    assert_true(ring->capacity >= (written < held ? written : held));
    const uint64_t *samples = lab_at(lab.block, ring->samples);
    for (uint64_t i = written < held ? 0 : written - held; i < written; i++) {
        assert_int_equal(samples[i % held], value(i));
    }
}

static void as_long_as_they_fit_all_samples_are_there(void **state)
{
    lab_open((struct recorder_options){0});
    struct store_function *owner = function(1);
    for (uint64_t i = 0; i < 300; i++) {
        add(owner, i, i + 1, 1000);
        assert_newest(owner, i + 1, 1000);
    }
}

static void beyond_the_limit_the_newest_are_there(void **state)
{
    lab_open((struct recorder_options){0});
    struct store_function *owner = function(1);
    for (uint64_t i = 0; i < 1000; i++) {
        add(owner, i, i + 1, 100);
        assert_newest(owner, i + 1, 100);
    }
    assert_int_equal(ring_of(owner)->capacity, 100);
}

static void a_ring_of_one_holds_the_last(void **state)
{
    lab_open((struct recorder_options){0});
    struct store_function *owner = function(1);
    add(owner, 0, 7, 1);
    assert_newest(owner, 7, 1);
}

static void memory_grows_with_the_samples(void **state)
{
    lab_open((struct recorder_options){0});
    struct store_function *owner = function(1);
    add(owner, 0, 1, 1 << 20);
    assert_true(ring_of(owner)->capacity <= 64);
    add(owner, 1, 1000, 1 << 20);
    assert_true(ring_of(owner)->capacity <= 2000);
    assert_newest(owner, 1000, 1 << 20);
}

static void rings_are_apart(void **state)
{
    lab_open((struct recorder_options){0});
    struct store_function *one = function(1), *two = function(2);
    for (uint64_t i = 0; i < 500; i++) {
        add(one, i, i + 1, 200);
        if (i % 2) add(two, i / 2, i / 2 + 1, 150);
    }
    assert_newest(one, 500, 200);
    assert_newest(two, 250, 150);
}

static void all_rings_together_stay_within_the_bound(void **state)
{
    enum { BOUND = 5000 };
    lab_open((struct recorder_options){.sample_bytes = BOUND});
    for (uint64_t i = 1; i < 50; i++) add(function(i), 0, 300, 200);
    uint64_t bytes = 0, rings_with_samples = 0;
    for (uint64_t i = 1; i < 50; i++) {
        const struct store_ring *ring = ring_of(function(i));
        if (!ring || !ring->capacity) continue;
        bytes += ring->capacity * sizeof(uint64_t);
        rings_with_samples++;
        assert_newest(function(i), 300, ring->capacity);
        assert_int_equal(ring->limit, ring->capacity);
    }
    assert_true(rings_with_samples > 0);
    assert_true(bytes <= BOUND);
    assert_true(control_process()->ring_bytes <= BOUND);
}

static void what_one_ring_is_refused_is_there_for_another(void **state)
{
    /* 64 samples for the first, whose 128 are refused; then 64 for the second. */
    lab_open((struct recorder_options){.sample_bytes = 2 * 64 * sizeof(uint64_t)});
    struct store_function *one = function(1), *two = function(2), *three = function(3);
    add(one, 0, 200, 1000);
    add(two, 0, 200, 1000);
    add(three, 0, 200, 1000);
    assert_newest(one, 200, 64);
    assert_newest(two, 200, 64);
    assert_int_equal(ring_of(three)->capacity, 0);
    assert_int_equal(ring_of(three)->lapped + ring_of(three)->next, 0);
}

static void without_memory_a_ring_keeps_its_size(void **state)
{
    lab_open((struct recorder_options){0});
    struct store_function *owner = function(1), *late = function(2);
    add(owner, 0, 64, 1000);
    lab_exhaust();
    add(owner, 64, 200, 1000);
    assert_newest(owner, 200, 64);
    add(late, 0, 5, 1000);
    assert_null(ring_of(late));
    lab_replenish();
    add(late, 0, 5, 1000);
    assert_newest(late, 5, 1000);
    add(owner, 200, 300, 1000);
    assert_newest(owner, 300, 64);
}

#if defined(__x86_64__)
static struct store_function *stepped;
static int steps_left;

static void add_at_the_step(int number)
{
    (void)number;
    if (!--steps_left) ring_add(lab.block, stepped, value(1000), 1000);
}

/* The straight line with a handler after `steps` of its instructions that adds too; false where it
 * ended before. */
static bool add_with_a_handler(struct store_function *owner, uint32_t limit, int steps)
{
    stepped = owner;
    steps_left = steps;
    __asm__ volatile("pushf; orq $0x100, (%%rsp); popf" ::: "memory", "cc");
    bool is_added = ring_try_add(lab.block->base, owner->ring, value(2000));
    __asm__ volatile("pushf; andq $~0x100, (%%rsp); popf" ::: "memory", "cc");
    if (!is_added) ring_add(lab.block, owner, value(2000), limit);
    return steps_left <= 0;
}

static uint64_t held_of(const struct store_ring *ring, uint64_t wanted)
{
    uint64_t n = 0;
    const uint64_t *samples = lab_at(lab.block, ring->samples);
    for (uint32_t i = 0; i < (ring->lapped ? ring->capacity : ring->next); i++)
        n += samples[i] == wanted;
    return n;
}

/* Where both go: into the last places, over the end, or around. */
static void a_handler_at_any_instruction_takes_a_place_of_its_own(void **state)
{
    const struct {
        uint32_t before, limit;
    } cases[] = {{62, 1000}, {63, 1000}, {64, 1000}, {63, 64}, {64, 64}};
    signal(SIGTRAP, add_at_the_step);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        bool more = true;
        for (int steps = 1; more; steps++) {
            lab_open((struct recorder_options){0});
            struct store_function *owner = function(1);
            add(owner, 0, cases[i].before, cases[i].limit);
            more = add_with_a_handler(owner, cases[i].limit, steps);
            const struct store_ring *ring = ring_of(owner);
            assert_int_equal(ring->lapped + ring->next, cases[i].before + 1 + more);
            assert_int_equal(held_of(ring, value(2000)), 1);
            assert_int_equal(held_of(ring, value(1000)), more);
            assert_true(more || steps > 5);
            lab_close(state);
        }
    }
    signal(SIGTRAP, SIG_DFL);
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        LAB_CASE(as_long_as_they_fit_all_samples_are_there),
        LAB_CASE(beyond_the_limit_the_newest_are_there),
        LAB_CASE(a_ring_of_one_holds_the_last),
        LAB_CASE(memory_grows_with_the_samples),
        LAB_CASE(rings_are_apart),
        LAB_CASE(all_rings_together_stay_within_the_bound),
        LAB_CASE(what_one_ring_is_refused_is_there_for_another),
        LAB_CASE(without_memory_a_ring_keeps_its_size),
#if defined(__x86_64__)
        LAB_CASE(a_handler_at_any_instruction_takes_a_place_of_its_own),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

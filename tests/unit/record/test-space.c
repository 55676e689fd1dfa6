/* SPDX-License-Identifier: MIT
 *
 * A recorder's own space: aligned, apart, little at first; lists of segments whose items stay where
 * they are. */
#include "record/space.h"

#include "lab.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { KIB = 1024, PIECES = 2000 };

static uint64_t piece_bytes(uint32_t i) { return i % 100 == 0 ? 100 * KIB + i : 1 + i * 53 % 3000; }

static bool is_filled(const void *space, uint8_t value, uint64_t bytes)
{
    const uint8_t *at = space;
    while (bytes && *at == value) at++, bytes--;
    return !bytes;
}

static void pieces_are_aligned_zeroed_and_apart(void **state)
{
    static store_ref pieces[PIECES];
    lab_open((struct recorder_options){0});
    for (uint32_t i = 0; i < PIECES; i++) {
        pieces[i] = space_alloc(lab.block, piece_bytes(i));
        assert_int_not_equal(pieces[i], 0);
        uint8_t *piece = store_at(&lab.store, pieces[i]);
        assert_int_equal((uintptr_t)piece % 64, 0);
        assert_true(is_filled(piece, 0, piece_bytes(i)));
        memset(piece, (int)(i % 255 + 1), piece_bytes(i));
    }
    for (uint32_t i = 0; i < PIECES; i++) {
        const void *piece = lab_at(lab.block, pieces[i]);
        assert_true(is_filled(piece, (uint8_t)(i % 255 + 1), piece_bytes(i)));
    }
}

static void a_recorder_begins_with_at_most_64_kib(void **state)
{
    lab_open_store((struct recorder_options){0});
    uint64_t before = store_head(&lab.store)->used_bytes;
    const struct recorder_thread thread = {.tid = 1, .stack_high = UINTPTR_MAX};
    assert_non_null(recorder_make(&thread));
    assert_true(store_head(&lab.store)->used_bytes - before <= 64 * KIB);
}

static void small_pieces_ask_the_store_seldom(void **state)
{
    uint32_t asked = 0;
    lab_open((struct recorder_options){0});
    for (uint32_t i = 0; i < 10000; i++) {
        uint64_t before = store_head(&lab.store)->used_bytes;
        assert_int_not_equal(space_alloc(lab.block, 64), 0);
        asked += store_head(&lab.store)->used_bytes != before;
    }
    assert_true(asked <= 16); /* 640 000 bytes by 64 KiB and more would be 10 */
}

static void two_recorders_share_no_space(void **state)
{
    lab_open((struct recorder_options){0});
    const struct recorder_thread thread = {.tid = 1, .stack_high = UINTPTR_MAX};
    struct control *other = recorder_make(&thread);
    assert_non_null(other);
    for (uint32_t i = 0; i < 500; i++) {
        memset(store_at(&lab.store, space_alloc(lab.block, 300)), 1, 300);
        assert_true(is_filled(store_at(&lab.store, space_alloc(other, 300)), 0, 300));
    }
}

static void a_full_store_refuses_until_it_has_memory_again(void **state)
{
    lab_open((struct recorder_options){0});
    lab_exhaust();
    assert_int_equal(space_alloc(lab.block, 8), 0);
    assert_int_equal(space_alloc(lab.block, 100 * KIB), 0);
    lab_replenish();
    assert_int_not_equal(space_alloc(lab.block, 8), 0);
    assert_int_not_equal(space_alloc(lab.block, 100 * KIB), 0);
}

enum { KIND = 77, ITEM = 24, FIRST = 4, MOST = 32 };
static store_ref head, tail;

static const struct space_list list = {&head, &tail, KIND, ITEM, FIRST, MOST};

static void open_list(void)
{
    head = tail = 0;
    lab_open((struct recorder_options){0});
}

static void put(uint64_t value)
{
    store_ref ref = space_next_item(lab.block, &list);
    assert_int_not_equal(ref, 0);
    memcpy(store_at(&lab.store, ref), &value, sizeof value);
    space_publish(lab.block, tail);
}

static void a_list_holds_its_items_in_order(void **state)
{
    open_list();
    uint64_t expected = 0;
    for (uint64_t i = 0; i < 1000; i++) put(i);
    for (store_ref ref = head; ref;) {
        const struct store_segment *segment = lab_at(lab.block, ref);
        assert_int_equal(segment->kind, KIND);
        for (uint32_t k = 0; k < segment->used; k++) {
            uint64_t value;
            memcpy(&value, (const char *)segment + 64 + k * ITEM, sizeof value);
            assert_int_equal(value, expected++);
        }
        if (!segment->next) assert_int_equal(ref, tail);
        ref = segment->next;
    }
    assert_int_equal(expected, 1000);
}

static void segments_double_up_to_the_largest(void **state)
{
    static const uint32_t capacities[] = {4, 8, 16, 32, 32, 32};
    open_list();
    for (uint64_t i = 0; i < 4 + 8 + 16 + 32 + 32 + 1; i++) put(i);
    store_ref ref = head;
    for (int i = 0; i < 6; i++) {
        const struct store_segment *segment = lab_at(lab.block, ref);
        assert_int_equal(segment->capacity, capacities[i]);
        assert_int_equal(segment->used, i < 5 ? capacities[i] : 1);
        ref = segment->next;
    }
    assert_int_equal(ref, 0);
}

static void an_item_that_was_not_published_is_given_again(void **state)
{
    open_list();
    for (uint64_t i = 0; i < FIRST; i++) put(i);
    store_ref first = space_next_item(lab.block, &list);
    assert_int_equal(space_next_item(lab.block, &list), first);
    assert_int_equal(((const struct store_segment *)lab_at(lab.block, tail))->used, 0);
    space_publish(lab.block, tail);
    assert_int_not_equal(space_next_item(lab.block, &list), first);
}

static void a_list_that_can_not_grow_stays_as_it_is(void **state)
{
    open_list();
    for (uint64_t i = 0; i < FIRST; i++) put(i);
    lab_exhaust();
    store_ref before = tail;
    assert_int_equal(space_next_item(lab.block, &list), 0);
    assert_int_equal(tail, before);
    assert_int_equal(((const struct store_segment *)lab_at(lab.block, tail))->next, 0);
    lab_replenish();
    put(FIRST);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        LAB_CASE(pieces_are_aligned_zeroed_and_apart),
        LAB_CASE(a_recorder_begins_with_at_most_64_kib),
        LAB_CASE(small_pieces_ask_the_store_seldom),
        LAB_CASE(two_recorders_share_no_space),
        LAB_CASE(a_full_store_refuses_until_it_has_memory_again),
        LAB_CASE(a_list_holds_its_items_in_order),
        LAB_CASE(segments_double_up_to_the_largest),
        LAB_CASE(an_item_that_was_not_published_is_given_again),
        LAB_CASE(a_list_that_can_not_grow_stays_as_it_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT
 *
 * What an arena gives is zeroed and its own; what it takes back comes again zeroed. */
#include "base/arena.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>

#include <cmocka.h>

enum { KIB = 1024, MIB = 1024 * 1024 };

static bool is_zero(const unsigned char *at, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        if (at[i]) return false;
    }
    return true;
}

static void memory_is_zeroed_and_aligned_to_16_bytes(void **state)
{
    struct arena arena = ARENA_INIT;
    for (size_t bytes = 1; bytes < 5000; bytes += 7) {
        unsigned char *at = arena_alloc(&arena, bytes);
        assert_non_null(at);
        assert_int_equal((uintptr_t)at % 16, 0);
        assert_true(is_zero(at, bytes));
        memset(at, 0xff, bytes);
    }
    arena_fini(&arena);
}

static void no_two_pieces_overlap(void **state)
{
    enum { PIECES = 3000 };
    static unsigned char *pieces[PIECES];
    struct arena arena = ARENA_INIT;
    for (size_t i = 0; i < PIECES; i++) {
        pieces[i] = arena_alloc(&arena, 1 + i % 1000);
        memset(pieces[i], (int)(i % 251), 1 + i % 1000);
    }
    for (size_t i = 0; i < PIECES; i++) {
        for (size_t k = 0; k < 1 + i % 1000; k++) assert_int_equal(pieces[i][k], i % 251);
    }
    arena_fini(&arena);
}

static void a_release_gives_back_what_came_after_the_mark_and_nothing_else(void **state)
{
    struct arena arena = ARENA_INIT;
    char *kept = arena_copy(&arena, "kept", 4);
    struct arena_mark mark = arena_mark(&arena);
    unsigned char *first = arena_alloc(&arena, 1000);
    memset(first, 0xff, 1000);
    arena_release(&arena, mark);
    assert_string_equal(kept, "kept");
    unsigned char *again = arena_alloc(&arena, 1000);
    assert_ptr_equal(again, first);
    assert_true(is_zero(again, 1000));
    arena_fini(&arena);
}

static void a_release_across_blocks_unmaps_them_and_clears_the_rest(void **state)
{
    struct arena arena = ARENA_INIT;
    (void)arena_alloc(&arena, 100 * KIB);
    struct arena_mark mark = arena_mark(&arena);
    size_t mapped = arena.mapped_bytes;
    for (int i = 0; i < 100; i++) {
        unsigned char *at = arena_alloc(&arena, 50 * KIB);
        assert_non_null(at);
        memset(at, 0xff, 50 * KIB);
    }
    assert_true(arena.mapped_bytes >= 5000 * KIB);
    arena_release(&arena, mark);
    assert_int_equal(arena.mapped_bytes, mapped);
    for (int i = 0; i < 100; i++) assert_true(is_zero(arena_alloc(&arena, 50 * KIB), 50 * KIB));
    arena_fini(&arena);
}

static void the_mark_of_an_empty_arena_releases_everything(void **state)
{
    struct arena arena = ARENA_INIT;
    struct arena_mark mark = arena_mark(&arena);
    (void)arena_alloc(&arena, 10 * MIB);
    (void)arena_alloc(&arena, 10);
    arena_release(&arena, mark);
    assert_int_equal(arena.mapped_bytes, 0);
    assert_null(arena.blocks);
    assert_non_null(arena_alloc(&arena, 10));
    arena_fini(&arena);
}

static void marks_nest(void **state)
{
    struct arena arena = ARENA_INIT;
    struct arena_mark outer = arena_mark(&arena);
    char *first = arena_copy(&arena, "first", 5);
    struct arena_mark inner = arena_mark(&arena);
    (void)arena_alloc(&arena, 300 * KIB);
    arena_release(&arena, inner);
    arena_release(&arena, inner);
    assert_string_equal(first, "first");
    arena_release(&arena, outer);
    assert_int_equal(arena.mapped_bytes, 0);
}

static void it_owns_what_it_gave_in_any_block(void **state)
{
    struct arena arena = ARENA_INIT;
    char outside = 0;
    assert_false(arena_owns(&arena, &outside));
    char *old = arena_alloc(&arena, 100);
    char *new = arena_alloc(&arena, 2 * MIB);
    assert_true(arena_owns(&arena, old) && arena_owns(&arena, old + 99));
    assert_true(arena_owns(&arena, new) && arena_owns(&arena, new + 2 * MIB - 1));
    assert_false(arena_owns(&arena, &outside));
    assert_false(arena_owns(&arena, NULL));
    arena_fini(&arena);
    assert_false(arena_owns(&arena, old));
}

static void a_limit_is_never_passed_and_what_fits_still_comes(void **state)
{
    struct arena arena = {.limit_bytes = 1 * MIB};
    int pieces = 0;
    while (pieces < 1000 && arena_alloc(&arena, 10 * KIB)) {
        assert_true(arena.mapped_bytes <= arena.limit_bytes);
        pieces++;
    }
    assert_in_range(pieces, 25, 102);
    assert_null(arena_alloc(&arena, 2 * MIB));
    assert_non_null(arena_alloc(&arena, 16));
    arena_fini(&arena);
}

static void sizes_that_no_memory_has_are_refused(void **state)
{
    struct arena arena = ARENA_INIT;
    assert_null(arena_alloc(&arena, SIZE_MAX));
    assert_null(arena_alloc(&arena, SIZE_MAX / 2));
    assert_null(arena_alloc(&arena, (size_t)1 << 60));
    assert_int_equal(arena.mapped_bytes, 0);
}

static void a_piece_may_be_larger_than_any_block(void **state)
{
    struct arena arena = ARENA_INIT;
    (void)arena_alloc(&arena, 1);
    unsigned char *at = arena_alloc(&arena, 40 * MIB);
    assert_non_null(at);
    at[40 * MIB - 1] = 1;
    assert_true(arena_owns(&arena, at + 40 * MIB - 1));
    arena_fini(&arena);
}

static void blocks_double_up_to_16_mib(void **state)
{
    struct arena arena = ARENA_INIT;
    size_t expected = 256 * KIB;
    for (int i = 0; i < 9; i++) {
        struct arena_mark mark = arena_mark(&arena);
        while (arena_mark(&arena).block == mark.block) (void)arena_alloc(&arena, 64 * KIB);
        assert_int_equal(arena.size, expected);
        if (expected < 16 * MIB) expected *= 2;
    }
    arena_fini(&arena);
}

static void a_copy_ends_with_a_nul_and_keeps_those_inside(void **state)
{
    struct arena arena = ARENA_INIT;
    assert_string_equal(arena_copy(&arena, "abcdef", 3), "abc");
    assert_string_equal(arena_copy(&arena, "abc", 0), "");
    assert_memory_equal(arena_copy(&arena, "a\0b", 3), "a\0b", 4);
    arena_fini(&arena);
}

static void after_its_end_an_arena_is_empty_and_usable(void **state)
{
    struct arena arena = ARENA_INIT;
    (void)arena_alloc(&arena, 5 * MIB);
    arena_fini(&arena);
    assert_int_equal(arena.mapped_bytes, 0);
    arena_fini(&arena);
    assert_non_null(arena_alloc(&arena, 5));
    arena_fini(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_is_zeroed_and_aligned_to_16_bytes),
        cmocka_unit_test(no_two_pieces_overlap),
        cmocka_unit_test(a_release_gives_back_what_came_after_the_mark_and_nothing_else),
        cmocka_unit_test(a_release_across_blocks_unmaps_them_and_clears_the_rest),
        cmocka_unit_test(the_mark_of_an_empty_arena_releases_everything),
        cmocka_unit_test(marks_nest),
        cmocka_unit_test(it_owns_what_it_gave_in_any_block),
        cmocka_unit_test(a_limit_is_never_passed_and_what_fits_still_comes),
        cmocka_unit_test(sizes_that_no_memory_has_are_refused),
        cmocka_unit_test(a_piece_may_be_larger_than_any_block),
        cmocka_unit_test(blocks_double_up_to_16_mib),
        cmocka_unit_test(a_copy_ends_with_a_nul_and_keeps_those_inside),
        cmocka_unit_test(after_its_end_an_arena_is_empty_and_usable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT
 *
 * Which symbols are functions, which of two is the better, and that the order does not depend on
 * the order in the file. */
#include "symbols/span.h"

#include "image.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define TEXT IMAGE_TEXT_ADDRESS
#define FUNCTION(name, address, size, binding)                                                     \
    {                                                                                              \
        name, address, size, binding, STT_FUNC, IMAGE_TEXT                                         \
    }

static struct image image;
static struct arena arena;
static struct span_texts texts;
static struct span *spans;

static uint32_t collect(const struct image_symbol *symbols, size_t count, uint16_t machine)
{
    struct elf_image elf;
    uint32_t collected = 0;
    image_make(&image, symbols, count);
    image.header->e_machine = machine;
    assert_int_equal(elf_open(image.bytes, image.size, &elf, NULL), 0);
    assert_int_equal(span_collect(&arena, &elf, NULL, &texts, &spans, &collected), 0);
    return collected;
}

static uint32_t sorted(const struct image_symbol *symbols, size_t count)
{
    uint32_t collected = collect(symbols, count, EM_X86_64);
    assert_int_equal(span_sort(&arena, &texts, spans, collected), 0);
    return collected;
}

static int clear(void **state)
{
    arena_fini(&arena);
    return 0;
}

static void only_functions_and_sized_labels_in_code_are_taken(void **state)
{
    const struct image_symbol symbols[] = {
        {"function", TEXT, 4, STB_LOCAL, STT_FUNC, IMAGE_TEXT},
        {"indirect", TEXT, 4, STB_LOCAL, STT_GNU_IFUNC, IMAGE_TEXT},
        {"label", TEXT, 4, STB_LOCAL, STT_NOTYPE, IMAGE_TEXT},
        {"bare_label", TEXT, 0, STB_LOCAL, STT_NOTYPE, IMAGE_TEXT},
        {"data_label", IMAGE_DATA_ADDRESS, 4, STB_LOCAL, STT_NOTYPE, IMAGE_DATA},
        {"object", TEXT, 4, STB_LOCAL, STT_OBJECT, IMAGE_TEXT},
        {"section", TEXT, 0, STB_LOCAL, STT_SECTION, IMAGE_TEXT},
        {"undefined", 0, 0, STB_GLOBAL, STT_FUNC, SHN_UNDEF},
        {"absolute", TEXT, 4, STB_GLOBAL, STT_FUNC, SHN_ABS},
        {"", TEXT, 4, STB_GLOBAL, STT_FUNC, IMAGE_TEXT},
    };
    assert_int_equal(collect(symbols, 10, EM_X86_64), 3);
    assert_string_equal(span_name(&texts, &spans[0]), "function");
    assert_string_equal(span_name(&texts, &spans[1]), "indirect");
    assert_string_equal(span_name(&texts, &spans[2]), "label");
}

static void mapping_symbols_are_passed_over_on_aarch64_alone(void **state)
{
    const struct image_symbol symbols[] = {FUNCTION("$x", TEXT, 4, 0), FUNCTION("$d.1", TEXT, 4, 0),
                                           FUNCTION("$xyz", TEXT, 4, 0)};
    assert_int_equal(collect(symbols, 3, EM_AARCH64), 1);
    assert_int_equal(collect(symbols, 3, EM_X86_64), 3);
}

static void the_better_of_two_comes_last_in_either_order(void **state)
{
    /* Each is better than the one before it, by the one rule that its neighbours differ in. */
    const struct image_symbol ranks[] = {
        {"local_label", TEXT, 8, STB_LOCAL, STT_NOTYPE, IMAGE_TEXT},
        FUNCTION("local", TEXT, 8, STB_LOCAL),
        FUNCTION("local_larger", TEXT, 9, STB_LOCAL),
        FUNCTION("weak_tiny", TEXT, 1, STB_WEAK),
        FUNCTION("g@@V1", TEXT, 2, STB_GLOBAL),
        FUNCTION("global_longer", TEXT, 2, STB_GLOBAL),
        FUNCTION("zlobal", TEXT, 2, STB_GLOBAL),
        FUNCTION("global", TEXT, 2, STB_GLOBAL),
    };
    for (int i = 0; i + 1 < (int)(sizeof ranks / sizeof *ranks); i++) {
        const struct image_symbol upward[] = {ranks[i], ranks[i + 1]};
        const struct image_symbol downward[] = {ranks[i + 1], ranks[i]};
        assert_int_equal(sorted(upward, 2), 2);
        assert_string_equal(span_name(&texts, &spans[1]), ranks[i + 1].name);
        assert_int_equal(sorted(downward, 2), 2);
        assert_string_equal(span_name(&texts, &spans[1]), ranks[i + 1].name);
    }
}

static void any_order_is_sorted_by_address(void **state)
{
    struct image_symbol symbols[60];
    for (uint64_t i = 0; i < 60; i++) /* 37 and 60 have no common divisor */
        symbols[i] = (struct image_symbol)FUNCTION("f", TEXT + i * 37 % 60 * 4, 4, STB_LOCAL);
    assert_int_equal(sorted(symbols, 60), 60);
    for (uint64_t i = 0; i < 60; i++) assert_int_equal(spans[i].address, TEXT + i * 4);
}

static void a_symbol_without_a_size_ends_at_the_next_or_with_its_section(void **state)
{
    const struct image_symbol symbols[] = {FUNCTION("last", TEXT + 16, 0, STB_LOCAL),
                                           FUNCTION("first", TEXT, 0, STB_LOCAL),
                                           FUNCTION("alias", TEXT, 0, STB_GLOBAL)};
    assert_int_equal(sorted(symbols, 3), 3);
    assert_int_equal(spans[0].end, TEXT + 16);
    assert_int_equal(spans[1].end, TEXT + 16);
    assert_int_equal(spans[2].end, TEXT + IMAGE_TEXT_BYTES);
}

static void a_size_past_the_last_address_ends_there(void **state)
{
    const struct image_symbol symbols[] = {FUNCTION("huge", TEXT, UINT64_MAX, STB_LOCAL),
                                           FUNCTION("nowhere", UINT64_MAX, 1, STB_LOCAL)};
    assert_int_equal(sorted(symbols, 2), 1);
    assert_int_equal(spans[0].end, UINT64_MAX);
}

static void what_a_better_symbol_hides_whole_is_dropped(void **state)
{
    const struct image_symbol symbols[] = {
        FUNCTION("hidden", TEXT, 8, STB_LOCAL), FUNCTION("best", TEXT, 8, STB_GLOBAL),
        FUNCTION("longer", TEXT, 12, STB_LOCAL), FUNCTION("other", TEXT + 4, 8, STB_LOCAL)};
    uint32_t count = sorted(symbols, 4);
    assert_int_equal(span_thin_out(spans, count), 3);
    assert_string_equal(span_name(&texts, &spans[0]), "longer");
    assert_string_equal(span_name(&texts, &spans[1]), "best");
    assert_string_equal(span_name(&texts, &spans[2]), "other");
}

static void a_table_that_is_not_what_it_says_is_absent(void **state)
{
    const struct image_symbol symbol = FUNCTION("f", TEXT, 8, STB_LOCAL);
    struct elf_image elf;
    uint32_t count = 9;
    image_make(&image, &symbol, 1);
    assert_int_equal(elf_open(image.bytes, image.size, &elf, NULL), 0);
    Elf64_Shdr *table = &image.sections[IMAGE_SYMTAB], good = *table;
    for (int i = 0; i < 4; i++) {
        *table = good;
        if (i == 0) table->sh_entsize = 16;
        if (i == 1) table->sh_link = IMAGE_TEXT;
        if (i == 2) table->sh_flags = SHF_COMPRESSED;
        if (i == 3) image.sections[IMAGE_STRTAB].sh_size--; /* the final NUL */
        assert_int_equal(span_collect(&arena, &elf, NULL, &texts, &spans, &count), 0);
        assert_int_equal(count, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(only_functions_and_sized_labels_in_code_are_taken, clear),
        cmocka_unit_test_teardown(mapping_symbols_are_passed_over_on_aarch64_alone, clear),
        cmocka_unit_test_teardown(the_better_of_two_comes_last_in_either_order, clear),
        cmocka_unit_test_teardown(any_order_is_sorted_by_address, clear),
        cmocka_unit_test_teardown(a_symbol_without_a_size_ends_at_the_next_or_with_its_section,
                                  clear),
        cmocka_unit_test_teardown(a_size_past_the_last_address_ends_there, clear),
        cmocka_unit_test_teardown(what_a_better_symbol_hides_whole_is_dropped, clear),
        cmocka_unit_test_teardown(a_table_that_is_not_what_it_says_is_absent, clear),
    };
    return cmocka_run_group_tests_name("symbols/span", tests, NULL, NULL);
}

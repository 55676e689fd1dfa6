/* SPDX-License-Identifier: MIT
 *
 * Symbol table entries become spans if they may be a function's; a radix sort orders them by
 * address and a merge sort those of one address (qsort may allocate). Runs anywhere. */
#include "symbols/span.h"

#include <elf.h>
#include <errno.h>
#include <string.h>

/* Names are compared over this many bytes; the rest would only let a hostile file take our time. */
enum { COMPARED_BYTES = 1024 };

struct table {
    const struct elf_image *image;
    struct elf_section section; /* of the symbol before: the next one's is mostly the same */
    uint32_t section_index;
    const uint8_t *symbols;
    const char *text;
    uint64_t text_bytes, count;
};

static struct table table_of(const struct elf_image *image, uint32_t type)
{
    struct table none = {0}, table = {.image = image};
    struct elf_section symbols, text;
    if (!image || !elf_section_of_type(image, type, &symbols)) return none;
    if (symbols.entry_bytes != sizeof(Elf64_Sym) || !elf_section_at(image, symbols.link, &text) ||
        text.type != SHT_STRTAB || text.size == 0)
        return none;
    table.symbols = elf_section_bytes(image, &symbols);
    table.text = (const char *)elf_section_bytes(image, &text);
    table.text_bytes = text.size;
    table.count = symbols.size / sizeof(Elf64_Sym);
    if (!table.symbols || !table.text || table.text[text.size - 1] != '\0') return none;
    return table;
}

/* $x and $d mark code and data (ELF for the Arm 64-bit Architecture, "Mapping symbols"). */
static bool is_mapping_symbol(const struct elf_image *image, const char *name)
{
    return image->machine == EM_AARCH64 && name[0] == '$' && (name[1] == 'x' || name[1] == 'd') &&
           (name[2] == '\0' || name[2] == '.');
}

/* Where a symbol of that section ends at the latest; 0 where it can't be a function's. */
static uint64_t latest_end(struct table *table, uint16_t index, bool function)
{
    if (index == SHN_XINDEX) return function ? UINT64_MAX : 0;
    if (index != table->section_index) {
        if (!elf_section_at(table->image, index, &table->section))
            return 0; /* also SHN_ABS and kin */
        table->section_index = index;
    }
    if (!function && !(table->section.flags & SHF_EXECINSTR)) return 0;
    uint64_t end = table->section.address + table->section.size;
    return end < table->section.address ? UINT64_MAX : end;
}

static bool make_span(struct table *table, const Elf64_Sym *symbol, struct span *out)
{
    unsigned type = ELF64_ST_TYPE(symbol->st_info), binding = ELF64_ST_BIND(symbol->st_info);
    bool function = type == STT_FUNC || type == STT_GNU_IFUNC;
    if (!function && (type != STT_NOTYPE || symbol->st_size == 0)) return false;
    if (symbol->st_shndx == SHN_UNDEF || symbol->st_name >= table->text_bytes) return false;
    const char *name = table->text + symbol->st_name;
    if (!name[0] || is_mapping_symbol(table->image, name)) return false;
    uint64_t end = latest_end(table, symbol->st_shndx, function);
    if (end == 0 || symbol->st_value == UINT64_MAX) return false;
    if (symbol->st_size)
        end = symbol->st_size > UINT64_MAX - symbol->st_value ? UINT64_MAX
                                                              : symbol->st_value + symbol->st_size;
    else if (end <= symbol->st_value)
        end = symbol->st_value + 1;
    *out = (struct span){.address = symbol->st_value,
                         .end = end,
                         .name = symbol->st_name,
                         .binding = binding == STB_LOCAL ? 0 : (binding == STB_WEAK ? 1 : 2),
                         .function = function,
                         .sized = symbol->st_size != 0};
    return true;
}

/* Appends the spans of one table, or counts them where `spans` is NULL. */
static uint32_t take(struct table *table, uint8_t index, struct span *spans)
{
    uint32_t count = 0;
    for (uint64_t i = 0; i < table->count && count < UINT32_MAX / 4; i++) {
        Elf64_Sym symbol;
        memcpy(&symbol, table->symbols + i * sizeof symbol, sizeof symbol);
        struct span span;
        if (!make_span(table, &symbol, &span)) continue;
        span.table = index;
        if (spans) spans[count] = span;
        count++;
    }
    return count;
}

int span_collect(struct arena *arena, const struct elf_image *object, const struct elf_image *debug,
                 struct span_texts *texts, struct span **spans, uint32_t *count)
{
    struct table tables[SPAN_TABLES] = {table_of(object, SHT_SYMTAB), table_of(object, SHT_DYNSYM),
                                        table_of(debug, SHT_SYMTAB)};
    uint32_t all = 0;
    for (uint8_t i = 0; i < SPAN_TABLES; i++) all += take(&tables[i], i, NULL);
    struct span *room = arena_alloc(arena, (size_t)all * sizeof **spans);
    if (!room) return -ENOMEM;
    uint32_t taken = 0;
    for (uint8_t i = 0; i < SPAN_TABLES; i++) {
        texts->text[i] = tables[i].text;
        taken += take(&tables[i], i, room + taken);
    }
    *spans = room;
    *count = taken;
    return 0;
}

const char *span_name(const struct span_texts *texts, const struct span *span)
{
    return texts->text[span->table] + span->name;
}

static int three_way(uint64_t a, uint64_t b) { return (a > b) - (a < b); }

static int compare_names(const char *a, const char *b)
{
    size_t a_bytes = strnlen(a, COMPARED_BYTES), b_bytes = strnlen(b, COMPARED_BYTES);
    bool a_versioned = memchr(a, '@', a_bytes), b_versioned = memchr(b, '@', b_bytes);
    if (a_versioned != b_versioned) return b_versioned - a_versioned;
    if (a_bytes != b_bytes) return three_way(b_bytes, a_bytes);
    return -memcmp(a, b, a_bytes);
}

/* Of two symbols at one address: negative where a is the worse one. */
static int compare_worth(const struct span_texts *texts, const struct span *a, const struct span *b)
{
    if (a->binding != b->binding) return a->binding - b->binding;
    uint64_t a_size = a->sized ? a->end - a->address : 0;
    uint64_t b_size = b->sized ? b->end - b->address : 0;
    if (a_size != b_size) return three_way(a_size, b_size);
    if (a->function != b->function) return a->function - b->function;
    if (a->table == b->table && a->name == b->name) return 0;
    return compare_names(span_name(texts, a), span_name(texts, b));
}

/* from[low … middle) and from[middle … high) are in order; to[low … high) will be. */
static void merge_runs(const struct span_texts *texts, const struct span *from, struct span *to,
                       const uint32_t bounds[3])
{
    uint32_t a = bounds[0], b = bounds[1], at = bounds[0];
    while (a < bounds[1] && b < bounds[2])
        to[at++] = compare_worth(texts, &from[a], &from[b]) <= 0 ? from[a++] : from[b++];
    memcpy(to + at, from + a, (bounds[1] - a) * sizeof *to);
    at += bounds[1] - a;
    memcpy(to + at, from + b, (bounds[2] - b) * sizeof *to);
}

static uint32_t end_of_run(const struct span_texts *texts, const struct span *spans, uint32_t at,
                           uint32_t count)
{
    if (at == count) return count;
    while (++at < count && compare_worth(texts, &spans[at - 1], &spans[at]) <= 0) {
    }
    return at;
}

/* One pass: neighbouring runs are merged two by two. Returns how many runs are left. */
static uint32_t merge_pass(const struct span_texts *texts, const struct span *from, struct span *to,
                           uint32_t count)
{
    uint32_t runs = 0;
    for (uint32_t low = 0; low < count; runs++) {
        uint32_t middle = end_of_run(texts, from, low, count);
        uint32_t high = end_of_run(texts, from, middle, count);
        merge_runs(texts, from, to, (const uint32_t[3]){low, middle, high});
        low = high;
    }
    return runs;
}

static void close_open_ends(struct span *spans, uint32_t count)
{
    uint64_t next = UINT64_MAX; /* the nearest start beyond the address at hand */
    for (uint32_t i = count; i-- > 0;) {
        if (i + 1 < count && spans[i + 1].address != spans[i].address) next = spans[i + 1].address;
        if (!spans[i].sized && spans[i].end > next) spans[i].end = next;
    }
}

/* Orders spans of one start by their worth. */
static void sort_aliases(const struct span_texts *texts, struct span *spans, struct span *other,
                         uint32_t count)
{
    struct span *from = spans, *to = other;
    for (uint32_t runs = 2; runs > 1;) {
        runs = merge_pass(texts, from, to, count);
        struct span *swap = from;
        from = to;
        to = swap;
    }
    if (from != spans) memcpy(spans, from, (size_t)count * sizeof *spans);
}

enum { DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS };

static unsigned digit_of(const struct span *span, unsigned shift)
{
    return (unsigned)(span->address >> shift) & (DIGITS - 1);
}

/* One pass of the radix sort, stable. False where all have the same digit: nothing was moved. */
static bool radix_pass(const struct span *from, struct span *to, uint32_t count, unsigned shift)
{
    uint32_t places[DIGITS] = {0}, place = 0;
    for (uint32_t i = 0; i < count; i++) places[digit_of(&from[i], shift)]++;
    if (count == 0 || places[digit_of(&from[0], shift)] == count) return false;
    for (unsigned digit = 0; digit < DIGITS; digit++) {
        uint32_t these = places[digit];
        places[digit] = place;
        place += these;
    }
    for (uint32_t i = 0; i < count; i++) to[places[digit_of(&from[i], shift)]++] = from[i];
    return true;
}

/* Returns which of the two arrays holds the result. */
static struct span *sort_addresses(struct span *spans, struct span *other, uint32_t count)
{
    struct span *from = spans, *to = other;
    for (unsigned shift = 0; shift < 64; shift += DIGIT_BITS) {
        if (!radix_pass(from, to, count, shift)) continue;
        struct span *swap = from;
        from = to;
        to = swap;
    }
    return from;
}

int span_sort(struct arena *arena, const struct span_texts *texts, struct span *spans,
              uint32_t count)
{
    struct arena_mark mark = arena_mark(arena);
    struct span *other = arena_alloc(arena, (size_t)count * sizeof *spans);
    if (!other) return -ENOMEM;
    struct span *sorted = sort_addresses(spans, other, count);
    if (sorted != spans) memcpy(spans, sorted, (size_t)count * sizeof *spans);
    for (uint32_t low = 0, high; low < count; low = high) {
        for (high = low + 1; high < count && spans[high].address == spans[low].address;) high++;
        if (high - low > 1) sort_aliases(texts, spans + low, other, high - low);
    }
    arena_release(arena, mark);
    close_open_ends(spans, count);
    return 0;
}

uint32_t span_thin_out(struct span *spans, uint32_t count)
{
    /* From the back, where the best of an address stands, and kept at the back. */
    uint32_t kept = count;
    uint64_t address = 0, furthest = 0;
    for (uint32_t i = count; i-- > 0;) {
        if (kept == count || spans[i].address != address) {
            address = spans[i].address;
            furthest = 0;
        }
        if (spans[i].end <= furthest) continue;
        furthest = spans[i].end;
        spans[--kept] = spans[i];
    }
    memmove(spans, spans + kept, (count - kept) * sizeof *spans);
    return count - kept;
}

/* SPDX-License-Identifier: MIT
 *
 * Any bytes as an object: sections, build-id, debuglink and every symbol's name are read, in
 * bounded time. What a look-up finds must cover the address that it was asked for. */
#include "symbols/debugfile.h"
#include "symbols/demangle.h"
#include "symbols/module.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds) abort();
}

static bool is_inside(const struct elf_image *image, const void *start, size_t bytes)
{
    const uint8_t *at = start;
    return at >= image->bytes && bytes <= image->size - (size_t)(at - image->bytes);
}

static void visit_headers(const struct elf_image *image)
{
    struct elf_section section;
    struct elf_segment segment;
    for (uint32_t i = 0; elf_section_at(image, i, &section); i++) {
        const uint8_t *bytes = elf_section_bytes(image, &section);
        require(!bytes || is_inside(image, bytes, section.size));
        require(!section.name[0] || is_inside(image, section.name, strlen(section.name) + 1));
    }
    for (uint32_t i = 0; elf_segment_at(image, i, &segment); i++) require(i < image->segments);
    uint32_t bytes;
    const uint8_t *id = elf_build_id(image, &bytes);
    require(!id || (bytes > 0 && is_inside(image, id, bytes)));
}

static void find(const struct symbols_module *module, uint64_t address)
{
    static char out[65536];
    struct symbol symbol;
    if (!symbols_find(module, address, &symbol)) return;
    require(symbol.address <= address);
    require(symbol.size == 0 || address - symbol.address < symbol.size);
    require(symbol.name_bytes > 0 && symbol.name[symbol.name_bytes] == '\0');
    size_t length = symbols_demangle(symbol.name, symbol.name_bytes, out, sizeof out);
    require(strlen(out) == length);
}

/* Around every value of the first symbol table, whatever it stands for. */
static void find_all(const struct elf_image *image, const struct symbols_module *module)
{
    struct elf_section table;
    if (!elf_section_of_type(image, SHT_SYMTAB, &table)) return;
    const uint8_t *bytes = elf_section_bytes(image, &table);
    for (uint64_t at = 0; bytes && at + sizeof(Elf64_Sym) <= table.size; at += sizeof(Elf64_Sym)) {
        Elf64_Sym symbol;
        memcpy(&symbol, bytes + at, sizeof symbol);
        find(module, symbol.st_value - 1);
        find(module, symbol.st_value);
        find(module, symbol.st_value + symbol.st_size - 1);
        find(module, symbol.st_value + symbol.st_size);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct arena arena; /* its first block is kept: the kernel need not be asked each time */
    struct arena_mark mark = arena_mark(&arena);
    struct elf_file file = {0}, debug = {0};
    struct symbols_module *module = NULL;
    struct fault fault = {0};
    int error = elf_open(data, size, &file.image, &fault);
    require(error == fault.error && !error == !fault.text[0]);
    if (error) return 0;
    visit_headers(&file.image);
    require(!debugfile_find(&arena, &file, "/nonexistent/app", "/nonexistent", &debug));
    if (symbols_open_images(&arena, &file.image, &file.image, &module, &fault) == 0)
        find_all(&file.image, module);
    arena_release(&arena, mark);
    return 0;
}

/* SPDX-License-Identifier: MIT
 *
 * See image.h. The layout: header, section headers, then the contents one after the other. */
#include "image.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

static uint64_t append(struct image *image, const void *data, size_t bytes)
{
    image->size = (image->size + 7) & ~(uint64_t)7;
    assert_true(image->size + bytes <= sizeof image->bytes);
    uint64_t at = image->size;
    memcpy(image->bytes + at, data, bytes);
    image->size += bytes;
    return at;
}

static void add_section(struct image *image, int index, uint32_t type, const void *data,
                        size_t bytes)
{
    Elf64_Shdr *section = &image->sections[index];
    section->sh_type = type;
    section->sh_offset = append(image, data, bytes);
    section->sh_size = bytes;
    section->sh_addralign = 4;
}

static void add_symbols(struct image *image, const struct image_symbol *symbols, size_t count)
{
    Elf64_Sym table[64] = {{0}};
    char text[4096] = "";
    size_t end = 1;
    assert_true(count < 64);
    for (size_t i = 0; i < count; i++) {
        table[i + 1] = (Elf64_Sym){.st_name = (uint32_t)end,
                                   .st_value = symbols[i].address,
                                   .st_size = symbols[i].size,
                                   .st_shndx = (uint16_t)symbols[i].section};
        table[i + 1].st_info = (unsigned char)(symbols[i].binding << 4 | symbols[i].type);
        assert_true(end + strlen(symbols[i].name) + 1 <= sizeof text);
        strcpy(text + end, symbols[i].name);
        end += strlen(symbols[i].name) + 1;
    }
    add_section(image, IMAGE_SYMTAB, SHT_SYMTAB, table, (count + 1) * sizeof *table);
    image->sections[IMAGE_SYMTAB].sh_entsize = sizeof *table;
    image->sections[IMAGE_SYMTAB].sh_link = IMAGE_STRTAB;
    add_section(image, IMAGE_STRTAB, SHT_STRTAB, text, end);
}

void image_make(struct image *image, const struct image_symbol *symbols, size_t count)
{
    static const Elf64_Ehdr header = {
        .e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
        .e_type = ET_DYN,
        .e_machine = EM_X86_64,
        .e_shoff = sizeof header,
        .e_shentsize = sizeof(Elf64_Shdr),
        .e_shnum = IMAGE_SECTIONS,
        .e_shstrndx = IMAGE_NAMES};
    static const unsigned char note[] = {4, 0, 0,   0,   4,   0, 0,    0,    3,    0,
                                         0, 0, 'G', 'N', 'U', 0, 0xde, 0xad, 0xbe, 0xef};
    static const char names[] = "\0.text\0.symtab";
    static const Elf64_Shdr none[IMAGE_SECTIONS];
    memset(image, 0, sizeof *image);
    image->header = (Elf64_Ehdr *)(image->bytes + append(image, &header, sizeof header));
    image->sections = (Elf64_Shdr *)(image->bytes + append(image, none, sizeof none));
    image->sections[IMAGE_TEXT] = (Elf64_Shdr){.sh_name = 1,
                                               .sh_type = SHT_NOBITS,
                                               .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
                                               .sh_addr = IMAGE_TEXT_ADDRESS,
                                               .sh_size = IMAGE_TEXT_BYTES};
    image->sections[IMAGE_DATA] = (Elf64_Shdr){.sh_type = SHT_NOBITS,
                                               .sh_flags = SHF_ALLOC,
                                               .sh_addr = IMAGE_DATA_ADDRESS,
                                               .sh_size = 256};
    add_symbols(image, symbols, count);
    image->sections[IMAGE_SYMTAB].sh_name = 7;
    add_section(image, IMAGE_NOTE, SHT_NOTE, note, sizeof note);
    image->build_id = image->bytes + image->sections[IMAGE_NOTE].sh_offset + 16;
    add_section(image, IMAGE_NAMES, SHT_STRTAB, names, sizeof names);
}

static size_t guarded_pages(size_t bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    return (bytes + page - 1) / page * page;
}

uint8_t *guarded_copy(const void *data, size_t bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), pages = guarded_pages(bytes);
    uint8_t *at =
        mmap(NULL, pages + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(at, MAP_FAILED);
    assert_int_equal(mprotect(at + pages, page, PROT_NONE), 0);
    return memcpy(at + pages - bytes, data, bytes);
}

void guarded_free(uint8_t *copy, size_t bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), pages = guarded_pages(bytes);
    assert_int_equal(munmap(copy + bytes - pages, pages + page), 0);
}

uint8_t *whole_file(const char *directory, const char *name, size_t *bytes)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    *bytes = (size_t)ftell(file);
    rewind(file);
    uint8_t *data = malloc(*bytes + 1);
    assert_int_equal(fread(data, 1, *bytes, file), *bytes);
    fclose(file);
    return data;
}

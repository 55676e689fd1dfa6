/* SPDX-License-Identifier: MIT
 *
 * Small ELF objects laid out by hand, for the tests of this room, and files read into memory that
 * ends where they end. */
#pragma once

#include <elf.h>
#include <stddef.h>
#include <stdint.h>

/* Indices and addresses of the sections that every image has. */
enum {
    IMAGE_TEXT = 1,
    IMAGE_DATA,
    IMAGE_SYMTAB,
    IMAGE_STRTAB,
    IMAGE_NOTE,
    IMAGE_NAMES,
    IMAGE_SECTIONS
};
enum { IMAGE_TEXT_ADDRESS = 0x1000, IMAGE_TEXT_BYTES = 0x1000, IMAGE_DATA_ADDRESS = 0x3000 };

struct image_symbol {
    const char *name;
    uint64_t address, size;
    int binding, type, section;
};

struct image {
    _Alignas(16) uint8_t bytes[8192];
    uint64_t size;
    Elf64_Ehdr *header;
    Elf64_Shdr *sections; /* IMAGE_SECTIONS of them */
    uint8_t *build_id;    /* 4 bytes: de ad be ef */
};

/* An x86-64 object with these symbols, build-id deadbeef. */
void image_make(struct image *image, const struct image_symbol *symbols, size_t count);

/* Memory whose last byte is followed by a page that can't be read. NULL never: a failure ends the
 * test. guarded_copy(data, 0) is legal. */
uint8_t *guarded_copy(const void *data, size_t bytes);
void guarded_free(uint8_t *copy, size_t bytes);

/* The whole file, from malloc. */
uint8_t *whole_file(const char *directory, const char *name, size_t *bytes);

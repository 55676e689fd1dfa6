/* SPDX-License-Identifier: MIT
 *
 * A reader of ELF objects that trusts nothing: any bytes may be given to it. It reads 64-bit
 * little-endian objects of any type, from memory or from a mapped file, and copies no content:
 * what it hands out points into the image. Runs inside the target and in stint. */
#pragma once

#include "base/fault.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What the header says, checked: both tables lie within the bytes. */
struct elf_image {
    const uint8_t *bytes;
    uint64_t size;
    uint64_t sections_offset, segments_offset;
    uint32_t sections, segments; /* how many; 0 = no table */
    uint32_t names_section;      /* index of the section names' table; 0 = none */
    uint16_t type, machine;      /* ET_…, EM_… */
};

struct elf_section {
    const char *name; /* "" where it has none; ends within the image */
    uint64_t flags, address, offset, size, entry_bytes, alignment;
    uint32_t type, link, info;
};

struct elf_segment {
    uint64_t offset, address, file_bytes, memory_bytes, alignment;
    uint32_t type, flags;
};

/* Reads the header at bytes[0 … size). 0, or −ENOEXEC (no ELF object, or one of 32 bits or of
 * big-endian byte order) or −EBADMSG (damaged or cut) with a fault.
 * Context: any thread, signal-safe (so are all of this file). */
int elf_open(const void *bytes, uint64_t size, struct elf_image *out, struct fault *fault);

/* The section or segment of that index; false if there is none. */
bool elf_section_at(const struct elf_image *image, uint32_t index, struct elf_section *out);
bool elf_segment_at(const struct elf_image *image, uint32_t index, struct elf_segment *out);

/* The first section of that name, or of that type; false if there is none. */
bool elf_section_named(const struct elf_image *image, const char *name, struct elf_section *out);
bool elf_section_of_type(const struct elf_image *image, uint32_t type, struct elf_section *out);

/* The section's bytes. NULL where it occupies no file space (SHT_NOBITS), is compressed, or does
 * not lie within the image. */
const uint8_t *elf_section_bytes(const struct elf_image *image, const struct elf_section *section);

/* The GNU build-id, from a note section or else from a PT_NOTE segment; its length through bytes.
 * NULL if there is none. */
const uint8_t *elf_build_id(const struct elf_image *image, uint32_t *bytes);

/* An object in a file, mapped whole. Zero-initialised = nothing open. */
struct elf_file {
    struct elf_image image;
    uint64_t device, inode;
};

/* Maps the regular file at path and reads its header. 0 or −errno with a fault; then nothing is
 * open. elf_file_close takes a file that is not open too. */
int elf_file_open(const char *path, struct elf_file *out, struct fault *fault);
void elf_file_close(struct elf_file *file);

/* SPDX-License-Identifier: MIT
 *
 * Candidates are tried in gdb's order ("Debugging Information in Separate Files"); the first that
 * is proven to belong to the object wins. Runs anywhere. */
#include "symbols/debugfile.h"

#include "base/fmt.h"

#include <elf.h>
#include <string.h>

enum { PATH_BYTES = 4096, CRC_SLICES = 8, LONGEST_BUILD_ID = 64 };

/* What is looked for, and what proves it. */
struct wanted {
    struct arena *arena;
    const struct elf_file *object;
    const uint8_t *build_id;
    uint32_t build_id_bytes;
    const char *link_name; /* NULL = no debuglink */
    uint32_t link_crc;
};

/* Slicing by 8 (Kounavis and Berry, "Novel Table Lookup-Based Algorithms for High-Performance CRC
 * Generation", 2008): debug files have hundreds of megabytes. */
static void make_tables(uint32_t (*tables)[256])
{
    for (uint32_t byte = 0; byte < 256; byte++) {
        uint32_t crc = byte;
        for (int bit = 0; bit < 8; bit++) crc = (crc >> 1) ^ (crc & 1 ? 0xedb88320u : 0);
        tables[0][byte] = crc;
    }
    for (uint32_t byte = 0; byte < 256; byte++) {
        for (int slice = 1; slice < CRC_SLICES; slice++) {
            uint32_t before = tables[slice - 1][byte];
            tables[slice][byte] = (before >> 8) ^ tables[0][before & 0xff];
        }
    }
}

static uint32_t crc_of(uint32_t (*tables)[256], const uint8_t *data, uint64_t bytes)
{
    uint32_t crc = 0xffffffffu;
    for (; bytes >= CRC_SLICES; bytes -= CRC_SLICES, data += CRC_SLICES) {
        uint32_t low, high;
        memcpy(&low, data, 4);
        memcpy(&high, data + 4, 4);
        low ^= crc;
        crc = tables[7][low & 0xff] ^ tables[6][low >> 8 & 0xff] ^ tables[5][low >> 16 & 0xff] ^
              tables[4][low >> 24] ^ tables[3][high & 0xff] ^ tables[2][high >> 8 & 0xff] ^
              tables[1][high >> 16 & 0xff] ^ tables[0][high >> 24];
    }
    for (; bytes; bytes--, data++) crc = (crc >> 8) ^ tables[0][(crc ^ *data) & 0xff];
    return ~crc;
}

bool debugfile_crc(struct arena *arena, const uint8_t *data, uint64_t bytes, uint32_t *crc)
{
    struct arena_mark mark = arena_mark(arena);
    uint32_t(*tables)[256] = arena_alloc(arena, sizeof *tables * CRC_SLICES);
    if (!tables) return false;
    make_tables(tables);
    *crc = crc_of(tables, data, bytes);
    arena_release(arena, mark);
    return true;
}

static bool belongs(const struct wanted *wanted, const struct elf_file *file)
{
    if (file->device == wanted->object->device && file->inode == wanted->object->inode)
        return false;
    uint32_t bytes = 0;
    const uint8_t *id = elf_build_id(&file->image, &bytes);
    if (id && wanted->build_id)
        return bytes == wanted->build_id_bytes && memcmp(id, wanted->build_id, bytes) == 0;
    uint32_t crc;
    return wanted->link_name &&
           debugfile_crc(wanted->arena, file->image.bytes, file->image.size, &crc) &&
           crc == wanted->link_crc;
}

static bool try_path(const struct wanted *wanted, const struct fmt *path, struct elf_file *out)
{
    struct elf_file file = {0};
    if (path->cut || elf_file_open(path->data, &file, NULL)) return false;
    if (belongs(wanted, &file)) {
        *out = file;
        return true;
    }
    elf_file_close(&file);
    return false;
}

static bool try_build_id(const struct wanted *wanted, const char *root, char *buffer,
                         struct elf_file *out)
{
    if (!wanted->build_id || wanted->build_id_bytes < 2) return false;
    if (wanted->build_id_bytes > LONGEST_BUILD_ID) return false;
    struct fmt path = fmt_over(buffer, PATH_BYTES);
    fmt_text(&path, root);
    fmt_text(&path, "/.build-id/");
    for (uint32_t i = 0; i < wanted->build_id_bytes; i++) {
        fmt_hex(&path, wanted->build_id[i], 2);
        if (i == 0) fmt_char(&path, '/');
    }
    fmt_text(&path, ".debug");
    return try_path(wanted, &path, out);
}

/* The object's directory with its final slash is the first `bytes` of object_path. */
static bool try_link(const struct wanted *wanted, const char *object_path, const char *root,
                     char *buffer, struct elf_file *out)
{
    if (!wanted->link_name) return false;
    const char *slash = strrchr(object_path, '/');
    size_t bytes = slash ? (size_t)(slash - object_path) + 1 : 0;
    const char *before[] = {"", "", root}, *between[] = {"", ".debug/", ""};
    for (size_t i = 0; i < 3; i++) {
        if (i == 2 && object_path[0] != '/') break; /* only absolute names have a place there */
        struct fmt path = fmt_over(buffer, PATH_BYTES);
        fmt_text(&path, before[i]);
        fmt_bytes(&path, object_path, bytes);
        fmt_text(&path, between[i]);
        fmt_text(&path, wanted->link_name);
        if (try_path(wanted, &path, out)) return true;
    }
    return false;
}

/* A file name, NUL, padding to 4 bytes, and the CRC. A name with a slash is not a file's name. */
static void read_link(struct wanted *wanted)
{
    const struct elf_image *image = &wanted->object->image;
    struct elf_section section;
    if (!elf_section_named(image, ".gnu_debuglink", &section)) return;
    const uint8_t *data = elf_section_bytes(image, &section);
    const uint8_t *end = data ? memchr(data, 0, section.size) : NULL;
    if (!end || end == data || memchr(data, '/', (size_t)(end - data))) return;
    uint64_t at = ((uint64_t)(end - data) + 4) & ~(uint64_t)3;
    if (at > section.size || section.size - at < sizeof wanted->link_crc) return;
    memcpy(&wanted->link_crc, data + at, sizeof wanted->link_crc);
    wanted->link_name = (const char *)data;
}

bool debugfile_find(struct arena *arena, const struct elf_file *object, const char *path,
                    const char *root, struct elf_file *out)
{
    struct wanted wanted = {.arena = arena, .object = object};
    wanted.build_id = elf_build_id(&object->image, &wanted.build_id_bytes);
    read_link(&wanted);
    if (!wanted.build_id && !wanted.link_name) return false;
    struct arena_mark mark = arena_mark(arena);
    char *buffer = arena_alloc(arena, PATH_BYTES);
    bool found = buffer && (try_build_id(&wanted, root, buffer, out) ||
                            try_link(&wanted, path, root, buffer, out));
    arena_release(arena, mark);
    return found;
}

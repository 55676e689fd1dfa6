/* SPDX-License-Identifier: MIT
 *
 * Walking a loaded object's own tables. The loader has used these tables already, so they are taken
 * as whole; lengths are still respected. Runs where the loader may be asked. */
#include "self/elfimage.h"

#include "base/compiler.h"

#include <elf.h>
#include <string.h>

bool elfimage_init(struct elfimage *image, const struct dl_phdr_info *info)
{
    *image = (struct elfimage){.low = UINTPTR_MAX,
                               .bias = info->dlpi_addr,
                               .headers = info->dlpi_phdr,
                               .header_count = info->dlpi_phnum};
    for (uint32_t i = 0; i < image->header_count; i++) {
        const ElfW(Phdr) *header = &image->headers[i];
        uintptr_t at = image->bias + header->p_vaddr;
        if (header->p_type == PT_DYNAMIC) image->dynamic = (const ElfW(Dyn) *)at;
        if (header->p_type != PT_LOAD) continue;
        if (at < image->low) image->low = at;
        if (at + header->p_memsz > image->high) image->high = at + header->p_memsz;
    }
    return image->low < image->high;
}

static const ElfW(Dyn) * dynamic_entry(const struct elfimage *image, ElfW(Sxword) tag)
{
    for (const ElfW(Dyn) *entry = image->dynamic; entry && entry->d_tag != DT_NULL; entry++)
        if (entry->d_tag == tag) return entry;
    return NULL;
}

/* The address in an entry: the loader relocates these in place on most machines, not on all. */
static const void *dynamic_address(const struct elfimage *image, ElfW(Sxword) tag)
{
    const ElfW(Dyn) *entry = dynamic_entry(image, tag);
    if (!entry) return NULL;
    uintptr_t at = entry->d_un.d_ptr;
    if (at < image->low) at += image->bias;
    return at >= image->low && at < image->high ? (const void *)at : NULL;
}

bool elfimage_has_search_path(const struct elfimage *image)
{
    return dynamic_entry(image, DT_RUNPATH) || dynamic_entry(image, DT_RPATH);
}

bool elfimage_has_rpath(const struct elfimage *image)
{
    return dynamic_entry(image, DT_RPATH) != NULL;
}

/* How many symbols .dynsym has, or somewhat more: the names' table, which follows it with every
 * linker known, bounds it. (A GNU hash table tells where the hashed symbols begin, but weak
 * undefined ones are among those too, and an empty table tells nothing.) */
static size_t symbol_bound(const struct elfimage *image, const ElfW(Sym) * symbols,
                           const char *names)
{
    const uint32_t *hash = dynamic_address(image, DT_HASH);
    if (hash) return hash[1];
    uintptr_t first = (uintptr_t)symbols, end = (uintptr_t)names;
    return end > first ? (end - first) / sizeof *symbols : 0;
}

static bool is_ours(const char *name)
{
    return (name[0] == '_' && (strcmp(name, "__cyg_profile_func_enter") == 0 ||
                               strcmp(name, "__cyg_profile_func_exit") == 0)) ||
           (name[0] == 's' && strncmp(name, "stint_", 6) == 0);
}

bool elfimage_imports_stint(const struct elfimage *image)
{
    const ElfW(Sym) *symbols = dynamic_address(image, DT_SYMTAB);
    const char *names = dynamic_address(image, DT_STRTAB);
    const ElfW(Dyn) *size = dynamic_entry(image, DT_STRSZ);
    if (!symbols || !names || !size) return false;
    size_t bound = symbol_bound(image, symbols, names);
    for (size_t i = 1; i < bound; i++) {
        if (symbols[i].st_shndx != SHN_UNDEF || symbols[i].st_name >= size->d_un.d_val) continue;
        if (is_ours(names + symbols[i].st_name)) return true;
    }
    return false;
}

static uint32_t build_id_in(const uint8_t *notes, size_t bytes, size_t align, uint8_t *id,
                            size_t capacity)
{
    size_t at = 0;
    while (at + sizeof(ElfW(Nhdr)) <= bytes) {
        ElfW(Nhdr) note;
        memcpy(&note, notes + at, sizeof note);
        size_t name = at + sizeof note;
        size_t data = (name + note.n_namesz + align - 1) & ~(align - 1);
        if (data > bytes || note.n_descsz > bytes - data) return 0;
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
            memcmp(notes + name, "GNU", 4) == 0) {
            size_t length = note.n_descsz < capacity ? note.n_descsz : capacity;
            memcpy(id, notes + data, length);
            return (uint32_t)length;
        }
        at = (data + note.n_descsz + align - 1) & ~(align - 1);
    }
    return 0;
}

uint32_t elfimage_build_id(const struct elfimage *image, uint8_t *id, size_t capacity)
{
    for (uint32_t i = 0; i < image->header_count; i++) {
        const ElfW(Phdr) *header = &image->headers[i];
        if (header->p_type != PT_NOTE) continue;
        uintptr_t at = image->bias + header->p_vaddr;
        if (at < image->low || at + header->p_memsz > image->high) continue;
        size_t align = header->p_align == 8 ? 8 : 4;
        uint32_t length = build_id_in((const uint8_t *)at, header->p_memsz, align, id, capacity);
        if (length) return length;
    }
    return 0;
}

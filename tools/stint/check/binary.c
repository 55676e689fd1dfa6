/* SPDX-License-Identifier: MIT
 *
 * Section by section through symbols/elf.h, which knows the file's bounds. Runs in `stint`. */
#include "check/binary.h"

#include "symbols/elf.h"

#include <elf.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A section of texts that ends with a NUL, so that every offset into it is a text. */
struct texts {
    const char *bytes;
    uint64_t size;
};

static struct texts texts_of(const struct elf_image *image, const struct elf_section *section)
{
    const uint8_t *bytes = elf_section_bytes(image, section);
    if (!bytes || section->size == 0 || bytes[section->size - 1] != '\0')
        return (struct texts){NULL, 0};
    return (struct texts){(const char *)bytes, section->size};
}

static bool begins(const char *text, const char *begin)
{
    return strncmp(text, begin, strlen(begin)) == 0;
}

/* gcc links the runtime first; with UBSan beside ASan, ASan's is the one that insists. */
static void note_library(struct binary *binary, const char *name)
{
    static const char *const runtimes[] = {"libasan.so", "libtsan.so", "libubsan.so"};
    bool is_weaker = binary->sanitizer[0] && begins(name, "libubsan");
    for (size_t i = 0; i < sizeof runtimes / sizeof runtimes[0]; i++)
        if (begins(name, runtimes[i]) && !is_weaker)
            snprintf(binary->sanitizer, sizeof binary->sanitizer, "%.63s", name);
    for (size_t i = 0; i < BINARY_NEEDED - 1; i++) {
        if (binary->needed[i]) continue;
        binary->needed[i] = strdup(name);
        return;
    }
}

static void note_entry(struct binary *binary, const Elf64_Dyn *entry, const struct texts *texts)
{
    uint64_t value = entry->d_un.d_val;
    if (entry->d_tag == DT_FLAGS_1 && (value & DF_1_PIE)) binary->is_pie = true;
    if (value >= texts->size) return;
    const char *text = texts->bytes + value;
    if (entry->d_tag == DT_NEEDED) note_library(binary, text);
    if (entry->d_tag == DT_RPATH && !binary->rpath) binary->rpath = strdup(text);
    if (entry->d_tag == DT_RUNPATH && !binary->runpath) binary->runpath = strdup(text);
}

static void read_dynamic(struct binary *binary, const struct elf_image *image)
{
    struct elf_section dynamic, strings;
    if (!elf_section_of_type(image, SHT_DYNAMIC, &dynamic)) return;
    const uint8_t *entries = elf_section_bytes(image, &dynamic);
    if (!entries || !elf_section_at(image, dynamic.link, &strings)) return;
    struct texts texts = texts_of(image, &strings);
    for (uint64_t at = 0; at + sizeof(Elf64_Dyn) <= dynamic.size; at += sizeof(Elf64_Dyn)) {
        Elf64_Dyn entry;
        memcpy(&entry, entries + at, sizeof entry);
        if (entry.d_tag == DT_NULL) return;
        note_entry(binary, &entry, &texts);
    }
}

static void note_symbol(struct binary *binary, const char *name, bool is_defined)
{
    static const char *const linked_in[] = {"__asan_init", "__tsan_init", "__msan_init"};
    if (name[0] != '_' && name[0] != 'm') return;
    if (strcmp(name, "__cyg_profile_func_enter") == 0) {
        binary->wants_hooks |= !is_defined;
        binary->defines_hooks |= is_defined;
    }
    if (!is_defined && (strcmp(name, "mcount") == 0 || strcmp(name, "_mcount") == 0 ||
                        strcmp(name, "__fentry__") == 0))
        binary->calls_mcount = true;
    for (size_t i = 0; is_defined && i < sizeof linked_in / sizeof linked_in[0]; i++) {
        if (strcmp(name, linked_in[i]) != 0 || binary->sanitizer[0]) continue;
        snprintf(binary->sanitizer, sizeof binary->sanitizer, "%s", name);
        binary->is_sanitizer_linked_in = true;
    }
}

static bool read_symbols(struct binary *binary, const struct elf_image *image, uint32_t type)
{
    struct elf_section table, strings;
    if (!elf_section_of_type(image, type, &table)) return false;
    const uint8_t *bytes = elf_section_bytes(image, &table);
    if (!bytes || !elf_section_at(image, table.link, &strings)) return false;
    struct texts texts = texts_of(image, &strings);
    for (uint64_t at = 0; at + sizeof(Elf64_Sym) <= table.size; at += sizeof(Elf64_Sym)) {
        Elf64_Sym symbol;
        memcpy(&symbol, bytes + at, sizeof symbol);
        if (symbol.st_name < texts.size)
            note_symbol(binary, texts.bytes + symbol.st_name, symbol.st_shndx != SHN_UNDEF);
    }
    return texts.size > 0;
}

/* .comment: one text after the other, the linkers' words among them; each once. */
static void read_compilers(struct binary *binary, const struct elf_image *image)
{
    struct elf_section section;
    if (!elf_section_named(image, ".comment", &section)) return;
    struct texts texts = texts_of(image, &section);
    size_t count = 0;
    for (uint64_t at = 0; at < texts.size; at += strlen(texts.bytes + at) + 1) {
        const char *text = texts.bytes + at;
        bool is_known = *text == '\0' || begins(text, "Linker:");
        for (size_t i = 0; i < count; i++)
            is_known |= strncmp(binary->compilers[i], text, sizeof binary->compilers[i] - 1) == 0;
        if (is_known || count == BINARY_COMPILERS) continue;
        snprintf(binary->compilers[count++], sizeof binary->compilers[0], "%s", text);
    }
}

/* Go calls no C library's hooks; its .comment is silent. */
static void read_sections(struct binary *binary, const struct elf_image *image)
{
    struct elf_section section;
    uint32_t bytes;
    binary->has_xray = elf_section_named(image, "xray_instr_map", &section);
    binary->is_go = elf_section_named(image, ".go.buildinfo", &section);
    binary->has_debug_info = elf_section_named(image, ".debug_info", &section) ||
                             elf_section_named(image, ".zdebug_info", &section);
    binary->has_build_id = elf_build_id(image, &bytes) != NULL;
}

static void read_interpreter(struct binary *binary, const struct elf_image *image)
{
    struct elf_segment segment;
    for (uint32_t i = 0; elf_segment_at(image, i, &segment); i++) {
        if (segment.type != PT_INTERP || segment.offset > image->size) continue;
        uint64_t most = image->size - segment.offset;
        uint64_t bytes = segment.file_bytes < most ? segment.file_bytes : most;
        if (bytes >= sizeof binary->interpreter) bytes = sizeof binary->interpreter - 1;
        memcpy(binary->interpreter, image->bytes + segment.offset, bytes);
        binary->interpreter[bytes] = '\0';
        return;
    }
}

/* stint itself is of the machine that it can preload for. */
static bool is_of_this_machine(const struct elf_image *image)
{
    struct elf_file self = {.device = 0};
    if (elf_file_open("/proc/self/exe", &self, NULL) != 0) return true;
    bool is_same = self.image.machine == image->machine;
    elf_file_close(&self);
    return is_same;
}

static enum binary_kind kind_of(const struct binary *binary, const struct elf_image *image)
{
    if (!is_of_this_machine(image)) return BINARY_FOREIGN;
    if (image->type != ET_EXEC && image->type != ET_DYN) return BINARY_OBJECT;
    if (binary->interpreter[0]) return BINARY_DYNAMIC;
    bool is_program = image->type == ET_EXEC || binary->is_pie;
    return is_program ? BINARY_STATIC : BINARY_LIBRARY;
}

static void read_elf(struct binary *binary, const struct elf_image *image)
{
    read_interpreter(binary, image);
    read_dynamic(binary, image);
    (void)read_symbols(binary, image, SHT_DYNSYM); /* a static program has none */
    binary->has_symbols = read_symbols(binary, image, SHT_SYMTAB);
    read_compilers(binary, image);
    read_sections(binary, image);
    binary->is_pie |= image->type == ET_DYN && binary->interpreter[0];
    binary->kind = kind_of(binary, image);
    if (binary->kind == BINARY_FOREIGN)
        snprintf(binary->fault, sizeof binary->fault, "for another machine than this");
}

/* What exec and the shell make of a file that is no ELF object. */
static void read_script(struct binary *binary, const char *path)
{
    char line[256] = "";
    FILE *file = fopen(path, "re");
    size_t length = file ? fread(line, 1, sizeof line - 1, file) : 0;
    if (file) fclose(file);
    if (length == 0) return;
    binary->kind = BINARY_SCRIPT;
    if (length < 3 || line[0] != '#' || line[1] != '!') return;
    char *text = line + 2 + strspn(line + 2, " \t");
    text[strcspn(text, "\r\n")] = '\0';
    snprintf(binary->interpreter, sizeof binary->interpreter, "%s", text);
}

static bool is_elf(const char *path)
{
    char magic[SELFMAG] = "";
    FILE *file = fopen(path, "re");
    size_t length = file ? fread(magic, 1, sizeof magic, file) : 0;
    if (file) fclose(file);
    return length == SELFMAG && memcmp(magic, ELFMAG, SELFMAG) == 0;
}

void binary_read(const char *path, struct binary *out)
{
    struct elf_file file = {.device = 0};
    struct fault fault = {0};
    *out = (struct binary){.kind = BINARY_UNKNOWN};
    if (elf_file_open(path, &file, &fault) == 0) {
        read_elf(out, &file.image);
        elf_file_close(&file);
        return;
    }
    if (!is_elf(path)) {
        read_script(out, path);
        return;
    }
    out->kind = fault.error == -ENOEXEC ? BINARY_FOREIGN : BINARY_DAMAGED;
    snprintf(out->fault, sizeof out->fault, "%s", fault.text);
}

void binary_fini(struct binary *binary)
{
    for (size_t i = 0; binary->needed[i]; i++) free(binary->needed[i]);
    free(binary->rpath);
    free(binary->runpath);
    *binary = (struct binary){.kind = BINARY_UNKNOWN};
}

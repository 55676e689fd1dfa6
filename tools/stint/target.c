/* SPDX-License-Identifier: MIT
 *
 * PATH → file → ELF's dynamic section. Runs in `stint`. */
#include "target.h"

#include "symbols/elf.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

static bool is_program(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode) && access(path, X_OK) == 0;
}

static bool find(const char *command, char path[4096])
{
    if (strchr(command, '/')) return snprintf(path, 4096, "%s", command) < 4096;
    const char *at = getenv("PATH");
    if (!at) at = "/bin:/usr/bin"; /* execvp's own choice */
    for (;; at++) {
        size_t length = strcspn(at, ":");
        int written =
            snprintf(path, 4096, "%.*s%s%s", (int)length, at, length ? "/" : "./", command);
        if (written < 4096 && is_program(path)) return true;
        at += length;
        if (!*at) return false;
    }
}

/* The dynamic section's string table; what DT_NEEDED's values point into. */
static const char *dynamic_strings(const struct elf_image *image, const struct elf_section *dynamic,
                                   uint64_t *bytes)
{
    struct elf_section strings;
    if (!elf_section_at(image, dynamic->link, &strings)) return NULL;
    const uint8_t *text = elf_section_bytes(image, &strings);
    if (!text || strings.size == 0 || text[strings.size - 1] != '\0') return NULL;
    *bytes = strings.size;
    return (const char *)text;
}

static bool is_sanitizer(const char *name)
{
    return strncmp(name, "libasan.so", 10) == 0 || strncmp(name, "libtsan.so", 10) == 0 ||
           strncmp(name, "libubsan.so", 11) == 0;
}

/* gcc links the runtime first; with UBSan beside ASan, ASan's is the one that insists. */
static void read_needed(struct target *target, const uint8_t *entries, uint64_t size,
                        const char *strings, uint64_t string_bytes)
{
    for (uint64_t at = 0; at + sizeof(Elf64_Dyn) <= size; at += sizeof(Elf64_Dyn)) {
        Elf64_Dyn entry;
        memcpy(&entry, entries + at, sizeof entry);
        if (entry.d_tag == DT_NULL) return;
        if (entry.d_tag != DT_NEEDED || entry.d_un.d_val >= string_bytes) continue;
        const char *name = strings + entry.d_un.d_val;
        bool is_weaker = target->sanitizer[0] && strncmp(name, "libubsan", 8) == 0;
        if (is_sanitizer(name) && !is_weaker)
            snprintf(target->sanitizer, sizeof target->sanitizer, "%.63s", name);
    }
}

static void read_dynamic(struct target *target, const struct elf_image *image)
{
    struct elf_section dynamic;
    uint64_t string_bytes = 0;
    if (!elf_section_of_type(image, SHT_DYNAMIC, &dynamic)) return;
    const uint8_t *entries = elf_section_bytes(image, &dynamic);
    const char *strings = dynamic_strings(image, &dynamic, &string_bytes);
    if (!entries || !strings) return;
    read_needed(target, entries, dynamic.size, strings, string_bytes);
    static const char hook[] = "__cyg_profile_func_enter";
    target->wants_hooks = memmem(strings, string_bytes, hook, sizeof hook) != NULL;
}

static bool has_interpreter(const struct elf_image *image)
{
    struct elf_segment segment;
    for (uint32_t i = 0; elf_segment_at(image, i, &segment); i++)
        if (segment.type == PT_INTERP) return true;
    return false;
}

static enum target_kind kind_without_elf(const char *path)
{
    char magic[4] = "";
    FILE *file = fopen(path, "re");
    size_t length = file ? fread(magic, 1, sizeof magic, file) : 0;
    if (file) fclose(file);
    if (length == 0) return TARGET_UNKNOWN;
    /* A file without a magic number is run by the shell. */
    return length == 4 && memcmp(magic, ELFMAG, 4) == 0 ? TARGET_FOREIGN : TARGET_SCRIPT;
}

static bool is_privileged(const char *path)
{
    struct stat status;
    if (stat(path, &status) != 0) return false;
    /* Root gains nothing by a file's capabilities. */
    if (geteuid() && getxattr(path, "security.capability", NULL, 0) > 0) return true;
    return ((status.st_mode & S_ISUID) && status.st_uid != geteuid()) ||
           ((status.st_mode & S_ISGID) && status.st_gid != getegid());
}

void target_inspect(const char *command, struct target *target)
{
    struct elf_file file = {.device = 0};
    *target = (struct target){.kind = TARGET_UNKNOWN};
    if (!find(command, target->path)) return;
    target->is_privileged = is_privileged(target->path);
    if (elf_file_open(target->path, &file, NULL) != 0) {
        target->kind = kind_without_elf(target->path);
        return;
    }
    target->kind = has_interpreter(&file.image) ? TARGET_DYNAMIC : TARGET_STATIC;
    if (target->kind == TARGET_DYNAMIC) read_dynamic(target, &file.image);
    elf_file_close(&file);
}

const char *target_excuse(const struct target *target)
{
    if (target->is_privileged)
        return "is setuid or setgid or has file capabilities, and such programs preload nothing; "
               "run "
               "a copy that has neither";
    switch (target->kind) {
    case TARGET_SCRIPT:
        return "is a script, and no program that it ran was built with -finstrument-functions";
    case TARGET_STATIC:
        return "is linked statically, so nothing can be preloaded; link it dynamically";
    case TARGET_FOREIGN:
        return "is a program for another machine or word size than stint's";
    case TARGET_DYNAMIC:
        if (target->wants_hooks) return "calls the hooks, but no instrumented function ran";
        break;
    case TARGET_UNKNOWN:
        break;
    }
    return "does not call the hooks; build it, or its libraries, with -finstrument-functions";
}

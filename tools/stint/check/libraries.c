/* SPDX-License-Identifier: MIT
 *
 * RPATH, LD_LIBRARY_PATH, RUNPATH, the loader's cache, the usual directories: the first file of
 * this machine wins. Runs in `stint`. */
#include "check/libraries.h"

#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST = 1000 };

/* /etc/ld.so.cache, of glibc's sysdeps/generic/dl-cache.h: the new form, which may stand behind an
 * old one. Offsets count from its head. */
struct cache_head {
    char magic[20]; /* "glibc-ld.so.cache1.1" */
    uint32_t entries, text_bytes;
    uint32_t unused[5];
};
struct cache_entry {
    int32_t flags;
    uint32_t key, value, os_version;
    uint64_t hardware;
};
static const char cache_magic[] = "glibc-ld.so.cache1.1";

struct search {
    const char *program;
    const struct binary *binary;
    struct libraries *found;
    const char *cache;
    size_t cache_bytes;
};

static void map_cache(struct search *search)
{
    struct stat status;
    int fd = open("/etc/ld.so.cache", O_RDONLY | O_CLOEXEC);
    if (fd < 0) return;
    if (fstat(fd, &status) == 0 && status.st_size > 0) {
        void *bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (bytes != MAP_FAILED) {
            search->cache = bytes;
            search->cache_bytes = (size_t)status.st_size;
        }
    }
    close(fd);
}

/* The text at an offset, or NULL where it does not end within the cache. */
static const char *cache_text(const char *head, size_t bytes, uint32_t offset)
{
    if (offset >= bytes || !memchr(head + offset, '\0', bytes - offset)) return NULL;
    return head + offset;
}

/* A candidate counts only if it is a library of this machine. */
static bool try_path(const char *path, struct library *library)
{
    struct binary binary;
    if (access(path, R_OK) != 0) return false;
    binary_read(path, &binary);
    if (binary.kind != BINARY_LIBRARY && binary.kind != BINARY_DYNAMIC &&
        binary.kind != BINARY_STATIC) {
        binary_fini(&binary);
        return false;
    }
    library->path = strdup(path);
    library->binary = binary;
    return true;
}

static bool try_cache(const struct search *search, struct library *library)
{
    struct cache_head head;
    if (!search->cache) return false;
    const char *at = memmem(search->cache, search->cache_bytes, cache_magic, sizeof head.magic);
    size_t bytes = at ? search->cache_bytes - (size_t)(at - search->cache) : 0;
    if (bytes < sizeof head) return false;
    memcpy(&head, at, sizeof head);
    for (uint32_t i = 0; i < head.entries; i++) {
        struct cache_entry entry;
        size_t offset = sizeof head + i * sizeof entry;
        if (offset + sizeof entry > bytes) return false;
        memcpy(&entry, at + offset, sizeof entry);
        const char *key = cache_text(at, bytes, entry.key);
        const char *value = cache_text(at, bytes, entry.value);
        if (key && value && strcmp(key, library->name) == 0 && try_path(value, library))
            return true;
    }
    return false;
}

/* $ORIGIN is the directory of the file whose path list it stands in. */
static void expand(const char *part, size_t length, const char *origin, char out[PATH_MAX])
{
    const char *slash = strrchr(origin, '/');
    int directory = slash ? (int)(slash - origin) : 1;
    size_t skip = length >= 7 && strncmp(part, "$ORIGIN", 7) == 0     ? 7
                  : length >= 9 && strncmp(part, "${ORIGIN}", 9) == 0 ? 9
                                                                      : 0;
    snprintf(out, PATH_MAX, "%.*s%.*s", skip ? directory : 0, slash ? origin : ".",
             (int)(length - skip), part + skip);
}

static bool try_list(const char *list, const char *origin, struct library *library)
{
    while (list && *list) {
        size_t length = strcspn(list, ":");
        char directory[PATH_MAX], path[2 * PATH_MAX];
        expand(list, length, origin, directory);
        snprintf(path, sizeof path, "%s%s%s", directory, *directory ? "/" : "", library->name);
        if (try_path(path, library)) return true;
        list += length + (list[length] == ':');
    }
    return false;
}

static void locate(const struct search *search, struct library *library, const char *asker,
                   const struct binary *asking)
{
    static const char usual[] = "/lib/x86_64-linux-gnu:/usr/lib/x86_64-linux-gnu:"
                                "/lib/aarch64-linux-gnu:/usr/lib/aarch64-linux-gnu:"
                                "/lib64:/usr/lib64:/lib:/usr/lib";
    if (strchr(library->name, '/')) {
        (void)try_path(library->name, library);
        return;
    }
    bool is_found = !asking->runpath && (try_list(asking->rpath, asker, library) ||
                                         try_list(search->binary->rpath, search->program, library));
    if (!is_found) is_found = try_list(getenv("LD_LIBRARY_PATH"), search->program, library);
    if (!is_found) is_found = try_list(asking->runpath, asker, library);
    if (!is_found) is_found = try_cache(search, library);
    if (!is_found) (void)try_list(usual, "/", library);
}

static bool is_known(const struct libraries *libraries, const char *name)
{
    for (size_t i = 0; i < libraries->count; i++)
        if (strcmp(libraries->items[i].name, name) == 0) return true;
    return false;
}

static void add_needed(struct search *search, const char *asker, const struct binary *asking)
{
    for (size_t i = 0; asking->needed[i]; i++) {
        struct libraries *found = search->found;
        if (found->count == MOST || is_known(found, asking->needed[i])) continue;
        struct library *library = &found->items[found->count];
        library->name = strdup(asking->needed[i]);
        if (!library->name) return;
        found->count++;
        locate(search, library, asker, asking);
    }
}

bool libraries_find(const char *program, const struct binary *binary, struct libraries *out)
{
    struct search search = {.program = program, .binary = binary, .found = out};
    *out = (struct libraries){.items = calloc(MOST, sizeof *out->items)};
    if (!out->items) return false;
    map_cache(&search);
    add_needed(&search, program, binary);
    for (size_t i = 0; i < out->count; i++)
        if (out->items[i].path) add_needed(&search, out->items[i].path, &out->items[i].binary);
    if (search.cache) munmap((void *)(uintptr_t)search.cache, search.cache_bytes);
    return true;
}

void libraries_fini(struct libraries *libraries)
{
    for (size_t i = 0; i < libraries->count; i++) {
        free(libraries->items[i].name);
        free(libraries->items[i].path);
        binary_fini(&libraries->items[i].binary);
    }
    free(libraries->items);
    *libraries = (struct libraries){.items = NULL};
}

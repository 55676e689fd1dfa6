/* SPDX-License-Identifier: MIT
 *
 * Every function of the file is compared as the symbol table has it, as it is read, and up to its
 * parameters. Reading a mangled name takes a microsecond or more, so it is done only where the
 * mangled one has the pattern's longest word. Runs in safe places, on a large stack. */
#include "companion/search.h"

#include "symbols/demangle.h"
#include "symbols/glob.h"
#include "symbols/module.h"

#include <string.h>

enum { NAME_BYTES = 64 * 1024, SHORT_WORD = 4, MOST_FOUND = 4096 };

struct searching {
    const struct report_search *search;
    char *name; /* NAME_BYTES */
    size_t used, found;
};

/* The length of a readable name without parameters: up to the '(' that the last ')' closes. */
static size_t without_parameters(const char *name, size_t bytes)
{
    size_t end = bytes;
    while (end && name[end - 1] != ')') end--;
    for (size_t depth = 0; end; end--) {
        if (name[end - 1] == ')') depth++;
        if (name[end - 1] == '(' && --depth == 0) return end - 1;
    }
    return bytes;
}

static bool may_fit(const char *pattern, size_t bytes, const struct symbol *symbol)
{
    const char *word = NULL;
    size_t length = glob_literal(pattern, bytes, &word);
    /* A short one may be one of those that are abbreviated, as std is. */
    return length < SHORT_WORD || memmem(symbol->name, symbol->name_bytes, word, length);
}

static bool fits(struct searching *searching, const char *pattern, size_t bytes,
                 const struct symbol *symbol)
{
    if (glob_fits(pattern, bytes, symbol->name, symbol->name_bytes)) return true;
    if (symbol->name[0] != '_' || !may_fit(pattern, bytes, symbol)) return false;
    const char *name = searching->name;
    size_t length = symbols_demangle(symbol->name, symbol->name_bytes, searching->name, NAME_BYTES);
    if (!length || length >= NAME_BYTES) return false;
    return glob_fits(pattern, bytes, name, length) ||
           glob_fits(pattern, bytes, name, without_parameters(name, length));
}

/* Notes the function under the name that the report gives it. */
static void note(struct searching *searching, const struct symbol *symbol)
{
    const struct report_search *search = searching->search;
    const char *name = searching->name;
    size_t bytes = symbols_demangle(symbol->name, symbol->name_bytes, searching->name, NAME_BYTES);
    if (!bytes || bytes >= NAME_BYTES) {
        name = symbol->name;
        bytes = symbol->name_bytes;
    }
    size_t whole = (sizeof(struct report_found) + bytes + 1 + 7) & ~(size_t)7;
    if (whole > search->capacity - searching->used || searching->found == MOST_FOUND) return;
    struct report_found *found = (struct report_found *)(void *)(search->out + searching->used);
    found->address = symbol->address;
    found->bytes = (uint32_t)whole;
    memcpy(found->name, name, bytes);
    found->name[bytes] = '\0';
    searching->used += whole;
    searching->found++;
}

/* Marks the patterns that fit; true where any does. */
static bool compare(struct searching *searching, const struct symbol *symbol)
{
    const char *pattern = searching->search->patterns;
    bool is_wanted = false;
    for (uint32_t i = 0;; i++) {
        size_t bytes = strcspn(pattern, ",");
        if (bytes && fits(searching, pattern, bytes, symbol)) {
            if (i < 64) *searching->search->fitting |= UINT64_C(1) << i;
            is_wanted = true;
        }
        if (!pattern[bytes]) return is_wanted;
        pattern += bytes + 1;
    }
}

static void look_at(void *context, const struct symbol *symbol)
{
    if (compare(context, symbol)) note(context, symbol);
}

size_t search_functions(const struct report_search *search)
{
    struct arena arena = ARENA_INIT;
    struct searching searching = {.search = search, .name = arena_alloc(&arena, NAME_BYTES)};
    struct symbols_module *module;
    if (searching.name && symbols_open(&arena, search->path, search->build_id,
                                       search->build_id_bytes, &module, NULL) == 0) {
        symbols_each(module, look_at, &searching);
        symbols_close(module);
    }
    arena_fini(&arena);
    return searching.used;
}

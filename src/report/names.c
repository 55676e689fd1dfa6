/* SPDX-License-Identifier: MIT
 *
 * The store's modules in an array. Of several that cover an address, the one that was unloaded
 * first after the time is meant. Runs anywhere. */
#include "report/names.h"

#include "base/fmt.h"
#include "base/hash.h"
#include "base/index.h"
#include "base/utf8.h"
#include "symbols/demangle.h"
#include "symbols/module.h"

#include <errno.h>
#include <string.h>

enum { NAME_BYTES = 64 * 1024, VALID_BYTES = 3 * NAME_BYTES + 1, BUILD_ID_BYTES = 32 };

struct names_module {
    uint64_t low, high, bias;
    uint64_t gone_ticks; /* UINT64_MAX = never */
    const char *path;    /* as recorded, for opening */
    const char *valid_path;
    const uint8_t *build_id;
    uint32_t build_id_bytes;
    uint32_t same; /* the first module of the same file */
    struct symbols_module *symbols;
    bool was_tried;
};

const char *names_copy_text(struct arena *arena, const struct view *view, store_ref text)
{
    uint32_t bytes;
    const char *raw = view_text(view, text, &bytes);
    if (!raw) return NULL;
    size_t capacity = (size_t)bytes * 3 + 1;
    char *copy = arena_alloc(arena, capacity);
    if (copy) (void)utf8_make_valid(raw, bytes, copy, capacity); /* fits */
    return copy;
}

static bool is_same_file(const struct names_module *a, const struct names_module *b)
{
    return a->build_id_bytes == b->build_id_bytes && !strcmp(a->path, b->path) &&
           !memcmp(a->build_id, b->build_id, a->build_id_bytes);
}

static int unite(struct names *names, struct index *files, uint32_t at)
{
    struct names_module *module = &names->modules[at];
    uint64_t key = hash_bytes(module->path, strlen(module->path)) ^
                   hash_bytes(module->build_id, module->build_id_bytes);
    uint32_t found;
    while ((found = index_find(files, key)) != INDEX_NONE) {
        if (is_same_file(&names->modules[found], module)) break;
        key = hash_u64(key + 1); /* another file with this hash */
    }
    module->same = found == INDEX_NONE ? at : found;
    return found == INDEX_NONE ? index_put(files, key, at) : 0;
}

static int read_module(struct names *names, const struct view *view,
                       const struct store_module *record)
{
    struct names_module *module = &names->modules[names->count];
    uint32_t bytes = 0;
    const char *path = view_text(view, record->path, &bytes);
    *module = (struct names_module){.low = record->low, .high = record->high, .bias = record->bias};
    module->path = arena_copy(names->arena, path ? path : "", path ? bytes : 0);
    module->valid_path = path ? names_copy_text(names->arena, view, record->path) : "";
    if (!module->path || !module->valid_path) return -ENOMEM;
    uint64_t gone = __atomic_load_n(&record->unloaded_ticks, __ATOMIC_RELAXED);
    module->gone_ticks = gone ? gone : UINT64_MAX;
    module->build_id = record->build_id;
    module->build_id_bytes =
        record->build_id_bytes <= BUILD_ID_BYTES ? record->build_id_bytes : BUILD_ID_BYTES;
    return 0;
}

int names_init(struct names *names, struct arena *arena, const struct view *view)
{
    *names = (struct names){.arena = arena};
    names->demangled = arena_alloc(arena, NAME_BYTES);
    names->name = arena_alloc(arena, VALID_BYTES);
    names->raw_name = arena_alloc(arena, VALID_BYTES);
    uint64_t steps = 0, most = 0;
    const struct store_module *record = NULL;
    while ((record = view_next_module(view, record, &steps))) most++;
    names->modules = arena_alloc(arena, (most + 1) * sizeof *names->modules);
    if (!names->demangled || !names->name || !names->raw_name || !names->modules) return -ENOMEM;
    struct index files = {.arena = arena};
    for (steps = 0; names->count < most && (record = view_next_module(view, record, &steps));) {
        if (read_module(names, view, record) || unite(names, &files, names->count)) return -ENOMEM;
        names->count++;
    }
    return 0;
}

void names_fini(struct names *names)
{
    for (uint32_t i = 0; i < names->count; i++) symbols_close(names->modules[i].symbols);
}

static bool contains(const struct names_module *module, uint64_t address, uint64_t ticks)
{
    return address >= module->low && address < module->high && module->gone_ticks > ticks;
}

struct names_place names_place_of(struct names *names, uint64_t address, uint64_t ticks)
{
    uint32_t best = INDEX_NONE;
    for (uint32_t i = 0; i < names->count; i++) {
        const struct names_module *module = &names->modules[i];
        if (!contains(module, address, ticks)) continue;
        if (best == INDEX_NONE || module->gone_ticks < names->modules[best].gone_ticks) best = i;
    }
    if (best == INDEX_NONE) return (struct names_place){INDEX_NONE, address};
    return (struct names_place){names->modules[best].same, address - names->modules[best].bias};
}

static const struct symbols_module *symbols_of(struct names *names, struct names_module *module)
{
    if (!module->was_tried) {
        module->was_tried = true;
        (void)symbols_open(names->arena, module->path, module->build_id, module->build_id_bytes,
                           &module->symbols, NULL); /* without symbols: module+0xoffset */
    }
    return module->symbols;
}

void names_read_symbols(struct names *names, struct names_place place)
{
    if (place.module != INDEX_NONE) (void)symbols_of(names, &names->modules[place.module]);
}

static struct names_text nameless(struct names *names, struct names_place place)
{
    struct fmt out = fmt_over(names->name, VALID_BYTES);
    if (place.module != INDEX_NONE) {
        const char *path = names->modules[place.module].valid_path;
        const char *slash = strrchr(path, '/');
        fmt_text(&out, slash ? slash + 1 : path);
        fmt_char(&out, '+');
    }
    fmt_text(&out, "0x");
    fmt_hex(&out, place.offset, 1);
    return (struct names_text){names->name, names->name};
}

struct names_text names_of(struct names *names, struct names_place place, bool is_inside)
{
    if (place.module == INDEX_NONE) return nameless(names, place);
    const struct symbols_module *symbols = symbols_of(names, &names->modules[place.module]);
    struct symbol symbol;
    if (!symbols || !symbols_find(symbols, place.offset, &symbol) || !symbol.name_bytes ||
        (!is_inside && symbol.address != place.offset))
        return nameless(names, place);
    (void)utf8_make_valid(symbol.name, symbol.name_bytes, names->raw_name, VALID_BYTES);
    size_t bytes = symbols_demangle(symbol.name, symbol.name_bytes, names->demangled, NAME_BYTES);
    if (!bytes || bytes >= NAME_BYTES) return (struct names_text){names->raw_name, names->raw_name};
    (void)utf8_make_valid(names->demangled, bytes, names->name, VALID_BYTES); /* 3 for 1 fits */
    return (struct names_text){names->name, names->raw_name};
}

const char *names_module_path(struct names *names, uint32_t module, char build_id[65])
{
    struct fmt out = fmt_over(build_id, 65);
    if (module == INDEX_NONE) return NULL;
    const struct names_module *found = &names->modules[module];
    for (uint32_t i = 0; i < found->build_id_bytes; i++) fmt_hex(&out, found->build_id[i], 2);
    return found->valid_path;
}

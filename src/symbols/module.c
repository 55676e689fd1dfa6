/* SPDX-License-Identifier: MIT
 *
 * Collect (span.c) → sort → drop what can never be found → lay the spans, which may nest, out
 * flat: each segment runs to the next one's start and has one owner, so that a look-up is one
 * binary search whatever the file says. Runs anywhere. */
#include "symbols/module.h"

#include "symbols/debugfile.h"
#include "symbols/span.h"

#include <errno.h>
#include <string.h>

#define NOBODY UINT32_MAX

struct symbols_module {
    struct elf_file object, debug;
    struct span_texts texts;
    const struct span *spans;
    uint64_t *starts; /* of the segments, ascending */
    uint32_t *owners; /* index of a span, or NOBODY */
    uint32_t segments;
};

static void add_segment(struct symbols_module *module, uint64_t start, uint32_t owner)
{
    if (module->segments && module->starts[module->segments - 1] == start) module->segments--;
    module->starts[module->segments] = start;
    module->owners[module->segments++] = owner;
}

/* The spans that are open at the sweep's place, the one that started last on top. */
struct open_spans {
    uint32_t *at;
    uint32_t count;
};

static void end_spans_until(struct symbols_module *module, struct open_spans *open,
                            uint64_t address)
{
    const struct span *spans = module->spans;
    while (open->count && spans[open->at[open->count - 1]].end <= address) {
        uint64_t end = spans[open->at[open->count - 1]].end;
        while (open->count && spans[open->at[open->count - 1]].end <= end) open->count--;
        add_segment(module, end, open->count ? open->at[open->count - 1] : NOBODY);
    }
}

/* Each span adds at most one segment where it starts and one where it ends. */
static int lay_out(struct arena *arena, struct symbols_module *module, uint32_t spans)
{
    module->starts = arena_alloc(arena, 2 * (size_t)spans * sizeof *module->starts);
    module->owners = arena_alloc(arena, 2 * (size_t)spans * sizeof *module->owners);
    struct arena_mark mark = arena_mark(arena);
    struct open_spans open = {arena_alloc(arena, (size_t)spans * sizeof *open.at), 0};
    if (!module->starts || !module->owners || !open.at) return -ENOMEM;
    for (uint32_t i = 0; i < spans; i++) {
        end_spans_until(module, &open, module->spans[i].address);
        open.at[open.count++] = i;
        add_segment(module, module->spans[i].address, i);
    }
    end_spans_until(module, &open, UINT64_MAX);
    arena_release(arena, mark);
    return 0;
}

static int build(struct arena *arena, const struct elf_image *object, const struct elf_image *debug,
                 struct symbols_module *module)
{
    struct span *spans;
    uint32_t count = 0;
    int error = span_collect(arena, object, debug, &module->texts, &spans, &count);
    if (!error) error = span_sort(arena, &module->texts, spans, count);
    if (error) return error;
    count = span_thin_out(spans, count);
    module->spans = spans;
    return lay_out(arena, module, count);
}

static int new_module(struct arena *arena, struct symbols_module **out, struct fault *fault)
{
    *out = arena_alloc(arena, sizeof **out);
    return *out ? 0 : fault_set(fault, -ENOMEM, "no memory for the symbols");
}

int symbols_open_images(struct arena *arena, const struct elf_image *object,
                        const struct elf_image *debug, struct symbols_module **out,
                        struct fault *fault)
{
    struct arena_mark mark = arena_mark(arena);
    struct symbols_module *module;
    int error = new_module(arena, &module, fault);
    if (!error) error = build(arena, object, debug, module);
    if (error) {
        arena_release(arena, mark);
        return fault_set(fault, error, "no memory for the symbols");
    }
    *out = module;
    return 0;
}

static int check_build_id(const struct elf_image *image, const struct symbols_source *source,
                          struct fault *fault)
{
    if (source->build_id_bytes == 0) return 0;
    uint32_t bytes = 0;
    const uint8_t *id = elf_build_id(image, &bytes);
    if (id && bytes == source->build_id_bytes && memcmp(id, source->build_id, bytes) == 0) return 0;
    return fault_set(fault, -ESTALE, "the file's build-id is not that of the object that ran");
}

static int open_files(struct arena *arena, const struct symbols_source *source,
                      struct symbols_module *module, struct fault *fault)
{
    int error = elf_file_open(source->path, &module->object, fault);
    if (!error) error = check_build_id(&module->object.image, source, fault);
    if (error) return error;
    bool found =
        debugfile_find(arena, &module->object, source->path, source->debug_root, &module->debug);
    error = build(arena, &module->object.image, found ? &module->debug.image : NULL, module);
    return error ? fault_set(fault, error, "no memory for the symbols") : 0;
}

int symbols_open_source(struct arena *arena, const struct symbols_source *source,
                        struct symbols_module **out, struct fault *fault)
{
    struct arena_mark mark = arena_mark(arena);
    struct symbols_module *module;
    int error = new_module(arena, &module, fault);
    if (error) return error;
    error = open_files(arena, source, module, fault);
    if (error) {
        symbols_close(module);
        arena_release(arena, mark);
        return error;
    }
    *out = module;
    return 0;
}

int symbols_open(struct arena *arena, const char *path, const uint8_t *build_id,
                 uint32_t build_id_bytes, struct symbols_module **out, struct fault *fault)
{
    struct symbols_source source = {.path = path,
                                    .debug_root = DEBUGFILE_ROOT,
                                    .build_id = build_id,
                                    .build_id_bytes = build_id_bytes};
    return symbols_open_source(arena, &source, out, fault);
}

/* The last segment that starts at or before the address, NOBODY's before the first. */
static uint32_t owner_at(const struct symbols_module *module, uint64_t address)
{
    uint32_t low = 0, high = module->segments;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (module->starts[middle] <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? module->owners[low - 1] : NOBODY;
}

static struct symbol symbol_of(const struct symbols_module *module, const struct span *span)
{
    const char *name = span_name(&module->texts, span);
    return (struct symbol){.name = name,
                           .name_bytes = strlen(name),
                           .address = span->address,
                           .size = span->sized ? span->end - span->address : 0};
}

bool symbols_find(const struct symbols_module *module, uint64_t address, struct symbol *out)
{
    uint32_t owner = owner_at(module, address);
    if (owner == NOBODY) return false;
    *out = symbol_of(module, &module->spans[owner]);
    return true;
}

void symbols_each(const struct symbols_module *module,
                  void (*each)(void *context, const struct symbol *symbol), void *context)
{
    for (uint32_t i = 0; i < module->segments; i++) {
        if (module->owners[i] == NOBODY) continue;
        const struct span *span = &module->spans[module->owners[i]];
        if (span->address != module->starts[i]) continue; /* goes on after an inner one */
        struct symbol symbol = symbol_of(module, span);
        each(context, &symbol);
    }
}

void symbols_close(struct symbols_module *module)
{
    if (!module) return;
    elf_file_close(&module->debug);
    elf_file_close(&module->object);
    module->segments = 0;
}

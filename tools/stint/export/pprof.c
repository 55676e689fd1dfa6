/* SPDX-License-Identifier: MIT
 *
 * The gzipped protobuf of pprof. Parts of a profile add up to one when written one behind the
 * other, so each function and call path is packed, deflated and forgotten. Runs in `stint`. */
#include "export/export.h"
#include "export/text.h"

#include "base/compiler.h"
#include "config.h"

#include <errno.h>
#include <pprof.pb-c.h> /* made of pprof.proto by the build */
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* Places of the first texts. */
enum { NOTHING, CALLS, COUNT, TIME, NANOSECONDS, CREATOR, PROGRAM, FIRST_TEXTS };

/* The place of export_deeper, behind the folded paths' root. */
#define DEEPER(document) ((document)->function_count + 1)

struct writing {
    const struct export_job *job;
    FILE *out;
    z_stream deflater;
    uint8_t *packed;
    size_t capacity;
    int64_t texts; /* written so far */
    bool has_failed;
};

/* A module, from its place among the functions sorted by module. */
struct module {
    const char *name, *build_id;
    uint64_t start, limit; /* one behind the other, where no two overlap */
};

struct modules {
    struct module *items;
    uint32_t count;
    uint32_t *of; /* by function: place + 1; 0 = none */
};

static void deflate_some(struct writing *writing, const void *data, size_t bytes, int flush)
{
    uint8_t room[16384];
    z_stream *stream = &writing->deflater;
    stream->next_in = (Bytef *)(uintptr_t)data; /* zlib only reads it */
    stream->avail_in = (uInt)bytes;
    do {
        stream->next_out = room;
        stream->avail_out = sizeof room;
        if (deflate(stream, flush) == Z_STREAM_ERROR) writing->has_failed = true;
        fwrite(room, 1, sizeof room - stream->avail_out, writing->out);
    } while (stream->avail_out == 0);
}

static void write_part(struct writing *writing, const Stint__Pprof__Profile *part)
{
    size_t bytes = stint__pprof__profile__get_packed_size(part);
    if (bytes > writing->capacity) {
        uint8_t *larger = realloc(writing->packed, bytes * 2);
        if (!larger || bytes > UINT32_MAX / 2) {
            free(larger ? larger : writing->packed);
            writing->packed = NULL;
            writing->capacity = 0;
            writing->has_failed = true;
            return;
        }
        writing->packed = larger;
        writing->capacity = bytes * 2;
    }
    (void)stint__pprof__profile__pack(part, writing->packed);
    deflate_some(writing, writing->packed, bytes, Z_NO_FLUSH);
}

/* protobuf-c's messages hold pointers to what they do not change. */
static char *text(const char *text) { return (char *)(uintptr_t)text; }

static void write_head(struct writing *writing)
{
    const struct document *document = writing->job->document;
    char *texts[FIRST_TEXTS] = {
        [NOTHING] = text(""),
        [CALLS] = text("calls"),
        [COUNT] = text("count"),
        [TIME] = text("time"),
        [CREATOR] = text("stint " STINT_VERSION),
        [NANOSECONDS] = text("nanoseconds"),
        [PROGRAM] = text(export_program(document)),
    };
    Stint__Pprof__ValueType calls = STINT__PPROF__VALUE_TYPE__INIT, time = calls;
    calls.type = CALLS;
    calls.unit = COUNT;
    time.type = TIME;
    time.unit = NANOSECONDS;
    Stint__Pprof__ValueType *types[] = {&calls, &time};
    int64_t comments[] = {CREATOR, PROGRAM};
    Stint__Pprof__Profile part = STINT__PPROF__PROFILE__INIT;
    part.texts = texts;
    part.n_texts = FIRST_TEXTS;
    part.value_types = types;
    part.n_value_types = COUNT_OF(types);
    part.comments = comments;
    part.n_comments = COUNT_OF(comments);
    part.period_type = &time;
    part.period = 1;
    part.default_value_type = TIME;
    part.time_unix_ns = (int64_t)export_started_ns(document);
    part.duration_ns = (int64_t)text_ns(document->duration_ms);
    writing->texts = FIRST_TEXTS;
    write_part(writing, &part);
}

static int by_module(const void *a, const void *b, void *context)
{
    const struct document_function *functions = context;
    const char *left = functions[*(const uint32_t *)a].module,
               *right = functions[*(const uint32_t *)b].module;
    return strcmp(left ? left : "", right ? right : "");
}

/* Offsets that no file can have count as unknown. */
static uint64_t offset_of(const struct document_function *function)
{
    return function->offset < UINT64_C(1) << 40 ? function->offset : 0;
}

static int find_modules(const struct export_job *job, struct modules *modules)
{
    struct document_function *functions = job->document->functions;
    uint32_t count = job->document->function_count;
    size_t size = (size_t)count + 1;
    uint32_t *order = arena_alloc(job->arena, size * sizeof *order);
    *modules = (struct modules){.items = arena_alloc(job->arena, size * sizeof *modules->items),
                                .of = arena_alloc(job->arena, size * sizeof *modules->of)};
    if (!order || !modules->items || !modules->of) return -ENOMEM;
    for (uint32_t i = 0; i < count; i++) order[i] = i;
    qsort_r(order, count, sizeof *order, by_module, functions);
    struct module *last = NULL;
    for (uint32_t i = 0; i < count; i++) {
        const struct document_function *function = &functions[order[i]];
        if (!function->module) continue;
        if (!last || strcmp(last->name, function->module) != 0) {
            uint64_t start = last ? last->limit : 0x1000;
            last = &modules->items[modules->count++];
            *last = (struct module){function->module, function->build_id, start, start + 0x1000};
        }
        uint64_t needed = last->start + (offset_of(function) | 0xfff) + 1;
        if (needed > last->limit) last->limit = needed;
        modules->of[order[i]] = modules->count;
    }
    return 0;
}

static void write_modules(struct writing *writing, const struct modules *modules)
{
    for (uint32_t i = 0; i < modules->count; i++) {
        const struct module *module = &modules->items[i];
        char *texts[] = {text(module->name), text(module->build_id ? module->build_id : "")};
        Stint__Pprof__Mapping mapping = STINT__PPROF__MAPPING__INIT, *mappings[] = {&mapping};
        mapping.id = i + 1;
        mapping.start = module->start;
        mapping.limit = module->limit;
        mapping.filename = writing->texts++;
        mapping.build_id = writing->texts++;
        mapping.has_functions = true;
        Stint__Pprof__Profile part = STINT__PPROF__PROFILE__INIT;
        part.texts = texts;
        part.n_texts = COUNT_OF(texts);
        part.mappings = mappings;
        part.n_mappings = 1;
        write_part(writing, &part);
    }
}

/* One place of code a function: both have the function's place + 1 for their number. */
static void write_function(struct writing *writing, const struct modules *modules, uint32_t place)
{
    const struct document *document = writing->job->document;
    bool is_known = place < document->function_count;
    const struct document_function *of = is_known ? &document->functions[place] : NULL;
    const char *name = place == DEEPER(document) ? export_deeper : export_name(document, place);
    char *texts[] = {text(name), text(of && of->raw_name ? of->raw_name : name)};
    Stint__Pprof__Function function = STINT__PPROF__FUNCTION__INIT, *functions[] = {&function};
    function.id = place + 1;
    function.name = writing->texts++;
    function.system_name = writing->texts++;
    Stint__Pprof__Line line = STINT__PPROF__LINE__INIT, *lines[] = {&line};
    line.function_id = function.id;
    Stint__Pprof__Location location = STINT__PPROF__LOCATION__INIT, *locations[] = {&location};
    location.id = function.id;
    location.lines = lines;
    location.n_lines = 1;
    location.mapping_id = is_known ? modules->of[place] : 0;
    if (location.mapping_id)
        location.address = modules->items[location.mapping_id - 1].start + offset_of(of);
    Stint__Pprof__Profile part = STINT__PPROF__PROFILE__INIT;
    part.texts = texts;
    part.n_texts = COUNT_OF(texts);
    part.functions = functions;
    part.locations = locations;
    part.n_functions = part.n_locations = 1;
    write_part(writing, &part);
}

/* Numbers of places, the innermost first, for a profile. */
static uint32_t stack_of(const struct writing *writing, const struct path *path, uint64_t *stack)
{
    const struct paths *paths = writing->job->paths;
    uint32_t used = 0;
    stack[used++] = path->function + 1;
    if (path->depth > paths->told_depth) stack[used++] = DEEPER(writing->job->document) + 1;
    while (path->parent != DOCUMENT_NONE) {
        path = &paths->items[path->parent];
        if (path->depth < paths->told_depth) stack[used++] = path->function + 1;
    }
    return used;
}

static int write_samples(struct writing *writing)
{
    const struct paths *paths = writing->job->paths;
    uint64_t *stack = arena_alloc(writing->job->arena, (paths->told_depth + 2) * sizeof *stack);
    if (!stack) return -ENOMEM;
    for (uint32_t i = 0; i < paths->count; i++) {
        const struct path *path = &paths->items[i];
        if (!path->calls && !path->self_ns) continue;
        int64_t values[] = {(int64_t)path->calls, (int64_t)path->self_ns};
        Stint__Pprof__Sample sample = STINT__PPROF__SAMPLE__INIT, *samples[] = {&sample};
        sample.n_location_ids = stack_of(writing, path, stack);
        sample.location_ids = stack;
        sample.values = values;
        sample.n_values = COUNT_OF(values);
        Stint__Pprof__Profile part = STINT__PPROF__PROFILE__INIT;
        part.samples = samples;
        part.n_samples = 1;
        write_part(writing, &part);
    }
    return 0;
}

int export_pprof(const struct export_job *job, FILE *out, struct fault *fault)
{
    struct writing writing = {.job = job, .out = out};
    struct modules modules;
    if (find_modules(job, &modules) ||
        deflateInit2(&writing.deflater, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16 /* as gzip */, 8,
                     Z_DEFAULT_STRATEGY) != Z_OK)
        return export_no_memory(fault);
    write_head(&writing);
    write_modules(&writing, &modules);
    bool is_deep = job->paths->depth > job->paths->told_depth + 1;
    for (uint32_t i = 0; i <= job->document->function_count + is_deep; i++)
        write_function(&writing, &modules, i);
    if (write_samples(&writing)) writing.has_failed = true;
    deflate_some(&writing, NULL, 0, Z_FINISH);
    (void)deflateEnd(&writing.deflater); /* all was flushed */
    free(writing.packed);
    return writing.has_failed ? export_no_memory(fault) : 0;
}

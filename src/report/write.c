/* SPDX-License-Identifier: MIT
 *
 * The document's order: process first, then what all threads did, then each thread, then the tree.
 * Three arenas: what lasts as long as the report, scratch, and jansson's, which holds one value at
 * a time. Runs anywhere; in a target perhaps in a signal handler that interrupted malloc. */
#include "report/write.h"

#include "base/compiler.h"
#include "base/file.h"
#include "base/utf8.h"
#include "report/laps.h"
#include "report/process.h"
#include "report/statistics.h"
#include "report/values.h"
#include "stats/order.h"
#include "json/jsonmem.h"

#include <errno.h>
#include <string.h>

enum { THREAD_NAME_BYTES = 16, GIVEN_NAME_BYTES = 64, VERSION_BYTES = 16 };

struct writer {
    struct arena arena, scratch, values;
    struct merged merged;
    struct stream stream;
    struct statistics statistics;
    struct laps laps;
    struct process_facts facts;
    char buffer[STREAM_BUFFER_BYTES];
};

/* The latest moment that the store shows: what a killed process has for an end. */

static uint64_t later(uint64_t a, uint64_t b) { return a > b ? a : b; }

/* A call that has ended left its frame above the top: it began, and took at least its node's
 * shortest time. */
static uint64_t end_of_call(const struct view *view, const struct store_frame *frame)
{
    if (frame->start_ticks & STORE_FRAME_MUTED) return 0;
    const struct store_node *node = frame->sp ? NULL : view_at(view, frame->node, sizeof *node);
    return sums_plus(frame->start_ticks, node && node->count ? node->min_ticks : 0);
}

static uint64_t latest_of_stack(const struct view *view, const struct store_stack *stack,
                                uint64_t *left)
{
    uint64_t latest = 0;
    uint64_t offset = (uint64_t)stack->frames * STORE_UNIT;
    const struct store_frame *frames = view_at(view, stack->frames, sizeof *frames);
    if (!frames) return 0;
    uint64_t most = (view->bytes - offset) / sizeof *frames;
    if (most > stack->capacity) most = stack->capacity;
    for (uint64_t i = 1; i < most && frames[i].start_ticks && *left; i++, --*left)
        latest = later(latest, end_of_call(view, &frames[i]));
    return latest;
}

static uint64_t latest_moment(const struct view *view)
{
    const struct store_head *head = view_head(view);
    uint64_t latest = later(later(head->first_ticks, head->last_ticks), head->ending.ticks);
    uint64_t left = view->bytes / sizeof(struct store_frame), steps = 0;
    const struct store_recorder *recorder = NULL;
    while (left && (recorder = view_next_recorder(view, recorder, &steps))) {
        latest = later(latest, later(recorder->started_ticks, recorder->ended_ticks));
        const struct store_stack *stack = NULL;
        uint64_t stack_steps = 0;
        while (left && (stack = view_next_stack(view, recorder, stack, &stack_steps))) {
            left--; /* bounds stacks without frames in damaged lists */
            latest = later(latest, latest_of_stack(view, stack, &left));
        }
    }
    return latest;
}

/* Functions and categories. */

static double to_ms(const struct writer *writer, uint64_t ticks)
{
    return (double)ticks * 1000 / writer->facts.rate.ticks_per_second;
}

static void write_function(struct writer *writer, const struct merged_function *function)
{
    struct names *names = &writer->merged.names;
    struct names_text text = names_of(names, function->place, false);
    char build_id[65];
    const char *module = names_module_path(names, function->place.module, build_id);
    json_t *object = json_object();
    stream_set(object, "id", json_integer(function->id));
    stream_set(object, "name", json_string_nocheck(text.name));
    stream_set(object, "raw_name", json_string_nocheck(text.raw_name));
    if (module) stream_set(object, "module", json_string_nocheck(module));
    if (module && *build_id) stream_set(object, "build_id", json_string_nocheck(build_id));
    stream_set(object, "offset", stream_hex(function->place.offset));
    stream_open_line(&writer->stream, NULL, '{');
    stream_members(&writer->stream, object);
    statistics_write_all(&writer->statistics, function->parts);
    stream_close(&writer->stream, '}');
}

static void write_functions(struct writer *writer)
{
    const struct merged *merged = &writer->merged;
    stream_open(&writer->stream, "functions", '[');
    for (uint32_t i = 0; i < merged->ranked; i++)
        write_function(writer, &merged->functions[merged->by_rank[i]]);
    stream_close(&writer->stream, ']');
}

static void write_categories(struct writer *writer)
{
    const struct merged *merged = &writer->merged;
    stream_open(&writer->stream, "categories", '{');
    for (uint32_t i = 0; i < merged->function_count; i++) {
        const struct merged_function *function = &merged->functions[i];
        if (!merge_is_category(function) || !merge_was_called(function->parts, false)) continue;
        stream_open_entry(&writer->stream, function->category, '{');
        statistics_write_all(&writer->statistics, function->parts);
        stream_close(&writer->stream, '}');
    }
    stream_close(&writer->stream, '}');
}

/* Trees. */

static void write_node(struct writer *writer, const struct tree_node *node, const uint32_t *ids,
                       uint32_t id)
{
    json_t *object = json_object();
    stream_set(object, "id", json_integer(id));
    stream_set(object, "parent",
               node->parent == INDEX_NONE ? json_null() : json_integer(ids[node->parent]));
    if (node->function != INDEX_NONE) {
        const struct merged_function *function = &writer->merged.functions[node->function];
        if (function->category)
            stream_set(object, "category", json_string_nocheck(function->category));
        else
            stream_set(object, "function", json_integer(function->id));
    }
    if (node->is_folded) stream_set(object, "folded", json_true());
    stream_open_line(&writer->stream, NULL, '{');
    statistics_write_node(&writer->statistics, object, &node->sums);
    stream_close(&writer->stream, '}');
}

static void write_tree(struct writer *writer, const struct tree *tree)
{
    struct arena_mark mark = arena_mark(&writer->scratch);
    uint32_t *ids = arena_alloc(&writer->scratch, tree->count * sizeof *ids + 1), next = 0;
    if (!ids) writer->stream.error = writer->stream.error ? writer->stream.error : -ENOMEM;
    stream_open(&writer->stream, "call_tree", '[');
    for (uint32_t at = tree_next(tree, INDEX_NONE); ids && at != INDEX_NONE;
         at = tree_next(tree, at)) {
        ids[at] = next;
        write_node(writer, &tree->nodes[at], ids, next++);
    }
    stream_close(&writer->stream, ']');
    arena_release(&writer->scratch, mark);
}

/* Threads. */

/* Each function of a thread is told once, where its first part stands. */
static bool is_told(const struct part *part) { return part->leads && merge_was_called(part, true); }

static void write_thread_functions(struct writer *writer, const struct merged_thread *thread)
{
    const struct merged *merged = &writer->merged;
    struct arena_mark mark = arena_mark(&writer->scratch);
    struct order_item *items = arena_alloc(&writer->scratch, thread->parts * sizeof *items + 1);
    uint32_t n = 0;
    if (!items) writer->stream.error = writer->stream.error ? writer->stream.error : -ENOMEM;
    for (uint32_t i = 0; items && i < thread->parts; i++) {
        const struct part *part = &merged->parts[thread->first_part + i];
        if (merged->functions[part->function].category || !is_told(part)) continue;
        uint64_t self = 0;
        for (const struct part *p = part; p && p->thread == part->thread; p = p->next)
            self = sums_plus(self, p->sums.self_ticks);
        items[n++] = (struct order_item){self, thread->first_part + i};
    }
    order_descending(items, n);
    stream_open(&writer->stream, "functions", '[');
    for (uint32_t i = 0; i < n; i++) {
        const struct part *part = &merged->parts[items[i].item];
        stream_open_line(&writer->stream, NULL, '{');
        stream_integer(&writer->stream, "id", merged->functions[part->function].id);
        statistics_write_thread(&writer->statistics, part);
        stream_close(&writer->stream, '}');
    }
    stream_close(&writer->stream, ']');
    arena_release(&writer->scratch, mark);
}

static void write_thread_categories(struct writer *writer, const struct merged_thread *thread)
{
    const struct merged *merged = &writer->merged;
    stream_open(&writer->stream, "categories", '{');
    for (uint32_t i = 0; i < thread->parts; i++) {
        const struct part *part = &merged->parts[thread->first_part + i];
        const struct merged_function *function = &merged->functions[part->function];
        if (!merge_is_category(function) || !is_told(part)) continue;
        stream_open_entry(&writer->stream, function->category, '{');
        statistics_write_thread(&writer->statistics, part);
        stream_close(&writer->stream, '}');
    }
    stream_close(&writer->stream, '}');
}

static json_t *start_routine(struct writer *writer, const struct store_recorder *record)
{
    if (!record->start_routine) return json_null();
    struct names *names = &writer->merged.names;
    struct names_place place =
        names_place_of(names, record->start_routine & STORE_ADDRESS_MASK, record->started_ticks);
    return json_string_nocheck(names_of(names, place, false).name);
}

static json_t *thread_name(const struct view *view, const struct store_recorder *record)
{
    char valid[GIVEN_NAME_BYTES * 3 + 1];
    if (record->flags & STORE_RECORDER_OTHERS) return json_string_nocheck("[other threads]");
    uint32_t bytes = 0;
    const char *name = view_text(view, record->given_name, &bytes);
    if (!name || !bytes) {
        name = record->name;
        bytes = (uint32_t)strnlen(name, THREAD_NAME_BYTES);
    }
    if (bytes > GIVEN_NAME_BYTES) bytes = GIVEN_NAME_BYTES;  /* damaged */
    (void)utf8_make_valid(name, bytes, valid, sizeof valid); /* fits */
    return json_string_nocheck(valid);
}

static void write_thread_head(struct writer *writer, uint32_t number)
{
    const struct merged_thread *thread = &writer->merged.threads[number];
    const struct store_recorder *record = thread->record;
    uint64_t begin = writer->facts.head->first_ticks, start = record->started_ticks;
    bool has_exited = record->state == STORE_THREAD_EXITED;
    json_t *object = json_object();
    stream_set(object, "id", json_integer(number));
    stream_set(object, "tid", json_integer(record->tid));
    stream_set(object, "name", thread_name(writer->merged.view, record));
    stream_set(object, "start_routine", start_routine(writer, record));
    stream_set(object, "parent",
               record->parent && record->parent <= writer->merged.thread_count
                   ? json_integer(record->parent - 1)
                   : json_null());
    stream_set(object, "started_ms", json_real(start > begin ? to_ms(writer, start - begin) : 0));
    stream_set(object, "lifetime_ms",
               json_real(thread->end_ticks > start ? to_ms(writer, thread->end_ticks - start) : 0));
    stream_set(object, "cpu_ms", json_real((double)record->cpu_ns / 1e6));
    stream_set(object, "state", json_string_nocheck(has_exited ? "exited" : "running"));
    stream_set(object, "generations", json_integer(record->generations ? record->generations : 1));
    stream_members(&writer->stream, object);
}

static void write_open_calls(struct writer *writer, const struct merged_thread *thread)
{
    stream_open_line(&writer->stream, "open_calls", '[');
    for (uint32_t i = 0; i < thread->open_count; i++)
        stream_integer(&writer->stream, NULL, writer->merged.functions[thread->open_calls[i]].id);
    stream_close(&writer->stream, ']');
}

static void write_threads(struct writer *writer)
{
    stream_open(&writer->stream, "threads", '[');
    for (uint32_t i = 0; i < writer->merged.thread_count; i++) {
        const struct merged_thread *thread = &writer->merged.threads[i];
        stream_open(&writer->stream, NULL, '{');
        write_thread_head(writer, i);
        write_open_calls(writer, thread);
        write_thread_functions(writer, thread);
        write_thread_categories(writer, thread);
        if (thread->tree) write_tree(writer, thread->tree);
        stream_close(&writer->stream, '}');
    }
    stream_close(&writer->stream, ']');
}

/* Of the stint that recorded. */
static json_t *version(const struct store_head *head)
{
    char valid[VERSION_BYTES * 3 + 1];
    (void)utf8_make_valid(head->stint_version, strnlen(head->stint_version, VERSION_BYTES), valid,
                          sizeof valid); /* fits */
    return json_string_nocheck(valid);
}

static void write_document(struct writer *writer)
{
    struct stream *stream = &writer->stream;
    stream_open(stream, NULL, '{');
    stream_integer(stream, "schema", SCHEMA_NUMBER);
    stream_value(stream, "stint", version(writer->facts.head));
    process_write(&writer->facts);
    write_categories(writer);
    values_write(&writer->merged, &writer->statistics);
    laps_write(&writer->laps, &writer->statistics);
    write_functions(writer);
    write_threads(writer);
    write_tree(writer, &writer->merged.tree);
    stream_close(stream, '}');
}

/* All together. */

static int prepare(struct writer *writer, const struct report_input *input)
{
    const struct store_head *head = view_head(&input->view);
    uint64_t now = input->now_ticks ? input->now_ticks : latest_moment(&input->view);
    struct merge_options options = {.view = &input->view,
                                    .now_ticks = now,
                                    .has_thread_trees =
                                        input->thread_trees || (head->flags & STORE_THREAD_TREES)};
    struct clock_rate rate = process_clock_rate(head);
    (void)arena_alloc(&writer->scratch, 1); /* so that its first block outlives each use of it */
    int error = merge_store(&writer->merged, &options, &writer->arena, &writer->scratch);
    if (!error) error = laps_init(&writer->laps, &writer->merged);
    if (!error)
        error = statistics_init(&writer->statistics, &writer->arena, &writer->scratch,
                                rate.ticks_per_second);
    writer->statistics.stream = &writer->stream;
    writer->statistics.view = &input->view;
    writer->facts = (struct process_facts){.input = input,
                                           .head = head,
                                           .merged = &writer->merged,
                                           .stream = &writer->stream,
                                           .scratch = &writer->scratch,
                                           .rate = rate,
                                           .now_ticks = now};
    return error;
}

/* Where the document goes: into a file that is opened for it, or an open descriptor. */
struct destination {
    struct file_replace *file; /* NULL = fd */
    int fd;
};

/* A program may have left one descriptor alone, which the report's own file takes for long. */
static void read_all_symbols(struct writer *writer)
{
    const struct merged *merged = &writer->merged;
    for (uint32_t i = 0; i < merged->ranked; i++)
        names_read_symbols(&writer->merged.names, merged->functions[merged->by_rank[i]].place);
}

static int open_destination(const struct report_input *input, struct destination *to)
{
    if (!to->file) return 0;
    int error = file_replace_open(to->file, input->path);
    to->fd = to->file->fd;
    return error;
}

static int write_into(struct writer *writer, const struct report_input *input,
                      struct destination *to)
{
    int error = prepare(writer, input);
    if (!error) {
        read_all_symbols(writer);
        error = open_destination(input, to);
    }
    if (!error) {
        int fd = to->fd;
        stream_init(&writer->stream, fd, writer->buffer, &writer->values);
        jsonmem_begin(&writer->values);
        write_document(writer);
        jsonmem_end();
        error = stream_finish(&writer->stream);
    }
    names_fini(&writer->merged.names);
    return error;
}

static int write_to(const struct report_input *input, struct destination *to,
                    uint64_t *memory_bytes, struct fault *fault)
{
    struct arena home = ARENA_INIT; /* the writer itself is too large for a signal's stack */
    struct writer *writer = arena_alloc(&home, sizeof *writer);
    if (!writer) return fault_set(fault, -ENOMEM, "no memory for the report");
    int error = write_into(writer, input, to);
    if (memory_bytes)
        *memory_bytes = home.mapped_bytes + writer->arena.mapped_bytes +
                        writer->scratch.mapped_bytes + writer->values.mapped_bytes;
    arena_fini(&writer->values);
    arena_fini(&writer->scratch);
    arena_fini(&writer->arena);
    arena_fini(&home);
    if (error == -ENOMEM) return fault_set(fault, error, "no memory for the report");
    if (!error) return 0;
    bool is_open = !to->file || to->file->fd >= 0;
    return fault_set(fault, error,
                     is_open ? "the report can't be written" : "the report can't be made");
}

int report_write_to(const struct report_input *input, int fd, uint64_t *memory_bytes,
                    struct fault *fault)
{
    struct destination to = {.fd = fd};
    return write_to(input, &to, memory_bytes, fault);
}

static int write_file(const struct report_input *input, struct file_replace *file,
                      struct fault *fault)
{
    struct destination to = {.file = file};
    int error = write_to(input, &to, NULL, fault);
    if (error) {
        file_replace_abort(file);
        return error;
    }
    error = file_replace_commit(file);
    return error ? fault_set(fault, error, "the report can't be put in place") : 0;
}

int report_write(const struct report_input *input, struct fault *fault)
{
    struct arena home = ARENA_INIT;
    struct file_replace *file = arena_alloc(&home, sizeof *file);
    if (!file) return fault_set(fault, -ENOMEM, "no memory for the report");
    *file = (struct file_replace)FILE_REPLACE_INIT;
    struct file_guard guard;
    file_guard(&guard);
    int error = write_file(input, file, fault);
    file_unguard(&guard);
    arena_fini(&home);
    return error;
}

int report_write_mapped(struct report_input *input, const void *store, uint64_t bytes,
                        struct file_replace *file)
{
    int error = view_init(&input->view, store, bytes, NULL);
    input->view.is_live = !error && view_head(&input->view)->used_bytes >= bytes;
    return error ? error : write_file(input, file, NULL);
}

void report_abandon(struct file_replace *file)
{
    jsonmem_end();
    file_replace_abort(file);
}

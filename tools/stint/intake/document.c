/* SPDX-License-Identifier: MIT
 *
 * JSON → arrays. read.c has checked types, ids and the tree's order: nothing is looked at twice.
 * Runs in `stint`. */
#include "intake/document.h"

#include "base/say.h"
#include "intake/nodes.h"
#include "readback/read.h"
#include "verb/exitcode.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t count_of(const json_t *object, const char *key)
{
    return (uint64_t)json_integer_value(json_object_get(object, key));
}

double document_number(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return value ? json_number_value(value) : (double)NAN;
}

static const char *text_of(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

static void read_statistics(struct document_function *function, const json_t *statistics)
{
    function->statistics = statistics;
    function->count = count_of(statistics, "Count");
    function->open = count_of(statistics, "Open");
    function->total_ms = document_number(statistics, "Total_ms");
    function->self_ms = document_number(statistics, "Self_ms");
    function->avg_ms = document_number(statistics, "Avg_ms");
    function->min_ms = document_number(statistics, "Min_ms");
    function->max_ms = document_number(statistics, "Max_ms");
    function->p50_ms = document_number(statistics, "P50_ms");
    function->p90_ms = document_number(statistics, "P90_ms");
    function->p95_ms = document_number(statistics, "P95_ms");
    function->p99_ms = document_number(statistics, "P99_ms");
    function->p99_9_ms = document_number(statistics, "P99_9_ms");
}

static bool read_functions(struct document *document)
{
    const json_t *functions = json_object_get(document->json, "functions");
    json_t *categories = json_object_get(document->json, "categories");
    size_t count = json_array_size(functions);
    document->functions =
        calloc(count + json_object_size(categories) + 1, sizeof *document->functions);
    if (!document->functions) return false;
    for (uint32_t i = 0; i < count; i++) {
        const json_t *item = json_array_get(functions, i);
        const char *offset = text_of(item, "offset");
        struct document_function *function = &document->functions[document->function_count++];
        *function = (struct document_function){
            .id = i,
            .name = text_of(item, "name"),
            .raw_name = text_of(item, "raw_name"),
            .module = text_of(item, "module"),
            .build_id = text_of(item, "build_id"),
            .offset = offset ? strtoull(offset, NULL, 16) : 0,
        };
        read_statistics(function, item);
    }
    const char *name;
    json_t *category;
    json_object_foreach(categories, name, category)
    {
        struct document_function *function = &document->functions[document->function_count];
        *function = (struct document_function){
            .id = document->function_count++, .is_category = true, .name = name};
        read_statistics(function, category);
        document->category_count++;
    }
    return true;
}

/* By hash: a hostile report has as many categories as nodes. */
static bool index_categories(struct document *document)
{
    document->category_ids = json_object();
    uint32_t first = document->function_count - document->category_count;
    for (uint32_t i = first; i < document->function_count; i++)
        if (json_object_set_new(document->category_ids, document->functions[i].name,
                                json_integer(i)) != 0)
            return false;
    return document->category_ids != NULL;
}

uint32_t document_category(const struct document *document, const char *name)
{
    const json_t *id = name ? json_object_get(document->category_ids, name) : NULL;
    return id ? (uint32_t)json_integer_value(id) : DOCUMENT_NONE;
}

uint32_t document_callee(const struct document *document, const json_t *object)
{
    const json_t *function = json_object_get(object, "function");
    if (function) return (uint32_t)json_integer_value(function);
    return document_category(document, text_of(object, "category"));
}

struct document_node *document_nodes(const struct document *document, const json_t *call_tree,
                                     uint32_t *count)
{
    *count = (uint32_t)json_array_size(call_tree);
    struct document_node *nodes = *count ? calloc(*count, sizeof *nodes) : NULL;
    for (uint32_t i = 0; nodes && i < *count; i++) {
        const json_t *node = json_array_get(call_tree, i),
                     *parent = json_object_get(node, "parent");
        nodes[i] = (struct document_node){
            .parent =
                json_is_integer(parent) ? (uint32_t)json_integer_value(parent) : DOCUMENT_NONE,
            .function = document_callee(document, node),
            .is_folded = json_is_true(json_object_get(node, "folded")),
            .count = count_of(node, "Count"),
            .open = count_of(node, "Open"),
            .total_ms = json_number_value(json_object_get(node, "Total_ms")),
            .self_ms = json_number_value(json_object_get(node, "Self_ms")),
        };
    }
    return nodes;
}

static bool read_threads(struct document *document)
{
    const json_t *threads = json_object_get(document->json, "threads");
    document->thread_count = (uint32_t)json_array_size(threads);
    document->threads = calloc(document->thread_count + (size_t)1, sizeof *document->threads);
    if (!document->threads) return false;
    for (uint32_t i = 0; i < document->thread_count; i++) {
        const json_t *item = json_array_get(threads, i), *parent = json_object_get(item, "parent");
        const char *name = text_of(item, "name"), *state = text_of(item, "state");
        uint64_t generations = count_of(item, "generations");
        document->threads[i] = (struct document_thread){
            .json = item,
            .name = name ? name : "",
            .start_routine = text_of(item, "start_routine"),
            .tid = count_of(item, "tid"),
            .generations = generations ? generations : 1,
            .parent =
                json_is_integer(parent) ? (uint32_t)json_integer_value(parent) : DOCUMENT_NONE,
            .is_running = state && strcmp(state, "running") == 0,
            .started_ms = document_number(item, "started_ms"),
            .lifetime_ms = document_number(item, "lifetime_ms"),
            .cpu_ms = document_number(item, "cpu_ms"),
        };
    }
    return true;
}

bool document_over(json_t *report, struct document *out)
{
    struct document document = {.json = report, .path = "report", .kept = json_array()};
    const json_t *tree = json_object_get(report, "call_tree");
    document.duration_ms =
        json_number_value(json_object_get(json_object_get(report, "process"), "duration_ms"));
    bool is_read =
        read_functions(&document) && index_categories(&document) && read_threads(&document);
    if (is_read) document.nodes = document_nodes(&document, tree, &document.node_count);
    if (is_read && (document.nodes || document.node_count == 0)) {
        *out = document;
        return true;
    }
    document.json = NULL;
    document_close(&document);
    return false;
}

static void tell_fault(const char *path, const struct read_fault *fault)
{
    char place[48] = "";
    if (fault->line) snprintf(place, sizeof place, "%d:%d:", fault->line, fault->column);
    bool is_content = fault->fault.error == -EBADMSG;
    say_line(path, ":", place, " ", fault->fault.text, is_content ? "" : ": ",
             is_content ? "" : strerror(-fault->fault.error), (char *)0);
}

/* With its call tree from the text itself; false where that has to be read the long way. */
static bool open_fast(const char *text, size_t bytes, struct document *out)
{
    struct nodes nodes;
    struct read_fault fault = {.line = 0}; /* is found again, in the whole text */
    json_t *report = NULL;
    char *rest = nodes_pull(&nodes, text, bytes) ? nodes_cut(&nodes, text, &bytes) : NULL;
    bool is_open = rest && read_text(rest, bytes, &report, &fault) == 0;
    free(rest);
    if (is_open && !document_over(report, out)) {
        json_decref(report);
        is_open = false;
    }
    bool is_settled = is_open && nodes_settle(&nodes, out);
    if (is_open && !is_settled) document_close(out);
    nodes_fini(&nodes);
    return is_settled;
}

/* An exit status. */
static int open_text(const char *path, const char *text, size_t bytes, struct document *out)
{
    struct read_fault fault = {.line = 0};
    json_t *report = NULL;
    if (open_fast(text, bytes, out)) return EXITCODE_OK;
    if (read_text(text, bytes, &report, &fault) < 0) {
        tell_fault(path, &fault);
        return EXITCODE_BAD_INPUT;
    }
    if (document_over(report, out)) return EXITCODE_OK;
    json_decref(report);
    say_line(path, ": not enough memory for it", (char *)0);
    return EXITCODE_BAD_INPUT;
}

int document_open(const char *path, struct document *out)
{
    struct read_fault fault = {.line = 0};
    struct arena arena = ARENA_INIT;
    char *text = NULL;
    size_t bytes = 0;
    int status = EXITCODE_BAD_INPUT;
    if (!path) path = "profiling_results.json";
    if (strcmp(path, "-") == 0) path = "/dev/stdin";
    if (read_bytes(path, &arena, &text, &bytes, &fault) < 0)
        tell_fault(path, &fault);
    else
        status = open_text(path, text, bytes, out);
    arena_fini(&arena);
    if (status == EXITCODE_OK) out->path = path;
    return status;
}

void document_close(struct document *document)
{
    json_decref(document->kept);
    json_decref(document->category_ids);
    json_decref(document->json);
    free(document->functions);
    free(document->nodes);
    free(document->threads);
    *document = (struct document){.json = NULL};
}

struct document_function *document_thread_functions(const struct document *document,
                                                    uint32_t thread, uint32_t *count)
{
    const json_t *functions = json_object_get(document->threads[thread].json, "functions");
    json_t *categories = json_object_get(document->threads[thread].json, "categories");
    size_t most = json_array_size(functions) + json_object_size(categories);
    struct document_function *all = most ? calloc(most, sizeof *all) : NULL;
    *count = 0;
    for (size_t i = 0; all && i < json_array_size(functions); i++) {
        const json_t *part = json_array_get(functions, i);
        all[*count] = document->functions[count_of(part, "id")];
        read_statistics(&all[(*count)++], part);
    }
    const char *name;
    json_t *category;
    json_object_foreach(categories, name, category)
    {
        if (!all) break;
        all[*count] = document->functions[document_category(document, name)];
        read_statistics(&all[(*count)++], category);
    }
    return all;
}

size_t document_buckets(const json_t *statistics)
{
    return json_array_size(json_object_get(statistics, "histogram"));
}

struct document_bucket document_bucket(const json_t *statistics, size_t at)
{
    const json_t *bucket = json_array_get(json_object_get(statistics, "histogram"), at);
    return (struct document_bucket){
        .low_ns = (uint64_t)json_integer_value(json_array_get(bucket, 0)),
        .high_ns = (uint64_t)json_integer_value(json_array_get(bucket, 1)),
        .count = (uint64_t)json_integer_value(json_array_get(bucket, 2)),
    };
}

const char *document_base_name(const char *path)
{
    const char *slash = path ? strrchr(path, '/') : NULL;
    return slash && slash[1] ? slash + 1 : path ? path : "";
}

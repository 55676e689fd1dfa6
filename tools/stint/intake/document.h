/* SPDX-License-Identifier: MIT
 *
 * A report in memory as the verbs see it: arrays instead of look-ups by key. All texts and numbers
 * come from the JSON document, which stays open beside them and has what is not here ("process",
 * "counters", "values", "frames"; readback/read.h says what is sure about it). Of a file, its
 * "call_tree" may be empty: nodes.h. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { DOCUMENT_NONE = UINT32_MAX };

/* A function or category. In a thread's list (document_thread_functions) the numbers are the
 * thread's. A time that the report does not have is NaN, a count 0, a text NULL. */
struct document_function {
    uint32_t id;                   /* its place in document.functions */
    bool is_category;              /* then there is a name, and no other text */
    const char *name, *raw_name;   /* name: never NULL */
    const char *module, *build_id; /* build_id: in hexadecimal digits */
    uint64_t offset;               /* in the module: file virtual address; 0 = not known */
    const json_t *statistics;      /* the object that the numbers are from */
    uint64_t count, open;          /* activations; how many of them were still open */
    double total_ms, self_ms;      /* self: NaN for what is in no tree (stint_record) */
    double avg_ms, min_ms, max_ms; /* NaN where nothing has ended */
    double p50_ms, p90_ms, p95_ms, p99_ms, p99_9_ms;
};

/* A path of calls. A parent stands before its children; ids are places in document.nodes. */
struct document_node {
    uint32_t parent;   /* DOCUMENT_NONE = a root */
    uint32_t function; /* DOCUMENT_NONE = the node that all folded ones hang from */
    bool is_folded;    /* stands for every path of its function beyond the recorder's limit */
    uint64_t count, open;
    double total_ms, self_ms; /* 0 where the report has none */
};

struct document_thread {
    const json_t *json;
    const char *name, *start_routine; /* name: never NULL */
    uint64_t tid, generations;        /* generations: at least 1 */
    uint32_t parent;                  /* another thread, perhaps in a circle; or DOCUMENT_NONE */
    bool is_running;
    double started_ms, lifetime_ms, cpu_ms; /* NaN where the report has none */
};

struct document {
    json_t *json;
    const char *path; /* as faults name it */
    struct document_function *functions;
    uint32_t function_count; /* the report's functions in its order, then … */
    uint32_t category_count; /* … so many categories, counted in function_count */
    struct document_node *nodes;
    uint32_t node_count;
    struct document_thread *threads;
    uint32_t thread_count;
    double duration_ms;   /* of the process */
    json_t *kept;         /* an array: values that shall live as long as the document */
    json_t *category_ids; /* of document.c: from a name to a place in functions */
};

/* Reads a report: path "-" is standard input, NULL profiling_results.json. Tells a fault in one
 * line with the place in the file. EXITCODE_OK, with a document for document_close, or
 * EXITCODE_BAD_INPUT with nothing open. */
int document_open(const char *path, struct document *out);

/* The same of a document that read_report or read_text gave; it owns the JSON from then on. False
 * where there is no memory; then the JSON is the caller's still. */
bool document_over(json_t *report, struct document *out);

/* Takes a zeroed document too. */
void document_close(struct document *document);

/* What a thread did, functions then categories, in the thread's order; NULL where there is no
 * memory (or where it did nothing: *count is 0). To be freed with free. */
struct document_function *document_thread_functions(const struct document *document,
                                                    uint32_t thread, uint32_t *count);

/* A call tree of the report's form in arrays (a thread's own, "call_tree" of document_thread.json);
 * NULL where there is no memory or no node. To be freed with free. */
struct document_node *document_nodes(const struct document *document, const json_t *call_tree,
                                     uint32_t *count);

/* The place in functions of the category of that name, or DOCUMENT_NONE. */
uint32_t document_category(const struct document *document, const char *name);

/* A number of an object; NaN where there is none. */
double document_number(const json_t *object, const char *key);

/* The function or category that a "function" or "category" member of an object names, or
 * DOCUMENT_NONE: of tree nodes, of culprits of frames. */
uint32_t document_callee(const struct document *document, const json_t *object);

/* The buckets of a statistics object's histogram, ascending; `at` below their number. Not for
 * "values", whose bounds are reals. */
struct document_bucket {
    uint64_t low_ns, high_ns, count;
};
size_t document_buckets(const json_t *statistics);
struct document_bucket document_bucket(const json_t *statistics, size_t at);

/* The last part of a path: "/opt/lib/libb.so" → "libb.so"; "" for NULL. */
const char *document_base_name(const char *path);

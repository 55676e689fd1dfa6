/* SPDX-License-Identifier: MIT
 *
 * Trace events for Perfetto and chrome://tracing. A report has sums and no timeline: what is drawn
 * is the call tree, each path as long as its time, the heaviest first; the file says so itself.
 * Runs in `stint`. */
#include "export/export.h"
#include "export/text.h"

#include "config.h"

struct writing {
    const struct document *document;
    FILE *out;
    long long pid;
};

static void write_name(const struct writing *writing, const char *what, uint64_t tid,
                       const char *name)
{
    fprintf(writing->out,
            "{\"ph\":\"M\",\"name\":\"%s\",\"pid\":%lld,\"tid\":%llu,\"args\":{\"name\":", what,
            writing->pid, (unsigned long long)tid);
    text_json(writing->out, name);
    fputs("}}", writing->out);
}

static void begin_event(const struct writing *writing, char type, uint64_t tid, uint64_t at_ns)
{
    fprintf(writing->out, ",\n{\"ph\":\"%c\",\"pid\":%lld,\"tid\":%llu,\"ts\":", type, writing->pid,
            (unsigned long long)tid);
    text_us(writing->out, at_ns);
}

/* Begin and end have an event each: with a duration instead, readers add two reals, and the sums of
 * a path and of its last callee differ in their last digits. */
static void write_begin(const struct writing *writing, const struct path *path, uint64_t tid)
{
    FILE *out = writing->out;
    const struct document *document = writing->document;
    const char *module = path->function < document->function_count
                             ? document->functions[path->function].module
                             : NULL;
    begin_event(writing, 'B', tid, path->start_ns);
    fputs(",\"name\":", out);
    text_json(out, export_name(document, path->function));
    fprintf(out, ",\"args\":{\"calls\":%llu,\"self_us\":", (unsigned long long)path->calls);
    text_us(out, path->self_ns);
    if (module) {
        fputs(",\"module\":", out);
        text_json(out, module);
    }
    fputs("}}", out);
}

/* Ends from `open` up to, not including, `until`. */
static void write_ends(const struct writing *writing, const struct export_tree *tree, uint32_t open,
                       uint32_t until)
{
    for (const struct path *path; open != until; open = path->parent) {
        path = &tree->paths->items[open];
        begin_event(writing, 'E', tree->number, path->start_ns + path->total_ns);
        fputs(",\"name\":", writing->out);
        text_json(writing->out, export_name(writing->document, path->function));
        putc('}', writing->out);
    }
}

static int write_tree(const struct export_tree *tree, void *context)
{
    const struct writing *writing = context;
    uint32_t open = DOCUMENT_NONE;
    fputs(",\n", writing->out);
    write_name(writing, "thread_name", tree->number, tree->name);
    for (uint32_t i = 0; i < tree->paths->count; i++) {
        write_ends(writing, tree, open, tree->paths->items[i].parent);
        write_begin(writing, &tree->paths->items[i], tree->number);
        open = i;
    }
    write_ends(writing, tree, open, DOCUMENT_NONE);
    return 0;
}

int export_chrome(const struct export_job *job, FILE *out, struct fault *fault)
{
    struct writing writing = {
        .document = job->document, .out = out, .pid = export_pid(job->document)};
    fputs("{\"displayTimeUnit\":\"ns\",\n"
          "\"otherData\":{\"creator\":\"stint " STINT_VERSION "\",\"layout\":\"call tree, not a "
          "timeline: each path is as long as its time in all, the heaviest first\"},\n"
          "\"traceEvents\":[\n",
          out);
    write_name(&writing, "process_name", 0, export_program(job->document));
    int error = export_each_tree(job, fault, write_tree, &writing);
    fputs("]}\n", out);
    return error;
}

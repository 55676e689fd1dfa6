/* SPDX-License-Identifier: MIT
 *
 * speedscope's own format, as events: each path opens where it starts in the flame graph and closes
 * where it ends, so the file grows with the tree and not with its depth. One profile for all
 * threads together, one for each thread that has its own tree. Runs in `stint`. */
#include "export/export.h"
#include "export/text.h"

#include "config.h"

struct writing {
    const struct export_job *job;
    FILE *out;
    bool is_first;
};

static void write_event(FILE *out, char type, const struct path *path, uint64_t at_ns,
                        bool is_first)
{
    fprintf(out, "%s\n{\"type\":\"%c\",\"frame\":%u,\"at\":%llu}", is_first ? "" : ",", type,
            path->function, (unsigned long long)at_ns);
}

/* Closes from `open` up to, not including, `until`. */
static void close_up(FILE *out, const struct paths *paths, uint32_t open, uint32_t until)
{
    for (; open != until; open = paths->items[open].parent) {
        const struct path *path = &paths->items[open];
        write_event(out, 'C', path, path->start_ns + path->total_ns, false);
    }
}

static int write_profile(const struct export_tree *tree, void *context)
{
    struct writing *writing = context;
    const struct paths *paths = tree->paths;
    FILE *out = writing->out;
    uint32_t open = DOCUMENT_NONE;
    fprintf(out, "%s\n{\"type\":\"evented\",\"name\":", writing->is_first ? "" : ",");
    writing->is_first = false;
    text_json(out, tree->name);
    fprintf(out, ",\"unit\":\"nanoseconds\",\"startValue\":0,\"endValue\":%llu,\"events\":[",
            (unsigned long long)paths->total_ns);
    for (uint32_t i = 0; i < paths->count; i++) {
        close_up(out, paths, open, paths->items[i].parent);
        write_event(out, 'O', &paths->items[i], paths->items[i].start_ns, i == 0);
        open = i;
    }
    close_up(out, paths, open, DOCUMENT_NONE);
    fputs("]}", out);
    return 0;
}

static void write_frames(const struct document *document, FILE *out)
{
    for (uint32_t i = 0; i < document->function_count; i++) {
        const struct document_function *function = &document->functions[i];
        fputs("{\"name\":", out);
        text_json(out, export_name(document, i));
        if (function->module) {
            fputs(",\"file\":", out);
            text_json(out, function->module);
        }
        fputs("},\n", out);
    }
    fputs("{\"name\":", out);
    text_json(out, export_name(document, document->function_count));
    putc('}', out);
}

int export_speedscope(const struct export_job *job, FILE *out, struct fault *fault)
{
    struct writing writing = {.job = job, .out = out, .is_first = true};
    fputs("{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\n"
          "\"exporter\":\"stint@" STINT_VERSION "\",\"activeProfileIndex\":0,\"name\":",
          out);
    text_json(out, export_program(job->document));
    fputs(",\n\"shared\":{\"frames\":[\n", out);
    write_frames(job->document, out);
    fputs("]},\n\"profiles\":[", out);
    int error = export_each_tree(job, fault, write_profile, &writing);
    fputs("]}\n", out);
    return error;
}

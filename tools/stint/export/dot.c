/* SPDX-License-Identifier: MIT
 *
 * A call graph for Graphviz: a box a function, coloured by its Self, an arrow a pair of caller and
 * callee, as thick as its time. What is small is left out, and how much of it is said. Runs in
 * `stint`. */
#include "export/callgraph.h"
#include "export/text.h"

#include "report/summary.h"

enum { LABEL_WIDTH = 48, TOOLTIP_WIDTH = 1000 };

struct writing {
    const struct export_job *job;
    FILE *out;
    char **names;
    struct callgraph graph;
    bool *is_shown;
};

/* Inside quotes Graphviz reads backslashes, and entities as HTML has them. */
static void quoted(FILE *out, const char *text)
{
    for (; *text; text++) {
        if (*text == '"' || *text == '\\') putc('\\', out);
        fputs(*text == '&' ? "&amp;" : (const char[]){*text, '\0'}, out);
    }
}

static double percent(const struct writing *writing, uint64_t ns)
{
    uint64_t whole = writing->job->paths->total_ns;
    return whole ? 100.0 * (double)ns / (double)whole : 0;
}

static void time_and_percent(const struct writing *writing, const char *what, uint64_t ns)
{
    char time[16];
    summary_time((double)ns / 1e6, time);
    unsigned tenths = (unsigned)(percent(writing, ns) * 10 + 0.5);
    fprintf(writing->out, "%s%s (%u.%u%%)", what, time, tenths / 10, tenths % 10);
}

/* White, where there is no Self, to a strong orange at half of all time. */
static void colour(const struct writing *writing, uint64_t self_ns)
{
    double share = percent(writing, self_ns) / 50;
    if (share > 1) share = 1;
    fprintf(writing->out, "#%02x%02x%02x", 255 - (unsigned)(share * 15),
            255 - (unsigned)(share * 135), 255 - (unsigned)(share * 205));
}

static int write_box(const struct writing *writing, uint32_t function)
{
    const struct callgraph *graph = &writing->graph;
    struct arena *arena = writing->job->arena;
    struct arena_mark mark = arena_mark(arena);
    const char *label = text_shortened(writing->names[function], LABEL_WIDTH, arena);
    const char *tooltip = text_shortened(writing->names[function], TOOLTIP_WIDTH, arena);
    if (!label || !tooltip) return -1;
    fprintf(writing->out, "  f%u [label=\"", function);
    quoted(writing->out, label);
    time_and_percent(writing, "\\nself ", graph->self_ns[function]);
    time_and_percent(writing, "\\ntotal ", graph->total_ns[function]);
    fputs("\", tooltip=\"", writing->out);
    quoted(writing->out, tooltip);
    fputs("\", fillcolor=\"", writing->out);
    colour(writing, graph->self_ns[function]);
    fputs("\"];\n", writing->out);
    arena_release(arena, mark);
    return 0;
}

static void write_arrow(const struct writing *writing, const struct edge *edge)
{
    unsigned width = 10 + (unsigned)(percent(writing, edge->ns) / 100 * 50);
    fprintf(writing->out, "  f%u -> f%u [label=\"", edge->from, edge->to);
    time_and_percent(writing, "", edge->ns);
    fprintf(writing->out, "\\n%llu×\", penwidth=%u.%u];\n", (unsigned long long)edge->calls,
            width / 10, width % 10);
}

/* Returns how many functions with calls are left out, or −1. */
static long choose(struct writing *writing)
{
    const struct export_job *job = writing->job;
    uint32_t count = 0, folded = job->document->function_count;
    const uint32_t *ranked = export_ranked(job, &count);
    writing->is_shown = arena_alloc(job->arena, (size_t)folded + 1);
    if (!ranked || !writing->is_shown) return -1;
    for (uint32_t i = 0; i < count; i++) writing->is_shown[ranked[i]] = true;
    writing->is_shown[folded] = true;
    long left_out = 0;
    for (uint32_t i = 0; i <= folded; i++) {
        bool is_there = writing->graph.calls[i] || writing->graph.total_ns[i];
        bool is_small = percent(writing, writing->graph.total_ns[i]) < job->least_percent;
        left_out += is_there && (is_small || !writing->is_shown[i]);
        writing->is_shown[i] = writing->is_shown[i] && is_there && !is_small;
    }
    return left_out;
}

static void write_head(const struct writing *writing, const char *program, long left_out)
{
    char time[16];
    summary_time((double)writing->job->paths->total_ns / 1e6, time);
    fputs("digraph stint {\n"
          "  graph [labelloc=t, tooltip=\" \", fontname=\"sans-serif\", label=\"",
          writing->out);
    quoted(writing->out, program);
    fprintf(writing->out, ": %s in recorded functions", time);
    if (left_out) fprintf(writing->out, "; %ld small functions are left out", left_out);
    fputs("\"];\n  node [shape=box, style=\"filled,rounded\", fontname=\"sans-serif\", "
          "fontsize=11];\n  edge [fontname=\"sans-serif\", fontsize=9, color=\"#707070\"];\n",
          writing->out);
}

int export_dot(const struct export_job *job, FILE *out, struct fault *fault)
{
    uint32_t folded = job->document->function_count;
    struct writing writing = {.job = job, .out = out, .names = text_names(job, "", ' ', false)};
    const char *program = text_flat(export_program(job->document), "", ' ', job->arena);
    if (!writing.names || !program ||
        callgraph_init(&writing.graph, job->paths, folded, job->arena) != 0)
        return export_no_memory(fault);
    long left_out = choose(&writing);
    if (left_out < 0) return export_no_memory(fault);
    write_head(&writing, program, left_out);
    for (uint32_t i = 0; i <= folded; i++)
        if (writing.is_shown[i] && write_box(&writing, i)) return export_no_memory(fault);
    for (size_t i = 0; i < writing.graph.edge_count; i++) {
        const struct edge *edge = &writing.graph.edges[i];
        if (edge->from == DOCUMENT_NONE || !writing.is_shown[edge->from] ||
            !writing.is_shown[edge->to])
            continue;
        write_arrow(&writing, edge);
    }
    fputs("}\n", out);
    return 0;
}

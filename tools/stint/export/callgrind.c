/* SPDX-License-Identifier: MIT
 *
 * The format of valgrind's callgrind, for KCachegrind and callgrind_annotate: each function's Self,
 * and what each of its callees cost it. Lines of source are not known: all costs stand at line 0.
 * A pseudo function calls the roots, so that every function's callers add up to its Total. Runs in
 * `stint`. */
#include "export/callgraph.h"
#include "export/text.h"

#include "config.h"

struct writing {
    const struct document *document;
    FILE *out;
    char **names, **modules;
    bool *is_named; /* by function, then [program] */
    const struct callgraph *graph;
};

/* Names are numbered, and written once: readers refuse a second definition. Files of source are
 * unknown. */
static void write_function(const struct writing *writing, const char *prefix, uint32_t function)
{
    uint32_t program = writing->document->function_count + 1;
    uint32_t place = function == DOCUMENT_NONE ? program : function;
    const char *name = place == program ? "[program]" : writing->names[function];
    bool is_named = writing->is_named[place];
    fprintf(writing->out, "%sob=%s\n%s=???\n%sfn=(%u)%s%s\n", prefix,
            place == program ? "???" : writing->modules[function], *prefix ? "cfi" : "fl", prefix,
            place + 1, is_named ? "" : " ", is_named ? "" : name);
    writing->is_named[place] = true;
}

/* The function's Self, then its calls: edges from `first` on. Returns the place behind them. */
static size_t write_body(const struct writing *writing, uint32_t function, size_t first)
{
    const struct callgraph *graph = writing->graph;
    putc('\n', writing->out);
    write_function(writing, "", function);
    fprintf(writing->out, "0 %llu\n",
            function == DOCUMENT_NONE ? 0 : (unsigned long long)graph->self_ns[function]);
    for (; first < graph->edge_count && graph->edges[first].from == function; first++) {
        const struct edge *edge = &graph->edges[first];
        write_function(writing, "c", edge->to);
        /* after "calls=0" callgrind_annotate takes the cost for the caller's own; there are none
         * of a forked child's inherited frames and of the root of the folded paths */
        fprintf(writing->out, "calls=%llu 0\n0 %llu\n",
                (unsigned long long)(edge->calls ? edge->calls : 1), (unsigned long long)edge->ns);
    }
    return first;
}

static char **module_names(const struct export_job *job)
{
    const struct document *document = job->document;
    char **modules =
        arena_alloc(job->arena, ((size_t)document->function_count + 1) * sizeof *modules);
    for (uint32_t i = 0; modules && i <= document->function_count; i++) {
        const char *module = i < document->function_count ? document->functions[i].module : NULL;
        modules[i] = text_flat(module && *module ? module : "???", "", ' ', job->arena);
        if (!modules[i]) return NULL;
    }
    return modules;
}

static int write_header(const struct export_job *job, FILE *out)
{
    char *program = text_flat(export_program(job->document), "", ' ', job->arena);
    if (!program) return -1;
    fprintf(out,
            "# callgrind format\nversion: 1\ncreator: stint " STINT_VERSION "\npid: %lld\n"
            "cmd: %s\npart: 1\n\npositions: line\nevent: ns : Nanoseconds\nevents: ns\n"
            "summary: %llu\n",
            export_pid(job->document), program, (unsigned long long)job->paths->total_ns);
    return 0;
}

int export_callgrind(const struct export_job *job, FILE *out, struct fault *fault)
{
    const struct document *document = job->document;
    struct callgraph graph;
    struct writing writing = {.document = document,
                              .out = out,
                              .names = text_names(job, "", ' ', true),
                              .modules = module_names(job),
                              .is_named =
                                  arena_alloc(job->arena, (size_t)document->function_count + 2),
                              .graph = &graph};
    if (!writing.names || !writing.modules || !writing.is_named || write_header(job, out) ||
        callgraph_init(&graph, job->paths, document->function_count, job->arena))
        return export_no_memory(fault);
    size_t next = 0;
    for (uint32_t i = 0; i <= document->function_count; i++) {
        bool calls = next < graph.edge_count && graph.edges[next].from == i;
        if (calls || graph.calls[i] || graph.self_ns[i]) next = write_body(&writing, i, next);
    }
    (void)write_body(&writing, DOCUMENT_NONE, next);
    fprintf(out, "\ntotals: %llu\n", (unsigned long long)job->paths->total_ns);
    return 0;
}

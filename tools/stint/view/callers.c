/* SPDX-License-Identifier: MIT
 *
 * Who calls a function, and whom it calls: the tree's edges at its nodes, added up. An edge inside
 * another activation of the same edge (recursion) adds calls, and no time. Runs in `stint`. */
#include "view/display.h"

#include "base/say.h"
#include "verb/exitcode.h"
#include "view/calltree.h"

#include <stdlib.h>
#include <string.h>

enum { FUNCTIONS_MOST = 8, NAME_LEAST = 24 };

struct edge {
    uint32_t function; /* at the other end; function_count = paths that were folded, or no caller */
    uint64_t count;
    double total_ms;
};

struct edges {
    const struct display *display;
    struct calltree tree;
    bool is_callers;
    struct edge *list; /* one for each function, and two more */
    uint32_t *open;    /* how often the edge is on the path from the root to here */
    uint32_t count;
};

/* What is at the other end of the edge at this node, seen from `function`; or NONE: no such edge.
 */
static uint32_t other_end(const struct edges *edges, uint32_t at, uint32_t function)
{
    const struct document_node *node = &edges->tree.nodes[at];
    uint32_t nobody = edges->display->document->function_count;
    bool has_parent = node->parent != DOCUMENT_NONE;
    uint32_t above = has_parent ? edges->tree.nodes[node->parent].function : DOCUMENT_NONE;
    if (!edges->is_callers)
        return above == function && node->function != DOCUMENT_NONE ? node->function
                                                                    : DOCUMENT_NONE;
    if (node->function != function) return DOCUMENT_NONE;
    if (above != DOCUMENT_NONE) return above;
    return has_parent ? nobody + 1 : nobody; /* below the folded paths' root, or a root */
}

static void enter(struct edges *edges, uint32_t at, uint32_t function)
{
    uint32_t other = other_end(edges, at, function);
    if (other == DOCUMENT_NONE) return;
    edges->list[other].count += edges->tree.nodes[at].count;
    if (edges->open[other]++ == 0) edges->list[other].total_ms += edges->tree.nodes[at].total_ms;
}

static void leave(struct edges *edges, uint32_t at, uint32_t function)
{
    uint32_t other = other_end(edges, at, function);
    if (other != DOCUMENT_NONE) edges->open[other]--;
}

/* Leaves what lies between `at` and the next node of the walk. */
static void leave_to(struct edges *edges, uint32_t at, uint32_t next, uint32_t function)
{
    uint32_t stop = next == DOCUMENT_NONE ? DOCUMENT_NONE : edges->tree.nodes[next].parent;
    for (; at != stop; at = edges->tree.nodes[at].parent) leave(edges, at, function);
}

static int by_total(const void *a, const void *b)
{
    const struct edge *x = a, *y = b;
    if (x->total_ms != y->total_ms) return x->total_ms < y->total_ms ? 1 : -1;
    return (x->function > y->function) - (x->function < y->function);
}

static void gather(struct edges *edges, uint32_t function)
{
    uint32_t ends = edges->display->document->function_count + 2, next;
    memset(edges->list, 0, ends * sizeof *edges->list);
    for (uint32_t i = 0; i < ends; i++) edges->list[i].function = i;
    for (uint32_t at = edges->tree.first_root; at != DOCUMENT_NONE; at = next) {
        enter(edges, at, function);
        next = calltree_next(&edges->tree, at, true);
        leave_to(edges, at, next, function);
    }
    edges->count = 0;
    for (uint32_t i = 0; i < ends; i++)
        if (edges->list[i].count || edges->list[i].total_ms > 0)
            edges->list[edges->count++] = edges->list[i];
    qsort(edges->list, edges->count, sizeof *edges->list, by_total);
}

static const char *end_name(const struct edges *edges, uint32_t end)
{
    uint32_t count = edges->display->document->function_count;
    if (end == count) return "(nothing recorded)";
    return end > count ? "(paths beyond the recorder's limit)"
                       : edges->display->document->functions[end].name;
}

static void put_edge(const struct edges *edges, const struct edge *edge, double whole)
{
    const struct screen *screen = &edges->display->screen;
    const struct document *document = edges->display->document;
    screen_time(screen, edge->total_ms, SCREEN_TIME);
    fputs("  ", screen->file);
    screen_percent(screen, edge->total_ms, whole);
    screen_count(screen, edge->count, 13);
    fputs("  ", screen->file);
    if (edge->function < document->function_count)
        display_function_line(edges->display, &document->functions[edge->function], 31);
    else
        fputs(end_name(edges, edge->function), screen->file);
    fputc('\n', screen->file);
}

static void put_edges(const struct edges *edges, const struct document_function *function)
{
    const struct screen *screen = &edges->display->screen;
    display_function_line(edges->display, function, 0);
    fputs("\n  total", screen->file);
    screen_time(screen, function->total_ms, 9);
    fputs(", self", screen->file);
    screen_time(screen, function->self_ms, 9);
    fprintf(screen->file, ", %llu calls; %s\n", (unsigned long long)function->count,
            edges->is_callers ? "called by" : "calls");
    screen_style(screen, SCREEN_TITLE);
    fprintf(screen->file, "%8s  %6s%13s  %s", "Total", "Share", "Calls",
            edges->is_callers ? "Caller" : "Callee");
    screen_style(screen, SCREEN_PLAIN);
    fputc('\n', screen->file);
    size_t most = edges->display->most_rows;
    for (uint32_t i = 0; i < edges->count && (!most || i < most); i++)
        put_edge(edges, &edges->list[i], function->total_ms);
    if (edges->count == 0) fputs("       (nothing that was recorded)\n", screen->file);
    if (most && edges->count > most)
        fprintf(screen->file, "… and %zu more; -n 0 shows all\n", edges->count - most);
}

static json_t *edges_json(const struct edges *edges, const struct document_function *function)
{
    const struct document *document = edges->display->document;
    json_t *object = display_function_json(edges->display, function), *list = json_array();
    for (uint32_t i = 0; i < edges->count; i++) {
        const struct edge *edge = &edges->list[i];
        bool is_function = edge->function < document->function_count;
        json_t *item = json_object();
        const char *module = is_function ? document->functions[edge->function].module : NULL;
        if (is_function)
            json_object_set_new(item, "name", json_string(end_name(edges, edge->function)));
        else if (edge->function > document->function_count)
            json_object_set_new(item, "folded", json_true());
        if (module) json_object_set_new(item, "module", json_string(module));
        json_object_set_new(item, "Count", json_integer((json_int_t)edge->count));
        json_object_set_new(item, "Total_ms", json_real(edge->total_ms));
        json_array_append_new(list, item);
    }
    json_object_set_new(object, edges->is_callers ? "callers" : "callees", list);
    return object;
}

static int show(struct edges *edges, const uint32_t *ids, uint32_t count)
{
    const struct display *display = edges->display;
    json_t *all = json_array();
    uint32_t shown = count < FUNCTIONS_MOST || display->is_json ? count : FUNCTIONS_MOST;
    for (uint32_t i = 0; i < shown; i++) {
        const struct document_function *function = &display->document->functions[ids[i]];
        gather(edges, ids[i]);
        if (display->is_json) {
            json_array_append_new(all, edges_json(edges, function));
            continue;
        }
        if (i) fputc('\n', display->screen.file);
        put_edges(edges, function);
    }
    if (display->is_json)
        return screen_json(&display->screen, json_pack("{s:o}", "functions", all));
    json_decref(all);
    if (shown < count)
        fprintf(display->screen.file, "\n… and %u more functions that %s means\n", count - shown,
                display->function);
    return EXITCODE_OK;
}

static int show_edges(const struct display *display, bool is_callers)
{
    const struct document *document = display->document;
    struct edges edges = {.display = display, .is_callers = is_callers};
    size_t ends = document->function_count + (size_t)2;
    uint32_t *ids = calloc(ends, sizeof *ids);
    edges.list = calloc(ends, sizeof *edges.list);
    edges.open = calloc(ends, sizeof *edges.open);
    int status = EXITCODE_BAD_INPUT;
    bool is_ready = ids && edges.list && edges.open &&
                    calltree_init(&edges.tree, document->nodes, document->node_count);
    if (is_ready) {
        uint32_t count = select_functions(document, display->function, ids);
        status = count ? show(&edges, ids, count) : EXITCODE_USAGE;
        calltree_fini(&edges.tree);
    } else {
        say_line("not enough memory for the tree", (char *)0);
    }
    free(ids);
    free(edges.list);
    free(edges.open);
    return status;
}

int display_callers(const struct display *display) { return show_edges(display, true); }

int display_callees(const struct display *display) { return show_edges(display, false); }

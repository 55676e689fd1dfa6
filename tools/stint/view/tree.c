/* SPDX-License-Identifier: MIT
 *
 * The call tree from the roots down, small branches cut and counted where they would stand. Runs
 * in `stint`. */
#include "view/display.h"

#include "base/say.h"
#include "verb/exitcode.h"
#include "view/calltree.h"

#include <stdlib.h>
#include <string.h>

enum { NAME_LEAST = 24, INDENT_MOST = 60 };

struct drawing {
    const struct display *display;
    struct calltree tree;
};

static bool is_deep(const struct drawing *drawing, uint32_t depth)
{
    return drawing->display->depth && depth >= drawing->display->depth;
}

static bool is_small(const struct drawing *drawing, uint32_t node)
{
    return drawing->tree.nodes[node].total_ms * 100 <
           drawing->display->min_percent * drawing->tree.whole_ms;
}

/* A row is to come after this one among its siblings: its next, or what stands for the small ones
 * together. */
static bool has_next(const struct drawing *drawing, uint32_t node)
{
    uint32_t next = drawing->tree.next_sibling[node];
    return next != DOCUMENT_NONE && drawing->tree.rest_ms[next] * 100 >=
                                        drawing->display->min_percent * drawing->tree.whole_ms;
}

static const char *name_of(const struct drawing *drawing, uint32_t node)
{
    uint32_t function = drawing->tree.nodes[node].function;
    if (function == DOCUMENT_NONE) return "[folded]";
    return drawing->display->document->functions[function].name;
}

/* "│  ├─ " of an ancestor chain: what still has siblings to come is a line. */
static size_t put_branches(const struct drawing *drawing, uint32_t node, bool is_last)
{
    const struct screen *screen = &drawing->display->screen;
    const struct calltree *tree = &drawing->tree;
    static const char *const utf8[] = {"└─ ", "├─ ", "│  "}, *const ascii[] = {"`- ", "|- ", "|  "};
    const char *const *signs = screen->is_utf8 ? utf8 : ascii;
    uint32_t depth = tree->depth[node], above[INDENT_MOST / 3], most = INDENT_MOST / 3;
    if (depth == 0) return 0;
    if (depth > most) {
        size_t width = (size_t)fprintf(screen->file, "(%u) ", depth);
        screen_pad(screen, width, INDENT_MOST);
        return INDENT_MOST;
    }
    for (uint32_t i = depth, at = node; i > 0; i--, at = tree->nodes[at].parent) above[i - 1] = at;
    screen_style(screen, SCREEN_FAINT);
    for (uint32_t i = 0; i + 1 < depth; i++)
        fputs(has_next(drawing, above[i]) ? signs[2] : "   ", screen->file);
    fputs(signs[!is_last], screen->file);
    screen_style(screen, SCREEN_PLAIN);
    return (size_t)depth * 3;
}

static void put_numbers(const struct drawing *drawing, const struct document_node *node)
{
    const struct screen *screen = &drawing->display->screen;
    bool is_hot = node->self_ms * 10 > drawing->tree.whole_ms;
    screen_percent(screen, node->total_ms, drawing->tree.whole_ms);
    screen_time(screen, node->total_ms, 10);
    screen_style(screen, is_hot ? SCREEN_HOT : SCREEN_PLAIN);
    screen_time(screen, node->self_ms, 10);
    screen_style(screen, SCREEN_PLAIN);
    screen_count(screen, node->count, 13);
    fputs("  ", screen->file);
}

static void put_node(const struct drawing *drawing, uint32_t at)
{
    const struct screen *screen = &drawing->display->screen;
    const struct document_node *node = &drawing->tree.nodes[at];
    put_numbers(drawing, node);
    size_t used = 41 + put_branches(drawing, at, !has_next(drawing, at));
    size_t most = screen->width > used + NAME_LEAST ? screen->width - used : NAME_LEAST;
    bool is_category = node->function != DOCUMENT_NONE &&
                       drawing->display->document->functions[node->function].is_category;
    screen_style(screen, is_category ? SCREEN_MARK : SCREEN_PLAIN);
    screen_name(screen, name_of(drawing, at), most);
    screen_style(screen, SCREEN_PLAIN);
    if (node->is_folded && node->function != DOCUMENT_NONE) fputs(" (all paths)", screen->file);
    if (is_deep(drawing, drawing->tree.depth[at] + 1) &&
        drawing->tree.first_child[at] != DOCUMENT_NONE)
        fputs(" …", screen->file);
    fputc('\n', screen->file);
}

/* Siblings come by size: from the first small one on, all are. */
static void put_small(const struct drawing *drawing, uint32_t first)
{
    const struct screen *screen = &drawing->display->screen;
    const struct calltree *tree = &drawing->tree;
    struct document_node sum = {.count = 0};
    uint32_t count = 0;
    for (uint32_t at = first; at != DOCUMENT_NONE; at = tree->next_sibling[at], count++) {
        sum.total_ms += tree->nodes[at].total_ms;
        sum.self_ms += tree->nodes[at].self_ms;
        sum.count += tree->nodes[at].count;
    }
    put_numbers(drawing, &sum);
    put_branches(drawing, first, true);
    screen_style(screen, SCREEN_FAINT);
    fprintf(screen->file, "(%u smaller)", count);
    screen_style(screen, SCREEN_PLAIN);
    fputc('\n', screen->file);
}

/* The last of `at`'s siblings: what comes after it in preorder lies outside of them. */
static uint32_t last_sibling(const struct calltree *tree, uint32_t at)
{
    while (tree->next_sibling[at] != DOCUMENT_NONE) at = tree->next_sibling[at];
    return at;
}

static void put_tree(const struct drawing *drawing)
{
    const struct screen *screen = &drawing->display->screen;
    const struct calltree *tree = &drawing->tree;
    size_t rows = 0, most = drawing->display->most_rows;
    screen_style(screen, SCREEN_TITLE);
    fprintf(screen->file, "%6s%10s%10s%13s  %s", "Share", "Total", "Self", "Calls", "Function");
    screen_style(screen, SCREEN_PLAIN);
    fputc('\n', screen->file);
    for (uint32_t at = tree->first_root; at != DOCUMENT_NONE; rows++) {
        if (most && rows == most) {
            fprintf(screen->file, "… and more; -n 0 shows all, --min-percent less\n");
            return;
        }
        if (is_small(drawing, at)) {
            bool is_worth_it =
                tree->rest_ms[at] * 100 >= drawing->display->min_percent * tree->whole_ms;
            if (is_worth_it) put_small(drawing, at);
            rows -= !is_worth_it;
            at = calltree_next(tree, last_sibling(tree, at), false);
        } else {
            put_node(drawing, at);
            at = calltree_next(tree, at, !is_deep(drawing, tree->depth[at] + 1));
        }
    }
    if (tree->count == 0) fputs("no call tree: nothing was called\n", screen->file);
}

static json_t *node_json(const struct drawing *drawing, uint32_t at)
{
    const struct document_node *node = &drawing->tree.nodes[at];
    double whole = drawing->tree.whole_ms;
    json_t *object = json_object();
    json_object_set_new(object, "id", json_integer(at));
    json_object_set_new(object, "parent",
                        node->parent == DOCUMENT_NONE ? json_null() : json_integer(node->parent));
    json_object_set_new(object, "depth", json_integer(drawing->tree.depth[at]));
    json_object_set_new(object, "name", json_string(name_of(drawing, at)));
    json_object_set_new(object, "percent", json_real(whole > 0 ? node->total_ms / whole * 100 : 0));
    json_object_set_new(object, "Count", json_integer((json_int_t)node->count));
    if (node->open) json_object_set_new(object, "Open", json_integer((json_int_t)node->open));
    json_object_set_new(object, "Total_ms", json_real(node->total_ms));
    json_object_set_new(object, "Self_ms", json_real(node->self_ms));
    return object;
}

/* A list, parents first, as in the report: a nested form would be as deep as the calls. */
static int tree_json(const struct drawing *drawing)
{
    const struct calltree *tree = &drawing->tree;
    json_t *list = json_array();
    for (uint32_t at = tree->first_root; at != DOCUMENT_NONE;) {
        bool is_shown = !is_small(drawing, at);
        if (is_shown) json_array_append_new(list, node_json(drawing, at));
        at = calltree_next(tree, at, is_shown && !is_deep(drawing, tree->depth[at] + 1));
    }
    return screen_json(&drawing->display->screen, json_pack("{s:o}", "call_tree", list));
}

static int draw(const struct display *display, const struct document_node *nodes, uint32_t count)
{
    struct drawing drawing = {.display = display};
    if (!calltree_init(&drawing.tree, nodes, count)) {
        say_line("not enough memory for the tree", (char *)0);
        return EXITCODE_BAD_INPUT;
    }
    int status = EXITCODE_OK;
    if (display->is_json)
        status = tree_json(&drawing);
    else
        put_tree(&drawing);
    calltree_fini(&drawing.tree);
    return status;
}

/* A thread's own tree is in a report only where that was asked for when it was recorded. */
static int draw_thread(const struct display *display)
{
    bool *wanted = calloc(display->document->thread_count + (size_t)1, sizeof *wanted);
    uint32_t found = wanted ? select_threads(display->document, display->thread, wanted) : 0,
             thread = 0;
    while (found && !wanted[thread]) thread++;
    free(wanted);
    if (!found) return EXITCODE_USAGE;
    if (found > 1) {
        say_line("report: a tree is of one thread, and several are called ", display->thread,
                 "; give an id of `stint report --threads`", (char *)0);
        return EXITCODE_USAGE;
    }
    const json_t *own = json_object_get(display->document->threads[thread].json, "call_tree");
    if (!own) {
        say_line(display->document->path, ": threads have no trees of their own here; record them ",
                 "with stint run --thread-trees", (char *)0);
        return EXITCODE_USAGE;
    }
    uint32_t count;
    struct document_node *nodes = document_nodes(display->document, own, &count);
    int status = draw(display, nodes, nodes ? count : 0);
    free(nodes);
    return status;
}

int display_tree(const struct display *display)
{
    if (display->thread) return draw_thread(display);
    return draw(display, display->document->nodes, display->document->node_count);
}

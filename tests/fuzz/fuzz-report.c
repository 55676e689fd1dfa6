/* SPDX-License-Identifier: MIT
 *
 * Any bytes as a report: one fault, or a document of which every view can be written, and which has
 * the same nodes where they are read straight from the text. */
#include "../../tools/stint/intake/nodes.h"
#include "../../tools/stint/view/display.h"
#include "readback/read.h"

#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void show(const struct document *document, FILE *file, bool is_json)
{
    static display_main *const views[] = {display_report,   display_threads, display_tree,
                                          display_callers,  display_callees, display_frames,
                                          display_histogram};
    struct display display = {.document = document, .most_rows = 100, .is_json = is_json};
    display.screen =
        (struct screen){.file = file, .width = 80, .is_coloured = true, .is_utf8 = true};
    display.function = "*";
    for (size_t i = 0; i < sizeof views / sizeof views[0]; i++) (void)views[i](&display);
    display.thread = "*";
    (void)display_report(&display);
    (void)display_tree(&display);
}

static bool is_same(const struct document_node *a, const struct document_node *b)
{
    return a->parent == b->parent && a->function == b->function && a->is_folded == b->is_folded &&
           a->count == b->count && a->open == b->open &&
           !(a->total_ms < b->total_ms || a->total_ms > b->total_ms) &&
           !(a->self_ms < b->self_ms || a->self_ms > b->self_ms);
}

/* whole: NULL = the text is no report, so the fast way may not find one either. */
static void compare(const char *text, size_t size, const struct document *whole)
{
    struct nodes nodes;
    struct document document;
    struct read_fault fault = {.line = 0};
    json_t *report = NULL;
    char *rest = nodes_pull(&nodes, text, size) ? nodes_cut(&nodes, text, &size) : NULL;
    if (rest && read_text(rest, size, &report, &fault) == 0) {
        if (!document_over(report, &document)) abort();
        if (nodes_settle(&nodes, &document)) {
            if (!whole || document.node_count != whole->node_count) abort();
            for (uint32_t i = 0; i < document.node_count; i++)
                if (!is_same(&document.nodes[i], &whole->nodes[i])) abort();
        }
        document_close(&document);
    }
    free(rest);
    nodes_fini(&nodes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static FILE *file;
    if (!file) file = fopen("/dev/null", "we");
    struct read_fault fault = {.line = 0};
    json_t *report = NULL;
    struct document document;
    int error = read_text((const char *)data, size, &report, &fault);
    if ((error == 0) != (report != NULL) || error != fault.fault.error || !file) abort();
    if (error) compare((const char *)data, size, NULL);
    if (error) return 0;
    if (!document_over(report, &document)) abort();
    compare((const char *)data, size, &document);
    show(&document, file, false);
    show(&document, file, true);
    document_close(&document);
    return 0;
}

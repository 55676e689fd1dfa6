/* SPDX-License-Identifier: MIT
 *
 * Any bytes as a report: one fault, or a document of which every view can be written. */
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static FILE *file;
    if (!file) file = fopen("/dev/null", "we");
    struct read_fault fault = {.line = 0};
    json_t *report = NULL;
    struct document document;
    int error = read_text((const char *)data, size, &report, &fault);
    if ((error == 0) != (report != NULL) || error != fault.fault.error || !file) abort();
    if (error) return 0;
    if (!document_over(report, &document)) abort();
    show(&document, file, false);
    show(&document, file, true);
    document_close(&document);
    return 0;
}

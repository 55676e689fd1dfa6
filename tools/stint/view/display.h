/* SPDX-License-Identifier: MIT
 *
 * The views of a report, a file each: what was asked goes in, text for the eye or JSON comes out.
 */
#pragma once

#include "intake/document.h"
#include "print/screen.h"
#include "view/lines.h"
#include "view/select.h"

struct column; /* of the table of functions */

struct display {
    const struct document *document;
    struct screen screen;
    struct select_wish select;
    const char *thread;   /* a word for threads (select.h); NULL = all */
    const char *function; /* what callers, callees and the histogram are of */
    const struct column *sort;
    size_t most_rows;   /* 0 = all */
    uint32_t depth;     /* of the tree; 0 = all */
    double min_percent; /* of the whole, for a branch of the tree to be shown */
    bool is_json;
    struct lines *lines; /* where functions are in their sources; NULL = not asked for */
};

/* Each returns an exit status; what is wrong with the wishes has been told. */
typedef int display_main(const struct display *display);
display_main display_report;    /* head, functions, counters, values */
display_main display_functions; /* the table alone */
display_main display_threads, display_tree, display_callers, display_callees, display_frames,
    display_histogram;

/* The column of that name, or NULL. */
const struct column *display_find_column(const char *name);

/* What ran and how it ended, what was lost, a crash's backtrace. */
void display_head(const struct display *display);

/* Counters, values, and a line for each kind of frames: what a report has beside functions. */
void display_extras(const struct display *display);

/* The functions of the wanted threads together, to be freed with free; their number through count.
 * NULL: told (no such thread) or nothing there. Percentiles of several are from their histograms.
 */
struct document_function *display_thread_functions(const struct display *display, uint32_t *count);

/* A function as JSON: its texts, and what its statistics say but for the histogram. */
json_t *display_function_json(const struct display *display,
                              const struct document_function *function);

/* "name  module  file:line", in one line without its end, on a terminal in what `used` characters
 * left. */
void display_function_line(const struct display *display, const struct document_function *function,
                           size_t used);

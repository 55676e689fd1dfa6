/* SPDX-License-Identifier: MIT
 *
 * The companion's one export: the table through which libstint.so has its store turned into a
 * report and its crashed stack walked. */
#include "base/compiler.h"
#include "companion/search.h"
#include "companion/walk.h"
#include "contract/report.h"
#include "report/write.h"

#include <jansson.h>

/* The file of the report being written, for a write that is left in its middle. */
static struct file_replace file = FILE_REPLACE_INIT;

static int write_report(const struct report_request *request)
{
    file = (struct file_replace)FILE_REPLACE_INIT;
    file.is_new = request->is_new;
    struct report_input input = {.now_ticks = request->now_ticks,
                                 .path = request->path,
                                 .is_snapshot = request->is_snapshot};
    return report_write_mapped(&input, request->store, request->store_bytes, &file);
}

static void abandon(void) { report_abandon(&file); }

static const struct report_table table = {
    .version = CONTRACT_VERSION,
    .write = write_report,
    .abandon = abandon,
    .walk = walk_stack,
    .search = search_functions,
};

EXPORT const struct report_table *stint_report_table(uint32_t version)
{
    if (version != CONTRACT_VERSION) return NULL;
    json_object_seed(0); /* opens a file, so not first in a signal handler */
    return &table;
}

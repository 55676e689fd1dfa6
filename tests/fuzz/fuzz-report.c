/* SPDX-License-Identifier: MIT
 *
 * Any bytes as a report: one fault, or a document whose table can be written. */
#include "report/read.h"
#include "report/summary.h"

#include <fcntl.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static int fd = -1;
    if (fd < 0) fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
    struct read_fault fault = {.line = 0};
    json_t *report = NULL;
    int error = read_text((const char *)data, size, &report, &fault);
    if ((error == 0) != (report != NULL) || error != fault.fault.error) abort();
    if (error == 0) {
        const struct summary_options options = {.most_rows = 100};
        if (summary_write(report, &options, fd) != 0) abort();
        json_decref(report);
    }
    return 0;
}

/* SPDX-License-Identifier: MIT
 *
 * Any bytes as a report for the verbs that read in one pass: one fault, or a report that can be
 * merged with itself into one that is a report again. */
#include "../../tools/stint/merge/write.h"
#include "readback/read.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void merge(struct gather *gather)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *file = open_memstream(&text, &bytes);
    json_t *report = NULL;
    struct read_fault fault;
    if (!file) abort();
    merge_write(gather, file);
    if (fclose(file) || read_text(text, bytes, &report, &fault)) abort();
    if (json_array_size(json_object_get(report, "functions")) > gather->functions.used) abort();
    json_decref(report);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64];
    struct gather gather;
    struct intake intake;
    int fd = memfd_create("report", MFD_CLOEXEC);
    if (fd < 0 || write(fd, data, size) != (ssize_t)size) abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    gather_init(&gather);
    intake_init(&intake, &gather_takers, &gather);
    bool is_good = true;
    for (int i = 0; i < 2 && is_good; i++) {
        gather_begin(&gather);
        is_good = intake_file(&intake, path);
        if (i && !is_good) abort(); /* the same bytes */
    }
    if (is_good) merge(&gather);
    intake_fini(&intake);
    gather_fini(&gather);
    close(fd);
    return 0;
}

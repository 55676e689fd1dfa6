/* SPDX-License-Identifier: MIT
 *
 * A store as a report: one JSON document, in the order of the report's page. */
#pragma once

#include "base/fault.h"
#include "base/file.h"
#include "store/view.h"

#include <stdint.h>

/* Of the documents that this stint writes and reads. */
enum { SCHEMA_NUMBER = 1 };

/* How a process ended that did not tell itself. */
struct killed_status {
    int wait_status; /* as wait(2) gives it */
};

struct report_input {
    struct view view;
    uint64_t
        now_ticks; /* open calls are timed up to here; 0 = the latest moment that the store shows */
    const char *path;                   /* absolute final name */
    int is_snapshot;                    /* ending.kind "snapshot" */
    int is_killed;                      /* read after death; "killed" where no ending is recorded */
    const struct killed_status *killed; /* what `stint run` saw, or NULL */
    int thread_trees; /* each thread's own call tree, even where the store's flag is not set */
};

/* Writes the report under input->path, whole or not at all. 0 or −errno, with the fault filled
 * (fault may be NULL). Allocates by mmap alone; needs about 16 KiB of stack. Context: any thread,
 * signal-safe, one caller at a time in a process. */
int report_write(const struct report_input *input, struct fault *fault);

/* The same of a store of this process, mapped writable at `store`, `bytes` of it readable (where
 * that is all that it uses: what it allocates meanwhile, too), through the caller's `file`, with
 * the signal mask as the caller set it (report_write blocks signals); fills in input->view. Where
 * it is left in its middle, the caller calls report_abandon. Context: as report_write. */
int report_write_mapped(struct report_input *input, const void *store, uint64_t bytes,
                        struct file_replace *file);

/* Puts away what a report_write_mapped that did not return left: its temporary file, jansson's
 * allocator. The memory is not given back. Context: the thread that wrote, signal-safe. */
void report_abandon(struct file_replace *file);

/* The same into a descriptor. memory_bytes (or NULL): the most that was mapped. */
int report_write_to(const struct report_input *input, int fd, uint64_t *memory_bytes,
                    struct fault *fault);

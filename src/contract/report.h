/* SPDX-License-Identifier: MIT
 *
 * The whole of what libstint.so and its companion libstint-report.so know of each other: one
 * function that hands out one table. Both are built from one tree; the version keeps a stale pair
 * apart. */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum { CONTRACT_VERSION = 1 };

/* What is to be written. The store's head already holds the ending and the clock's last pair. */
struct report_request {
    const void *store; /* mapped, may still be written by other threads */
    uint64_t store_bytes;
    uint64_t now_ticks; /* open calls are timed up to here */
    const char *path;   /* absolute final name */
    int is_snapshot;    /* ending.kind "snapshot" */
    int is_new;         /* a file of that name stays: −EEXIST */
};

struct report_table {
    uint32_t version;
    /* Writes the report, whole or not at all. 0 or −errno.
     * Context: any thread, signal-safe, one caller at a time, on a stack of at least 64 KiB,
     * signals blocked. Allocates by mmap alone. */
    int (*write)(const struct report_request *request);
    /* After a write that was left in its middle (a fault, a time-out): closes and removes its
     * temporary file and gives jansson its allocator back. Context: the thread that called write,
     * signal-safe. */
    void (*abandon)(void);
    /* Return addresses from a signal context (ucontext_t), innermost first: the interrupted address
     * itself is the first. Returns how many. May hang or fault where the stack is broken.
     * Context: signal handler, on a stack of at least 64 KiB. */
    size_t (*walk)(void *context, uint64_t *addresses, size_t capacity);
};

/* The one symbol that the companion exports. NULL when the version is another.
 * Context: any thread, right after dlopen; prepares what needs preparing outside of signal
 * handlers. */
const struct report_table *stint_report_table(uint32_t version);
#define CONTRACT_SYMBOL "stint_report_table"

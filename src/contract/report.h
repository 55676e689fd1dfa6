/* SPDX-License-Identifier: MIT
 *
 * The whole of what libstint.so and its companion libstint-report.so know of each other: one
 * function that hands out one table. Both are built from one tree; the version keeps a stale pair
 * apart. */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum { CONTRACT_VERSION = 2 };

/* What is to be written. The store's head already holds the ending and the clock's last pair. */
struct report_request {
    const void *store; /* mapped, may still be written by other threads */
    uint64_t store_bytes;
    uint64_t now_ticks; /* open calls are timed up to here */
    const char *path;   /* absolute final name */
    int is_snapshot;    /* ending.kind "snapshot" */
    int is_new;         /* a file of that name stays: −EEXIST */
};

/* Functions of an object file that are looked for. */
struct report_search {
    const char *path;
    const uint8_t *build_id;
    uint32_t build_id_bytes;
    const char *patterns; /* comma-separated (symbols/glob.h) */
    char *out;            /* zeroed; aligned to 8 */
    size_t capacity;
    uint64_t *fitting; /* bit i is set where the i-th pattern (of the first 64) fits any function */
};

/* One of them; the next follows `bytes` later. */
struct report_found {
    uint64_t address; /* in the file */
    uint32_t bytes;
    char name[]; /* as the report has it; NUL-terminated */
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
    /* The functions that fit, as report_found records; returns how many bytes they take. At most
     * 4096, and what fits. Context: where the companion may be opened, on a stack of at least
     * 3 MiB. Allocates by mmap alone. */
    size_t (*search)(const struct report_search *search);
};

/* The one symbol that the companion exports. NULL when the version is another.
 * Context: any thread, right after dlopen; prepares what needs preparing outside of signal
 * handlers. */
const struct report_table *stint_report_table(uint32_t version);
#define CONTRACT_SYMBOL "stint_report_table"

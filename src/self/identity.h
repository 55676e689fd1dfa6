/* SPDX-License-Identifier: MIT
 *
 * Who this process is, asked of the kernel with raw calls: what tells it from every other, and what
 * the report says of it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Reads up to capacity bytes of a file (of /proc, usually). How many, or −errno.
 * Context: any thread, signal-safe (so are all of this file). */
long identity_read_file(const char *path, void *data, size_t capacity);

uint32_t identity_pid(void);
uint32_t identity_tid(void);

/* A process's parent and when it started, in the kernel's ticks since boot (fields 4 and 22 of
 * /proc/<pid>/stat): the latter together with the pid names a process for ever. Zeros where /proc
 * does not tell. */
struct identity_stat {
    uint32_t parent_pid;
    uint64_t start_time;
};
struct identity_stat identity_stat(uint32_t pid);

/* Looks for a text in a file of any length (of /proc/<pid>/). Copies what follows it, up to a NUL,
 * a newline or capacity − 1 bytes, to rest, unless that is NULL. False where it is not in it. */
bool identity_file_mentions(uint32_t pid, const char *file, const char *text, char *rest,
                            size_t capacity);

/* This machine's name, cut to capacity; "" where unknown. Returns its length. */
size_t identity_host(char *host, size_t capacity);

/* The executable's absolute path. Length, or 0 where unknown. No NUL. */
size_t identity_executable(char *path, size_t capacity);

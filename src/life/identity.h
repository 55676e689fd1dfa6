/* SPDX-License-Identifier: MIT
 *
 * Who this process is, asked of the kernel with raw calls: what tells it from every other, and what
 * the report says of it. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Reads up to capacity bytes of a file (of /proc, usually). How many, or −errno.
 * Context: any thread, signal-safe (so are all of this file). */
long identity_read_file(const char *path, void *data, size_t capacity);

uint32_t identity_pid(void);
uint32_t identity_tid(void);

/* When this process started, in the kernel's ticks since boot (field 22 of /proc/self/stat):
 * together with the pid it names a process for ever. 0 where /proc is not there. */
uint64_t identity_start_time(void);

/* A hash of the boot's id: stores of one boot share their clock. 0 where unknown. */
uint64_t identity_boot(void);

/* This machine's name, cut to capacity; "" where unknown. Returns its length. */
size_t identity_host(char *host, size_t capacity);

/* The executable's absolute path. Length, or 0 where unknown. No NUL. */
size_t identity_executable(char *path, size_t capacity);

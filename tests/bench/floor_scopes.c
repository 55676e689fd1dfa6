/* SPDX-License-Identifier: MIT
 *
 * A table for include/stint/stint.h whose scopes read the counter and add it up, and whose records
 * only add: what any exact timing of scopes costs at least. */
#include "clock/clock_hot.h"

#define STINT_INSIDE_
#include <stint/stint.h>

static __thread uint64_t sum;

static stint_handle *category(const char *name) { return (stint_handle *)(uintptr_t)name; }
static void enter(stint_handle *handle)
{
    (void)handle;
    sum -= clock_counter();
}
static void leave(stint_handle *handle)
{
    (void)handle;
    sum += clock_counter();
}
static void record(const char *name, uint64_t ns)
{
    (void)name;
    sum += ns;
}
static void record_to(stint_handle *handle, uint64_t ns)
{
    (void)handle;
    sum += ns;
}
static void count(const char *name, int64_t n)
{
    (void)name;
    sum += (uint64_t)n;
}

static const struct stint_table table = {.version = STINT_VERSION,
                                         .bytes = sizeof table,
                                         .category = category,
                                         .scope_enter = enter,
                                         .scope_leave = leave,
                                         .record = record,
                                         .record_to = record_to,
                                         .count = count};

__attribute__((visibility("default"))) const struct stint_table *stint_bind(uint32_t version,
                                                                            uint32_t bytes);
const struct stint_table *stint_bind(uint32_t version, uint32_t bytes)
{
    return version == STINT_VERSION && bytes == sizeof table ? &table : NULL;
}

/* SPDX-License-Identifier: MIT
 *
 * Stores that lie about: where to look, whose they are, whether their process lives, and their
 * reports. Only stores of the calling user count, since what a store says is believed (the name of
 * its report) and /dev/shm is everybody's. */
#pragma once

#include "report/write.h"

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

struct store_found {
    char path[4096];
    char run[48], program[256];
    char out[4096]; /* its intended report; "" where it does not say */
    uint32_t pid;
    uint64_t process_start, started_unix_ns;
    uint64_t bytes;
    bool is_alive;
    bool is_damaged; /* nothing but path, pid (by its name) and bytes is known */
};

/* Calls visit for each store of this user where a program started from here would make one:
 * STINT_STORE's directory alone, else $XDG_RUNTIME_DIR, /dev/shm, and `beside` (the reports'
 * directory; NULL = the current one). Each once. */
void stores_visit(const char *beside, void (*visit)(const struct store_found *store, void *context),
                  void *context);

/* Describes one file. 0 or −errno with the fault filled (not a store, another user's …). */
int stores_describe(const char *path, struct store_found *store, struct fault *fault);

/* How the report of a dead store is made. */
struct stores_recovery {
    const char *path;                   /* the report's name */
    bool may_replace;                   /* else −EEXIST where the name is taken */
    const struct killed_status *killed; /* as waitpid saw it, or NULL */
};

/* Writes the report of a dead store and removes the store. 0 or −errno with the fault filled; then
 * the store stays. */
int stores_recover(const struct store_found *store, const struct stores_recovery *recovery,
                   struct fault *fault);

/* SPDX-License-Identifier: MIT
 *
 * The store's writer: one address range reserved at the start, filled chunk by chunk from the file
 * or, where the file can't grow, from memory; so a store_ref becomes an address by one addition and
 * nothing ever moves. Allocation is by any thread, under a lock that no signal handler of ours
 * waits for. */
#pragma once

#include "base/compiler.h"
#include "store/layout.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A store being written. Zero = none. Lives in the process object. */
struct store {
    uint8_t *base;           /* start of the reserved range; the head lies here */
    uint64_t reserved_bytes; /* of address space */
    char path[4096];         /* absolute; empty = memory only */
    uint64_t device, inode;  /* of the file, to recognise it when it is opened again to grow */
    uint64_t mapped_bytes;   /* chunks so far */
    uint64_t refused_bytes; /* the least growth that was refused since the last success; 0 = none */
    uint32_t lock;          /* tid of who allocates; 0 = nobody */
};

struct store_options {
    const char *directories[4]; /* tried in turn, absolute, ended by NULL; none = memory only */
    uint32_t pid;
};

/* Creates the file `stint.<pid>.<random>.store` (O_EXCL|O_NOFOLLOW|O_CLOEXEC, 0600) in the first
 * directory that takes it, else memory alone, and maps its first chunk with a head in which magic,
 * version, sizes, byte order, used_bytes, file_bytes and flags are set. No descriptor stays open.
 * 0 or −errno (only when even memory is refused).
 * Context: any thread, signal-safe; once at a time (life/start.c). */
int store_create(struct store *store, const struct store_options *options);

/* Zeroed space for `bytes`, aligned to `align` (a power of two, 8 … 4096). Returns its ref, or 0
 * when the reserved range or the memory is used up, or when a handler of SIGTRAP or of a fault
 * interrupted this thread in here. Context: any thread, signal-safe. */
store_ref store_alloc(struct store *store, uint64_t bytes, uint32_t align);

/* A copy of text as a store_text; 0 as above. Context: as store_alloc. */
store_ref store_copy_text(struct store *store, const char *text, size_t bytes);

/* The address of a ref of this store. ref must come from it. Context: hot. */
static inline void *store_at(const struct store *store, store_ref ref)
{
    return store->base + (uint64_t)ref * STORE_UNIT;
}

static inline struct store_head *store_head(const struct store *store)
{
    return (struct store_head *)store->base;
}

/* Removes the file (by name, if it is still the same inode). The mapping stays. 0, also where that
 * file is not there (any more, or in this root directory); or −errno, and the file stays.
 * Context: any thread, signal-safe. */
int store_unlink(struct store *store);

/* Keeps others from allocating. False where this thread keeps them already: a handler of a trap or
 * fault, which can't be blocked. Context: any thread, signal-safe, under file_guard. */
bool store_lock(struct store *store);
void store_unlock(struct store *store);

/* Unmaps everything and forgets it, without touching the file: what a forked child does with its
 * parent's store. Context: the only thread that uses it. */
void store_abandon(struct store *store);

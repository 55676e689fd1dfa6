/* SPDX-License-Identifier: MIT
 *
 * Bump allocation over mmap, for work that must not touch the target's heap: reports, symbol
 * tables. Everything is given back at once. Blocks double from 256 KiB to 16 MiB. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct arena_block;

/* Zero-initialised (or ARENA_INIT) is an empty arena. One thread at a time uses an arena. */
struct arena {
    struct arena_block *blocks; /* newest first */
    size_t used, size;          /* of the newest block, header included */
    size_t mapped_bytes;        /* of all blocks */
    size_t limit_bytes;         /* 0 = none */
};
#define ARENA_INIT ((struct arena){0})

/* Zeroed memory, aligned to 16 bytes, that lives until the arena is released to an earlier mark or
 * finished. NULL when the kernel refuses or limit_bytes would be passed.
 * Context: any thread, signal-safe. */
void *arena_alloc(struct arena *arena, size_t bytes);

/* A NUL-terminated copy of text[0 … bytes). NULL as above. Context: any thread, signal-safe. */
char *arena_copy(struct arena *arena, const char *text, size_t bytes);

/* Where the arena stands now; arena_release frees all that was allocated after it.
 * Context: any thread, signal-safe. */
struct arena_mark {
    struct arena_block *block;
    size_t used;
};
struct arena_mark arena_mark(const struct arena *arena);
void arena_release(struct arena *arena, struct arena_mark mark);

/* True where pointer lies in one of the arena's blocks. Context: any thread, signal-safe. */
int arena_owns(const struct arena *arena, const void *pointer);

/* Unmaps everything; the arena is empty and usable again. Context: any thread, signal-safe. */
void arena_fini(struct arena *arena);

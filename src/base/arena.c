/* SPDX-License-Identifier: MIT
 *
 * A list of mapped blocks, newest first; the newest is bumped. Memory is zero because mmap's is,
 * and because a release clears what it takes back. Runs anywhere. */
#include "base/arena.h"

#include "base/sys.h"

#include <string.h>
#include <sys/mman.h>

struct arena_block {
    struct arena_block *next;
    size_t size;
};

enum { FIRST_BLOCK = 256 << 10, LARGEST_BLOCK = 16 << 20, HEADER = 16 };
_Static_assert(sizeof(struct arena_block) <= HEADER, "a block's header fits before its first byte");

static size_t next_block_bytes(const struct arena *arena, size_t need)
{
    size_t size = arena->blocks ? arena->size * 2 : FIRST_BLOCK;
    if (size > LARGEST_BLOCK) size = LARGEST_BLOCK;
    if (size < need) size = (need + 0xffff) & ~(size_t)0xffff;
    return size;
}

static int add_block(struct arena *arena, size_t bytes)
{
    size_t size = next_block_bytes(arena, bytes + HEADER);
    if (arena->limit_bytes && arena->mapped_bytes + size > arena->limit_bytes) return -1;
    long at = sys_call6(SYS_mmap, 0, (long)size, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at < 0 && at > -4096) return -1;
    struct arena_block *block = (struct arena_block *)at;
    block->next = arena->blocks;
    block->size = size;
    arena->blocks = block;
    arena->used = HEADER;
    arena->size = size;
    arena->mapped_bytes += size;
    return 0;
}

void *arena_alloc(struct arena *arena, size_t bytes)
{
    if (bytes > SIZE_MAX / 4) return NULL;
    bytes = (bytes + 15) & ~(size_t)15;
    if (!arena->blocks || bytes > arena->size - arena->used) {
        if (add_block(arena, bytes)) return NULL;
    }
    void *at = (char *)arena->blocks + arena->used;
    arena->used += bytes;
    return at;
}

char *arena_copy(struct arena *arena, const char *text, size_t bytes)
{
    char *copy = arena_alloc(arena, bytes + 1);
    if (copy) memcpy(copy, text, bytes);
    return copy;
}

struct arena_mark arena_mark(const struct arena *arena)
{
    return (struct arena_mark){arena->blocks, arena->used};
}

static void drop_newest(struct arena *arena)
{
    struct arena_block *block = arena->blocks;
    arena->blocks = block->next;
    arena->mapped_bytes -= block->size;
    (void)sys_call2(SYS_munmap, block, block->size); /* can't fail for a mapping of ours */
    arena->size = arena->blocks ? arena->blocks->size : 0;
    arena->used = arena->size; /* what is below may be full; its end is the safe assumption */
}

void arena_release(struct arena *arena, struct arena_mark mark)
{
    while (arena->blocks && arena->blocks != mark.block) drop_newest(arena);
    if (!arena->blocks) return;
    size_t end = arena->used;
    memset((char *)arena->blocks + mark.used, 0, end - mark.used);
    arena->used = mark.used;
}

int arena_owns(const struct arena *arena, const void *pointer)
{
    uintptr_t at = (uintptr_t)pointer;
    for (const struct arena_block *block = arena->blocks; block; block = block->next) {
        if (at >= (uintptr_t)block && at - (uintptr_t)block < block->size) return 1;
    }
    return 0;
}

void arena_fini(struct arena *arena)
{
    while (arena->blocks) drop_newest(arena);
    arena->used = arena->size = 0;
}

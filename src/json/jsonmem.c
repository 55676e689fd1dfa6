/* SPDX-License-Identifier: MIT
 *
 * jansson has one pair of allocation functions a process. Ours ask who calls: the reporting thread
 * is served from its arena, every other goes on to the pair that was there; a pointer is freed by
 * the one it came from, told by its address. Once put there, ours pass on for ever, so that a
 * thread that has loaded the pointer but not yet called it is served too. */
#include "json/jsonmem.h"

#include <jansson.h>
#include <pthread.h>
#include <stdbool.h>

/* Written by the reporting thread alone; owner is 0 while nobody reports. pthread_self and not the
 * kernel's thread id: a system call at each allocation would double the time of a report. */
static struct {
    pthread_t owner;
    struct arena *arena;
    json_malloc_t next_malloc;
    json_free_t next_free;
} memory;

static bool is_ours(void)
{
    /* pairs with the releases in jsonmem_begin and jsonmem_end */
    return __atomic_load_n(&memory.owner, __ATOMIC_ACQUIRE) == pthread_self();
}

static void *serve(size_t bytes)
{
    return is_ours() ? arena_alloc(memory.arena, bytes) : memory.next_malloc(bytes);
}

static void take_back(void *pointer)
{
    if (is_ours() && arena_owns(memory.arena, pointer)) return;
    memory.next_free(pointer);
}

void jsonmem_begin(struct arena *arena)
{
    json_malloc_t present_malloc;
    json_free_t present_free;
    json_get_alloc_funcs(&present_malloc, &present_free);
    if (present_malloc != serve) memory.next_malloc = present_malloc;
    if (present_free != take_back) memory.next_free = present_free;
    memory.arena = arena;
    __atomic_store_n(&memory.owner, pthread_self(), __ATOMIC_RELEASE);
    json_set_alloc_funcs(serve, take_back);
}

void jsonmem_end(void)
{
    json_malloc_t present_malloc;
    json_free_t present_free;
    json_get_alloc_funcs(&present_malloc, &present_free);
    if (present_malloc == serve && present_free == take_back)
        json_set_alloc_funcs(memory.next_malloc, memory.next_free);
    __atomic_store_n(&memory.owner, (pthread_t)0, __ATOMIC_RELEASE);
}

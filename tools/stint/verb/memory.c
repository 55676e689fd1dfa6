/* SPDX-License-Identifier: MIT
 *
 * calloc and realloc with an end. Runs in `stint`. */
#include "verb/memory.h"

#include "base/say.h"
#include "verb/exitcode.h"

#include <stdlib.h>
#include <string.h>

static void *is_there(void *memory)
{
    if (memory) return memory;
    say_line("no memory left; give fewer or smaller files", (char *)0);
    exit(EXITCODE_BAD_INPUT);
}

void *memory_new(size_t count, size_t size) { return is_there(calloc(count ? count : 1, size)); }

void *memory_grow(void *array, size_t used, size_t *room, size_t size)
{
    if (used < *room) return array;
    *room = *room ? *room * 2 : 16;
    return is_there(reallocarray(array, *room, size));
}

char *memory_text(const char *text, size_t length)
{
    char *copy = memory_new(length + 1, 1);
    memcpy(copy, text, length);
    return copy;
}

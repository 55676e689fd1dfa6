/* SPDX-License-Identifier: MIT
 *
 * What a function's symbol covers, collected from the symbol tables of an object and its debug
 * file, in an order in which a sweep meets the better of two symbols last. Of the room's own use.
 */
#pragma once

#include "base/arena.h"
#include "symbols/elf.h"

/* The string tables that the names stand in: each ends in NUL. */
enum { SPAN_TABLES = 3 };
struct span_texts {
    const char *text[SPAN_TABLES];
};

struct span {
    uint64_t address, end; /* address < end */
    uint32_t name;         /* offset in its text */
    uint8_t table;
    uint8_t binding;  /* 2 global, 1 weak, 0 local */
    uint8_t function; /* 1 = FUNC or IFUNC, 0 = NOTYPE */
    uint8_t sized;    /* 0 = the symbol has no size and `end` is where it must end at the latest */
};

/* The name, NUL-terminated. Context: any thread, signal-safe (so are all of this file). */
const char *span_name(const struct span_texts *texts, const struct span *span);

/* All functions' spans of the object's .symtab and .dynsym and of the debug file's .symtab, in the
 * arena. debug may be NULL. 0 or −ENOMEM. */
int span_collect(struct arena *arena, const struct elf_image *object, const struct elf_image *debug,
                 struct span_texts *texts, struct span **spans, uint32_t *count);

/* Orders by address, then from the worst to the best, and lets spans without a size end at the next
 * address. 0 or −ENOMEM. */
int span_sort(struct arena *arena, const struct span_texts *texts, struct span *spans,
              uint32_t count);

/* Removes spans that a better one with the same start covers whole. Returns how many stay. */
uint32_t span_thin_out(struct span *spans, uint32_t count);

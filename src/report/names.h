/* SPDX-License-Identifier: MIT
 *
 * From an address at a time to a module, an offset and a name. Modules that are the same file (path
 * and build-id), loaded again, are one. Symbols are read when a module is first asked for a name.
 */
#pragma once

#include "base/arena.h"
#include "store/view.h"

#include <stdbool.h>
#include <stdint.h>

/* A place in a file, comparable across loads: module (the first of its kind, or INDEX_NONE) and
 * file virtual address; without a module the address itself. */
struct names_place {
    uint32_t module;
    uint64_t offset;
};

struct names_module;

struct names {
    struct arena *arena;
    struct names_module *modules;
    uint32_t count;
    char *demangled, *name, *raw_name;
};

/* Reads the store's list of modules. 0 or −ENOMEM. Context: any thread, signal-safe (so are all of
 * this file). */
int names_init(struct names *names, struct arena *arena, const struct view *view);

/* Closes what was opened; the memory is the arena's. */
void names_fini(struct names *names);

/* Where the address lay when it was seen first, at `ticks`. */
struct names_place names_place_of(struct names *names, uint64_t address, uint64_t ticks);

/* What a place is called: valid UTF-8, never empty, until the next call. A symbol must begin there
 * (is_inside: may cover it); without one: "module+0xoffset", or "0xaddress" without a module. */
struct names_text {
    const char *name, *raw_name; /* demangled, and as the symbol table has it */
};
struct names_text names_of(struct names *names, struct names_place place, bool is_inside);

/* Reads the place's symbols now: while a descriptor is to be had. */
void names_read_symbols(struct names *names, struct names_place place);

/* The module's path (valid UTF-8, lives as long as names), its build-id in hexadecimal into text
 * (65 bytes; empty without one). NULL without a module. */
const char *names_module_path(struct names *names, uint32_t module, char build_id[65]);

/* A copy of a store's text made valid UTF-8, in the arena; NULL where there is none or no memory.
 */
const char *names_copy_text(struct arena *arena, const struct view *view, store_ref text);

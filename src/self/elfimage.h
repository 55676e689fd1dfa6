/* SPDX-License-Identifier: MIT
 *
 * A loaded object as it lies in memory: what its program headers and dynamic section tell. Reads
 * nothing but memory that the loader has mapped and read itself. */
#pragma once

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct elfimage {
    uintptr_t low, high, bias; /* range of its PT_LOADs; added to the file's addresses */
    const ElfW(Phdr) * headers;
    uint32_t header_count;
    const ElfW(Dyn) * dynamic; /* NULL where it has none */
};

/* Fills image from what the loader says. False for an object without loaded segments.
 * Context: while the object stays loaded (so are all below): inside dl_iterate_phdr, or at
 * start-up. */
bool elfimage_init(struct elfimage *image, const struct dl_phdr_info *info);

/* True where the object itself adds to the loader's search path. */
bool elfimage_has_search_path(const struct elfimage *image);
bool elfimage_has_rpath(
    const struct elfimage *image); /* the old kind, inherited by what it loads */

/* True where it refers to the hooks or to stint's API without defining them. */
bool elfimage_imports_stint(const struct elfimage *image);

/* Copies its GNU build-id (cut to capacity). Returns the length, 0 = none. */
uint32_t elfimage_build_id(const struct elfimage *image, uint8_t *id, size_t capacity);

/* SPDX-License-Identifier: MIT
 *
 * The functions of one object file, by address: what its symbol tables and those of its debug file
 * say, merged into one table that a look-up searches by halving. Names stay in the mapped files.
 * Runs inside the target, also in a signal handler, and in stint. */
#pragma once

#include "base/arena.h"
#include "base/fault.h"
#include "symbols/elf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct symbol {
    const char *name; /* NUL-terminated, raw; lives until symbols_close */
    size_t name_bytes;
    uint64_t address; /* file virtual address of its start */
    uint64_t size;    /* 0 = the symbol does not say */
};

struct symbols_module; /* in the arena it was opened with */

/* Opens the object file and its debug file (debugfile.h) and merges .symtab, .dynsym and the debug
 * file's .symtab. With build_id_bytes > 0 the file must carry that build-id, else −ESTALE. An
 * object without symbols is a module that finds nothing. 0 or −errno with a fault; *out is
 * untouched on failure. Needs about 50 bytes of the arena a symbol. Context: any thread,
 * signal-safe. */
int symbols_open(struct arena *arena, const char *path, const uint8_t *build_id,
                 uint32_t build_id_bytes, struct symbols_module **out, struct fault *fault);

/* The same with another place than /usr/lib/debug for debug files. */
struct symbols_source {
    const char *path, *debug_root;
    const uint8_t *build_id;
    uint32_t build_id_bytes;
};
int symbols_open_source(struct arena *arena, const struct symbols_source *source,
                        struct symbols_module **out, struct fault *fault);

/* The same over images in memory, which must outlive the module; debug may be NULL.
 * Context: any thread, signal-safe. */
int symbols_open_images(struct arena *arena, const struct elf_image *object,
                        const struct elf_image *debug, struct symbols_module **out,
                        struct fault *fault);

/* The function symbol that covers the file virtual address: of those that do, the one that starts
 * last; of those that start there, the best by binding (global, weak, local), size, type, absence
 * of a version, length and order of the name. A symbol without a size reaches to the next one or
 * its section's end. False if none does. Context: any thread, signal-safe. */
bool symbols_find(const struct symbols_module *module, uint64_t address, struct symbol *out);

/* Calls for each function that symbols_find finds at its start, by ascending address.
 * Context: any thread, signal-safe. */
void symbols_each(const struct symbols_module *module,
                  void (*each)(void *context, const struct symbol *symbol), void *context);

/* Unmaps the files; the names of its symbols are gone. NULL is allowed.
 * Context: any thread, signal-safe. */
void symbols_close(struct symbols_module *module);

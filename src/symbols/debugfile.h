/* SPDX-License-Identifier: MIT
 *
 * Where distributions put what `strip` took away: a file named by the build-id, or one named by the
 * object's .gnu_debuglink section. Runs inside the target and in stint. */
#pragma once

#include "base/arena.h"
#include "symbols/elf.h"

#define DEBUGFILE_ROOT "/usr/lib/debug"

/* Finds and opens the debug file of an object: ROOT/.build-id/xx/yyyy.debug, else, for a debuglink
 * NAME of /DIR/object: /DIR/NAME, /DIR/.debug/NAME, ROOT/DIR/NAME. A file counts only if its
 * build-id equals the object's, or, where one of them has none, if its CRC is the debuglink's;
 * never the object itself. path: of the object, as it was opened. The arena serves for scratch
 * alone. True if found. Context: any thread, signal-safe. */
bool debugfile_find(struct arena *arena, const struct elf_file *object, const char *path,
                    const char *root, struct elf_file *out);

/* The CRC-32 of a debuglink (IEEE 802.3, reflected, as zlib's). False where the arena has no room
 * for its tables. Context: any thread, signal-safe. */
bool debugfile_crc(struct arena *arena, const uint8_t *data, uint64_t bytes, uint32_t *crc);

/* SPDX-License-Identifier: MIT
 *
 * Which functions and threads a user means: globs, and names as people write them. */
#pragma once

#include "intake/document.h"

enum { SELECT_GLOBS = 32 };

struct select_wish {
    const char
        *names[SELECT_GLOBS]; /* a function is wanted if one of them fits, or there is none */
    size_t name_count;
    const char *module; /* a glob over the module's path or its last part; NULL = all */
};

bool select_wants(const struct select_wish *wish, const struct document_function *function);

/* The functions that a word means: those of exactly that name (or raw name); else those of that
 * name before their parameters ("World::update" for "World::update(float)"); else those whose name
 * fits it as a glob. Their places in ids, which has room for all. Tells in one line where there is
 * none, with names that are near. */
uint32_t select_functions(const struct document *document, const char *word, uint32_t *ids);

/* The same, and says nothing where there is none. */
uint32_t select_find_functions(const struct document *document, const char *word, uint32_t *ids);

/* Marks the threads that a word means in wanted[thread_count]: of that tid; else of that id; else
 * those whose name fits it as a glob. Their number; 0 has been told. */
uint32_t select_threads(const struct document *document, const char *word, bool *wanted);

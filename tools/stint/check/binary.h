/* SPDX-License-Identifier: MIT
 *
 * What an object file says of itself: what kind of program it is, how it was built, whether it
 * calls the hooks, what its loader will load with it. Nothing is run. Runs in `stint`. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum binary_kind {
    BINARY_UNKNOWN, /* not found, not readable, or empty */
    BINARY_SCRIPT,  /* no magic number: the shell's, or that of the program after #! */
    BINARY_FOREIGN, /* for another machine, word size or byte order */
    BINARY_DAMAGED,
    BINARY_OBJECT, /* to be linked yet, or a core */
    BINARY_DYNAMIC,
    BINARY_STATIC,
    BINARY_LIBRARY,
};

enum { BINARY_COMPILERS = 4, BINARY_NEEDED = 256 };

struct binary {
    enum binary_kind kind;
    char fault[200];       /* of FOREIGN and DAMAGED: why */
    char interpreter[256]; /* the loader; of a script the line after #!, "" = the shell's */
    char compilers[BINARY_COMPILERS][80]; /* as they say; "" = no more */
    char sanitizer[64];          /* the runtime: "libasan.so.8", "__tsan_init" (linked in) */
    bool is_sanitizer_linked_in; /* clang's, which needs not come first */
    bool is_pie, is_go;
    bool wants_hooks;   /* calls __cyg_profile_func_enter and leaves it to others to have it */
    bool defines_hooks; /* has one of its own */
    bool calls_mcount;  /* -pg */
    bool has_xray, has_symbols, has_debug_info;
    bool has_build_id;
    char *needed[BINARY_NEEDED]; /* DT_NEEDED's names, to NULL; of binary_fini */
    char *rpath, *runpath;       /* NULL = none */
};

/* Reads the file at the path. What cannot be read leaves a kind that says so. */
void binary_read(const char *path, struct binary *out);
void binary_fini(struct binary *binary);

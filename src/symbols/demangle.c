/* SPDX-License-Identifier: MIT
 *
 * libiberty's callback functions, fenced in: what could make them allocate or take much stack is
 * refused before, and a text that does not fit (a short name can unfold into gigabytes) is left by
 * a jump out of the callback, since libiberty itself would go on to the end. Runs anywhere. */
#include "symbols/demangle.h"

#include "base/compiler.h"
#include "base/utf8.h"
#include "symbols/rustname.h"

#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdbool.h>
#include <string.h>

enum {
    LONGEST_NAME = 4096,
    /* With its recursion limit on, libiberty refuses longer C++ names as such: they may have twice
     * as many components as bytes, and DEMANGLE_RECURSION_LIMIT is 2048. */
    LONGEST_LIMITED_NAME = 1024,
    MOST_PRINT_BYTES = 1 << 20
};

struct sink {
    char *out;
    size_t capacity, length;
    jmp_buf full;
};

static void append(const char *text, size_t bytes, void *opaque)
{
    struct sink *sink = opaque;
    if (bytes >= sink->capacity - sink->length) longjmp(sink->full, 1);
    memcpy(sink->out + sink->length, text, bytes);
    sink->length += bytes;
}

/* Both keep nothing that a jump out of them would lose. */
static NOINLINE bool run_rust(const char *name, struct sink *sink)
{
    if (_setjmp(sink->full)) return false;
    return rust_demangle_callback(name, 0, append, sink) != 0;
}

static NOINLINE bool run_cplus(const char *name, int options, struct sink *sink)
{
    if (_setjmp(sink->full)) return false;
    return cplus_demangle_v3_callback(name, options, append, sink) != 0;
}

/* Before it prints, libiberty reserves on the stack one 16-byte record for each pair of a reference
 * to a template parameter and a template, each counted at most twice (cp-demangle.c,
 * d_print_init). Bounded here from the letters that begin them. */
static bool prints_in_bounds(const char *name, size_t bytes)
{
    size_t references = 0, templates = 0;
    for (size_t i = 0; i + 1 < bytes; i++) {
        char c = name[i], after = name[i + 1];
        references += (c == 'R' || c == 'O') && (after == 'T' || after == 'S');
        templates += c == 'I' || c == 'J';
    }
    return references * 2 * templates * 2 * 16 <= MOST_PRINT_BYTES;
}

/* The parser recurses at most once a byte, so that a name of bounded length is safe without the
 * limit, which would refuse it for its length alone. */
static bool demangle_cplus(const char *name, size_t bytes, struct sink *sink)
{
    if (!prints_in_bounds(name, bytes)) return false;
    int options = DMGL_PARAMS | DMGL_ANSI;
    if (bytes > LONGEST_LIMITED_NAME) options |= DMGL_NO_RECURSE_LIMIT;
    return run_cplus(name, options, sink);
}

static bool demangle_any(const char *name, size_t bytes, struct sink *sink)
{
    if (name[0] == '_' && name[1] == 'R')
        return rustname_is_safe(name, bytes) && run_rust(name, sink);
    /* Rust's older names are C++ names that end in a hash: libiberty looks closely whether it is
     * one. */
    if (strncmp(name, "_ZN", 3) == 0 && strstr(name, "17h") && run_rust(name, sink)) return true;
    sink->length = 0;
    return demangle_cplus(name, bytes, sink);
}

static bool may_be_mangled(const char *name)
{
    return strncmp(name, "_Z", 2) == 0 || strncmp(name, "_R", 2) == 0 ||
           strncmp(name, "_GLOBAL_", 8) == 0;
}

size_t symbols_demangle(const char *name, size_t bytes, char *out, size_t capacity)
{
    if (capacity == 0) return 0;
    out[0] = '\0';
    if (bytes > LONGEST_NAME || memchr(name, 0, bytes) || bytes < 3) return 0;
    /* libiberty wants a NUL, which name[bytes] need not be. */
    char text[LONGEST_NAME + 1];
    memcpy(text, name, bytes);
    text[bytes] = '\0';
    struct sink sink = {.out = out, .capacity = capacity};
    bool done = may_be_mangled(text) && demangle_any(text, bytes, &sink);
    if (!done || !utf8_is_valid(out, sink.length)) sink.length = 0;
    out[sink.length] = '\0';
    return sink.length;
}

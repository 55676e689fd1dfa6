/* SPDX-License-Identifier: MIT
 *
 * One place to come back to, the newest star, is enough: what an older star could still take, the
 * newer one can take as well. Runs anywhere. */
#include "symbols/glob.h"

#include <stdint.h>
#include <string.h>

/* Length of the set that begins at '[', or 0 where it has no end: then '[' means itself. */
static size_t set_bytes(const char *pattern, size_t bytes)
{
    size_t at = 1;
    if (at < bytes && pattern[at] == '!') at++;
    if (at < bytes && pattern[at] == ']') at++;
    while (at < bytes && pattern[at] != ']') at++;
    return at < bytes ? at + 1 : 0;
}

static bool is_in_set(const char *set, size_t bytes, char c)
{
    bool is_negated = set[1] == '!', is_in = false;
    for (size_t i = is_negated ? 2 : 1; i + 1 < bytes; i++) {
        bool is_range = i + 3 < bytes && set[i + 1] == '-';
        char high = is_range ? set[i + 2] : set[i];
        if ((unsigned char)c >= (unsigned char)set[i] && (unsigned char)c <= (unsigned char)high)
            is_in = true;
        if (is_range) i += 2;
    }
    return is_in != is_negated;
}

/* How much of the pattern takes this one character; 0: none does. */
static size_t step(const char *pattern, size_t bytes, char c)
{
    size_t set = pattern[0] == '[' ? set_bytes(pattern, bytes) : 0;
    if (set) return is_in_set(pattern, set, c) ? set : 0;
    return pattern[0] == '?' || pattern[0] == c;
}

bool glob_fits(const char *pattern, size_t pattern_bytes, const char *name, size_t name_bytes)
{
    size_t p = 0, n = 0, star = SIZE_MAX, star_n = 0;
    while (n < name_bytes) {
        if (p < pattern_bytes && pattern[p] == '*') {
            star = ++p;
            star_n = n;
            continue;
        }
        size_t taken = p < pattern_bytes ? step(pattern + p, pattern_bytes - p, name[n]) : 0;
        if (taken) {
            p += taken;
            n++;
        } else if (star != SIZE_MAX) {
            p = star;
            n = ++star_n;
        } else {
            return false;
        }
    }
    while (p < pattern_bytes && pattern[p] == '*') p++;
    return p == pattern_bytes;
}

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

size_t glob_literal(const char *pattern, size_t pattern_bytes, const char **literal)
{
    size_t best = 0;
    for (size_t at = 0; at < pattern_bytes;) {
        size_t run = 0;
        while (at + run < pattern_bytes && is_word(pattern[at + run])) run++;
        if (run > best) {
            best = run;
            *literal = pattern + at;
        }
        at += run;
        if (at >= pattern_bytes) break;
        size_t set = pattern[at] == '[' ? set_bytes(pattern + at, pattern_bytes - at) : 0;
        at += set ? set : 1;
    }
    return best;
}

/* SPDX-License-Identifier: MIT
 *
 * Reads a name by the grammar of RFC 2603 ("Rust Symbol Name Mangling v0") and prints nothing: only
 * so can "u8" in from_u8 be told from the mark of an eight-byte Punycode identifier. A back
 * reference must lead to where a path, type or constant began; then it can't reach what was not
 * read here. Runs anywhere. */
#include "symbols/rustname.h"

#include <stdint.h>
#include <string.h>

enum { LONGEST_NAME = 4096, DEEPEST = 256, MOST_LIFETIMES = 256 };

struct scan {
    const char *text; /* after "_R" */
    size_t at, bytes;
    unsigned depth;
    bool bad; /* Punycode, an absurd binder, or no name of this grammar */
    uint64_t starts[LONGEST_NAME / 64];
};

static void read_path(struct scan *scan);
static void read_type(struct scan *scan);

static char peek(const struct scan *scan)
{
    return scan->at < scan->bytes ? scan->text[scan->at] : '\0';
}

static char next(struct scan *scan)
{
    if (scan->at >= scan->bytes) {
        scan->bad = true;
        return '\0';
    }
    return scan->text[scan->at++];
}

static bool eat(struct scan *scan, char c)
{
    if (peek(scan) != c || c == '\0') return false;
    scan->at++;
    return true;
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
static bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }

/* _ is 0, and digits then _ are their value in base 62 plus 1. */
static uint64_t read_base62(struct scan *scan)
{
    if (eat(scan, '_')) return 0;
    uint64_t value = 0;
    while (!scan->bad && !eat(scan, '_')) {
        char c = next(scan);
        uint64_t digit = is_digit(c) ? (uint64_t)(c - '0') : 0;
        if (is_lower(c)) digit = 10 + (uint64_t)(c - 'a');
        if (is_upper(c)) digit = 36 + (uint64_t)(c - 'A');
        if (!is_digit(c) && !is_lower(c) && !is_upper(c)) scan->bad = true;
        if (value > LONGEST_NAME) value = LONGEST_NAME; /* only compared with positions */
        value = value * 62 + digit;
    }
    return value + 1;
}

static void read_optional_base62(struct scan *scan, char tag)
{
    if (eat(scan, tag)) (void)read_base62(scan); /* only its extent matters */
}

static void read_binder(struct scan *scan)
{
    if (eat(scan, 'G') && read_base62(scan) > MOST_LIFETIMES) scan->bad = true;
}

static void read_identifier(struct scan *scan)
{
    char c = next(scan); /* 'u' here is the mark of Punycode: no digit, so bad */
    if (!is_digit(c)) {
        scan->bad = true;
        return;
    }
    size_t length = (size_t)(c - '0');
    while (c != '0' && is_digit(peek(scan)) && length <= LONGEST_NAME)
        length = length * 10 + (size_t)(next(scan) - '0');
    (void)eat(scan, '_'); /* parts the length from a name that begins with a digit or _ */
    if (length > scan->bytes - scan->at)
        scan->bad = true;
    else
        scan->at += length;
}

/* Marks that something begins here; false past the deepest nesting. */
static bool begin(struct scan *scan)
{
    if (scan->bad || ++scan->depth > DEEPEST) {
        scan->bad = true;
        return false;
    }
    scan->starts[scan->at / 64] |= (uint64_t)1 << scan->at % 64;
    return true;
}

static void read_back_reference(struct scan *scan)
{
    uint64_t target = read_base62(scan);
    if (target >= scan->at || !(scan->starts[target / 64] >> target % 64 & 1)) scan->bad = true;
}

static void read_constant(struct scan *scan)
{
    if (!begin(scan)) return;
    char tag = next(scan);
    if (tag == 'B') {
        read_back_reference(scan);
    } else if (tag != 'p') {
        if (!is_lower(tag)) scan->bad = true;
        (void)eat(scan, 'n'); /* the minus sign */
        while (!scan->bad && !eat(scan, '_')) {
            char c = next(scan);
            if (!is_digit(c) && (c < 'a' || c > 'f')) scan->bad = true;
        }
    }
    scan->depth--;
}

static void read_generic_arguments(struct scan *scan)
{
    while (!scan->bad && !eat(scan, 'E')) {
        if (eat(scan, 'L'))
            (void)read_base62(scan); /* a lifetime */
        else if (eat(scan, 'K'))
            read_constant(scan);
        else
            read_type(scan);
    }
}

static void read_types_until_end(struct scan *scan)
{
    while (!scan->bad && !eat(scan, 'E')) read_type(scan);
}

static void read_function_type(struct scan *scan)
{
    read_binder(scan);
    (void)eat(scan, 'U'); /* unsafe */
    if (eat(scan, 'K') && !eat(scan, 'C')) read_identifier(scan);
    read_types_until_end(scan);
    read_type(scan);
}

static void read_dyn_type(struct scan *scan)
{
    read_binder(scan);
    while (!scan->bad && !eat(scan, 'E')) {
        read_path(scan);
        while (!scan->bad && eat(scan, 'p')) {
            read_identifier(scan);
            read_type(scan);
        }
    }
    if (!eat(scan, 'L')) scan->bad = true;
    (void)read_base62(scan);
}

static void read_compound_type(struct scan *scan, char tag)
{
    switch (tag) {
    case 'R':
    case 'Q':
        read_optional_base62(scan, 'L');
        read_type(scan);
        break;
    case 'P':
    case 'O':
    case 'S':
        read_type(scan);
        break;
    case 'A':
        read_type(scan);
        read_constant(scan);
        break;
    case 'T':
        read_types_until_end(scan);
        break;
    case 'F':
        read_function_type(scan);
        break;
    case 'D':
        read_dyn_type(scan);
        break;
    case 'B':
        read_back_reference(scan);
        break;
    default:
        scan->at--;
        read_path(scan);
    }
}

static void read_type(struct scan *scan)
{
    if (!begin(scan)) return;
    char tag = next(scan);
    if (!scan->bad && !is_lower(tag)) read_compound_type(scan, tag);
    scan->depth--;
}

static void read_inner_path(struct scan *scan, char tag)
{
    switch (tag) {
    case 'C':
        read_optional_base62(scan, 's');
        read_identifier(scan);
        break;
    case 'N':
        (void)next(scan); /* the namespace */
        read_path(scan);
        read_optional_base62(scan, 's');
        read_identifier(scan);
        break;
    case 'M':
    case 'X':
        read_optional_base62(scan, 's');
        read_path(scan);
        read_type(scan);
        if (tag == 'X') read_path(scan);
        break;
    case 'Y':
        read_type(scan);
        read_path(scan);
        break;
    case 'I':
        read_path(scan);
        read_generic_arguments(scan);
        break;
    case 'B':
        read_back_reference(scan);
        break;
    default:
        scan->bad = true;
    }
}

static void read_path(struct scan *scan)
{
    if (!begin(scan)) return;
    char tag = next(scan);
    if (!scan->bad) read_inner_path(scan, tag);
    scan->depth--;
}

bool rustname_is_safe(const char *name, size_t bytes)
{
    if (bytes < 2 || bytes >= LONGEST_NAME) return false;
    struct scan scan = {.text = name + 2, .bytes = bytes - 2};
    const char *suffix = memchr(scan.text, '.', scan.bytes);
    if (suffix) scan.bytes = (size_t)(suffix - scan.text);
    read_path(&scan);
    if (!scan.bad && scan.at < scan.bytes) read_path(&scan); /* the instantiating crate */
    return !scan.bad;
}

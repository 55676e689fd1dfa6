/* SPDX-License-Identifier: MIT
 *
 * Brackets are matched by a small stack: a '>' that closes nothing (an arrow, an operator, a
 * comparison in parentheses) is text. A name whose brackets do not match stays whole. Runs in
 * `stint`. */
#include "print/abbreviate.h"

#include "print/screen.h"

#include <stdbool.h>
#include <string.h>

enum { BRACKETS_MOST = 256 };
static const char dots[] = "…", nameless[] = "(anonymous namespace)", operator_word[] = "operator";

static bool starts(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* Bytes of "operator<<", "operator()" …, which holds no brackets; 0 where none begins at `at`. */
static size_t operator_bytes(const char *name, const char *at)
{
    const char *sign = at + strlen(operator_word);
    if (*at != 'o' || !starts(at, operator_word)) return 0;
    if (at != name && !strchr(":( <,&*{", at[-1])) return 0;
    size_t bytes = starts(sign, "()") || starts(sign, "[]") ? 2 : strspn(sign, "<>=-");
    return bytes ? strlen(operator_word) + bytes : 0;
}

/* The bracket that closes the one at `open`; NULL where there is none. */
static const char *closing(const char *name, const char *open)
{
    char stack[BRACKETS_MOST];
    size_t depth = 0;
    for (const char *c = open; *c; c++) {
        size_t word = operator_bytes(name, c);
        if (word) {
            c += word - 1;
            continue;
        }
        if (strchr("(<{[", *c)) {
            if (depth == BRACKETS_MOST) return NULL;
            stack[depth++] = *c;
        } else if (*c == '>') {
            if (c[-1] != '-' && stack[depth - 1] == '<') depth--;
        } else if (strchr(")}]", *c)) {
            while (depth && stack[depth - 1] == '<') depth--;
            if (depth == 0) return NULL;
            depth--;
        }
        if (depth == 0) return c;
    }
    return NULL;
}

static bool is_parameters(const char *name, const char *at)
{
    return *at == '(' && at != name && at[-1] != ' ' && !starts(at, nameless);
}

/* A copy without what stands in the outermost parentheses, and angle brackets if `templates`. */
static bool leave_out(const char *name, bool templates, char *text)
{
    for (const char *c = name; *c;) {
        size_t bytes = operator_bytes(name, c);
        if (bytes == 0 && *c == '(' && starts(c, nameless)) bytes = strlen(nameless);
        if (bytes == 0 && strchr("(<", *c)) {
            const char *close = closing(name, c);
            if (!close) return false;
            bytes = (size_t)(close - c) + 1;
            bool is_out = is_parameters(name, c) || (*c == '<' && templates && c != name);
            if (is_out && bytes >= strlen(dots) + 2) {
                *text++ = *c;
                text = stpcpy(text, dots);
                c = close;
                bytes = 1;
            }
        }
        if (bytes == 0) bytes = 1;
        memcpy(text, c, bytes);
        text += bytes, c += bytes;
    }
    *text = '\0';
    return true;
}

/* Where the function's own name begins, after its result's type, and the last part of it, after
 * its scopes. False where there are no parameters, or the words before are no type ("thunk to"). */
static bool find_own(const char *name, const char **own, const char **last)
{
    *own = *last = name;
    for (const char *c = name; *c; c++) {
        if (operator_bytes(name, c) || (c != *own + 1 && starts(c, "operator "))) return true;
        if (is_parameters(name, c)) return true;
        if (*c == ' ') {
            *own = *last = c + 1;
            if (starts(c, " to ") || starts(c, " for ")) return false;
        } else if (starts(c, "::")) {
            *last = c + 2;
        } else if (strchr("(<{[", *c)) {
            c = closing(name, c);
            if (!c) return false;
        }
    }
    return false;
}

/* The end that has room after "…"; all of the last part at least. */
static const char *leave_out_scopes(char *own, const char *last, size_t most)
{
    char *from = own;
    for (size_t width = screen_width(own) + 1; from < last; width--) {
        if (width <= most && from >= own + strlen(dots)) break;
        do from++;
        while (((unsigned char)*from & 0xc0) == 0x80);
    }
    return from < own + strlen(dots) ? own : memcpy(from - strlen(dots), dots, strlen(dots));
}

const char *abbreviate(const char *name, size_t most, char text[ABBREVIATE_BYTES])
{
    const char *own, *last;
    if (screen_width(name) <= most || strlen(name) >= ABBREVIATE_BYTES) return name;
    if (!leave_out(name, false, text)) return name;
    if (screen_width(text) <= most) return text;
    if (!leave_out(name, true, text)) return name;
    if (screen_width(text) <= most || !find_own(text, &own, &last)) return text;
    if (screen_width(own) <= most) return own;
    return leave_out_scopes(text + (own - text), last, most);
}

/* SPDX-License-Identifier: MIT
 *
 * "int ns::f<int>(int, long)" → "ns::f<int>", "(anonymous namespace)::g(int)" → "{anonymous}::g",
 * as gcc 12 was seen to print them (decl_printable_name with verbosity 1, in gimplify.c's
 * flag_instrument_functions_exclude_p). Runs in `stint`. */
#include "advise/gccname.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static bool is_word(char c) { return isalnum((unsigned char)c) || c == '_' || c == '$'; }

/* Where the parameters begin: the ( of the last ), or NULL. */
static const char *parameters_of(const char *text)
{
    const char *at = strrchr(text, ')');
    int depth = 0;
    for (; at && at >= text; at--) {
        depth += *at == ')';
        depth -= *at == '(';
        if (depth == 0) return at;
    }
    return NULL;
}

static bool is_operator(const char *text, const char *at)
{
    return strncmp(at, "operator", 8) == 0 && !is_word(at[8]) && (at == text || !is_word(at[-1]));
}

/* Behind the return type that templates have: the last blank outside of all brackets, and before
 * an operator's name, which may have blanks and brackets of its own. */
static const char *behind_type(const char *text)
{
    const char *start = text;
    int depth = 0;
    for (const char *at = text; *at; at++) {
        if (depth == 0 && is_operator(text, at)) break;
        depth += *at == '<' || *at == '(' || *at == '{' || *at == '[';
        depth -= *at == '>' || *at == ')' || *at == '}' || *at == ']';
        if (*at == ' ' && depth == 0) start = at + 1;
    }
    return start;
}

static void replace_all(char *text, const char *old, const char *new)
{
    size_t old_length = strlen(old), new_length = strlen(new); /* new is no longer than old */
    for (char *at = text; (at = strstr(at, old)); at += new_length) {
        memcpy(at, new, new_length);
        memmove(at + new_length, at + old_length, strlen(at + old_length) + 1);
    }
}

bool gccname_make(const char *demangled, char name[GCCNAME_BYTES])
{
    char whole[GCCNAME_BYTES];
    if (strlen(demangled) >= sizeof whole || strstr(demangled, "{lambda")) return false;
    strcpy(whole, demangled);
    char *clone = strstr(whole, " [clone");
    if (clone) *clone = '\0';
    replace_all(whole, "(anonymous namespace)", "{anonymous}");
    char *parameters = (char *)parameters_of(whole);
    if (parameters)
        *parameters = '\0';
    else
        whole[strcspn(whole, ".")] = '\0'; /* C: foo.part.0 is foo */
    strcpy(name, behind_type(whole));
    return *name != '\0' && !strchr(name, '\'') && !strchr(name, '\\');
}

/* Only such arguments are written in one way: "<int>", "<ns::T>". */
static bool is_plain(const char *name)
{
    for (; *name; name++)
        if (*name == ' ' || *name == ',' || strncmp(name, ">>", 2) == 0) return false;
    return true;
}

bool gccname_pattern(const char *name, char pattern[GCCNAME_BYTES])
{
    const char *operator_name = strstr(name, "operator");
    const char *angle = strchr(name, '<');
    bool is_template = angle && !(operator_name && operator_name < angle);
    snprintf(pattern, GCCNAME_BYTES, "%s", name);
    if (!is_template || is_plain(name)) return true;
    /* ns::V<int, A<int> >::push: "::push"; ns::f<int, 3>: "ns::f<" */
    const char *last = name + strlen(name);
    int depth = 0;
    for (const char *at = name; *at; at++) {
        if (is_operator(name, at)) return false;
        depth += *at == '<';
        depth -= *at == '>';
        if (*at == '>' && depth == 0) last = at + 1;
    }
    if (*last == ':')
        snprintf(pattern, GCCNAME_BYTES, "%s", last);
    else
        snprintf(pattern, GCCNAME_BYTES, "%.*s", (int)(angle - name) + 1, name);
    return *last == ':' ? !strchr(last, '<') : true;
}

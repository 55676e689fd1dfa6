/* SPDX-License-Identifier: MIT
 *
 * Text work on report names, each step from one buffer into another. Runs anywhere. */
#include "self/outname.h"

#include "base/fmt.h"

#include <string.h>

/* Text that is no pattern, into a pattern. */
static void literal(struct fmt *out, const char *text)
{
    for (; *text; text++) {
        if (*text == '%') fmt_char(out, '%');
        fmt_char(out, *text);
    }
}

static void directory_before(struct fmt *out, const char *wish, const char *directory)
{
    if (wish[0] == '/') return;
    literal(out, directory);
    size_t length = strlen(directory);
    if (length && directory[length - 1] != '/') fmt_char(out, '/');
}

/* One placeholder; %s and %% stay for outname_fill, and what is none stands for itself. Returns how
 * many characters of the wish that was. */
static size_t placeholder(struct fmt *out, const char *wish, const struct outname_values *values)
{
    switch (wish[1]) {
    case 'p':
        fmt_u64(out, values->pid);
        return 2;
    case 'n':
        literal(out, values->program);
        return 2;
    case 'h':
        literal(out, values->host);
        return 2;
    case 'r':
        literal(out, values->rank);
        return 2;
    case 's':
        fmt_text(out, "%s");
        return 2;
    case '%':
        fmt_text(out, "%%");
        return 2;
    default:
        fmt_text(out, "%%");
        return 1;
    }
}

static bool has(const char *wish, char letter)
{
    for (; *wish; wish++) {
        if (wish[0] != '%') continue;
        if (wish[1] == letter) return true;
        if (wish[1]) wish++;
    }
    return false;
}

bool outname_has_pid(const char *wish) { return has(wish, 'p'); }

/* What tells this process's report from those of its family or its peers, where the wish doesn't.
 */
static bool insert_number(const char *wish, const struct outname_values *values, char *pattern,
                          size_t capacity)
{
    char number[24];
    struct fmt insert = fmt_over(number, sizeof number);
    if (has(wish, 'p')) return true;
    if (!values->is_descendant && (!values->has_peers || has(wish, 'r'))) return true;
    fmt_char(&insert, '.');
    if (values->is_descendant)
        fmt_u64(&insert, values->pid);
    else
        fmt_text(&insert, values->rank);
    return outname_insert(pattern, capacity, number);
}

bool outname_pattern(const char *wish, const struct outname_values *values, char *pattern,
                     size_t capacity)
{
    struct fmt out = fmt_over(pattern, capacity);
    directory_before(&out, wish, values->directory);
    for (const char *at = wish; *at;) {
        if (*at == '%')
            at += placeholder(&out, at, values);
        else
            fmt_char(&out, *at++);
    }
    return !out.cut && insert_number(wish, values, pattern, capacity);
}

bool outname_insert(char *pattern, size_t capacity, const char *insert)
{
    size_t length = strlen(pattern), width = strlen(insert);
    if (length + width >= capacity) return false;
    char *last = strrchr(pattern, '/');
    last = last ? last + 1 : pattern;
    char *dot = strrchr(last, '.');
    /* A leading dot hides a file and starts no extension. */
    char *at = dot && dot != last ? dot : pattern + length;
    memmove(at + width, at, strlen(at) + 1);
    memcpy(at, insert, width);
    return true;
}

bool outname_fill(const char *pattern, uint32_t snapshot, char *name, size_t capacity)
{
    struct fmt out = fmt_over(name, capacity);
    for (; *pattern; pattern++) {
        if (*pattern != '%') {
            fmt_char(&out, *pattern);
            continue;
        }
        pattern++;
        if (*pattern == 's')
            fmt_u64(&out, snapshot);
        else
            fmt_char(&out, '%');
        if (!*pattern) break;
    }
    return !out.cut;
}

bool outname_absolute(const char *wish, const char *directory, char *absolute, size_t capacity)
{
    struct fmt out = fmt_over(absolute, capacity);
    directory_before(&out, wish, directory);
    fmt_text(&out, wish);
    return !out.cut;
}

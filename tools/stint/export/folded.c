/* SPDX-License-Identifier: MIT
 *
 * A line a call path, "main;update;draw 1234": nanoseconds of Self. What flamegraph.pl, inferno and
 * speedscope read; they have no escapes, so ';' in a name becomes ':' as their own collapsers do
 * it. Runs in `stint`. */
#include "export/export.h"
#include "export/text.h"

#include <ctype.h>
#include <string.h>

/* flamegraph.pl takes a number before the last one for a second column: "Phase 2" is one name. */
static void join_last_number(char *name)
{
    char *c = name + strlen(name);
    while (c > name && (isdigit((unsigned char)c[-1]) || c[-1] == '.')) c--;
    if (c > name && *c && c[-1] == ' ') c[-1] = '_';
}

/* Blanks at its ends are the line's own. */
static void keep_blanks(char *name)
{
    if (*name == ' ') *name = '_';
    size_t length = strlen(name);
    if (length && name[length - 1] == ' ') name[length - 1] = '_';
}

/* Every line has the names of its whole path: those of some C++ functions have 13 000 characters.
 */
enum { NAME_MOST = 256 };

/* The path so far, and where each of its names ends. */
struct line {
    char *text;
    size_t capacity;
    size_t *ends; /* by depth, up to told_depth */
    uint32_t told_depth;
};

static char *larger(struct line *line, size_t used, size_t needed, struct arena *arena)
{
    if (needed <= line->capacity) return line->text;
    char *text = arena_alloc(arena, needed * 2);
    if (!text) return NULL;
    if (used) memcpy(text, line->text, used);
    line->capacity = needed * 2;
    return line->text = text;
}

/* Appends ";name" to the first `used` bytes. Returns the new length, or 0 without memory. */
static size_t append(struct line *line, size_t used, const char *name, struct arena *arena)
{
    size_t length = strlen(name);
    char *text = larger(line, used, used + length + 1, arena);
    if (!text) return 0;
    if (used) text[used++] = ';';
    memcpy(text + used, name, length);
    return used + length;
}

/* The length of the line for this path, or 0 without memory. */
static size_t add_path(struct line *line, const struct path *path, const char *name,
                       struct arena *arena)
{
    uint32_t depth = path->depth;
    if (depth < line->told_depth)
        return line->ends[depth] = append(line, depth ? line->ends[depth - 1] : 0, name, arena);
    size_t used = line->ends[line->told_depth - 1];
    if (depth > line->told_depth) used = append(line, used, export_deeper, arena);
    return used ? append(line, used, name, arena) : 0;
}

int export_folded(const struct export_job *job, FILE *out, struct fault *fault)
{
    const struct paths *paths = job->paths;
    char **names = text_names(job, ";", ':', false);
    struct line line = {.ends = arena_alloc(job->arena, paths->told_depth * sizeof *line.ends),
                        .told_depth = paths->told_depth};
    if (!names || !line.ends || !text_shorten_names(job, names, NAME_MOST))
        return export_no_memory(fault);
    for (uint32_t i = 0; i < job->document->function_count; i++) {
        join_last_number(names[i]);
        keep_blanks(names[i]);
    }
    for (uint32_t i = 0; i < paths->count; i++) {
        const struct path *path = &paths->items[i];
        size_t length = add_path(&line, path, names[path->function], job->arena);
        if (!length) return export_no_memory(fault);
        if (!path->self_ns) continue;
        fwrite(line.text, 1, length, out);
        fprintf(out, " %llu\n", (unsigned long long)path->self_ns);
    }
    return 0;
}

/* SPDX-License-Identifier: MIT
 *
 * libdwfl in its offline form: each module is reported to it once, when its first place is asked
 * for. A module that is another one by now (its build-id says so) gives no lines. Runs in `stint`.
 */
#include "lines.h"

#include <elfutils/libdwfl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct known {
    char *path;
    Dwfl_Module *module;
    GElf_Addr bias;
    const char *why; /* NULL = it has lines */
};

struct lines {
    Dwfl *dwfl;
    struct known *modules;
    size_t count;
};

static const Dwfl_Callbacks callbacks = {
    .find_elf = dwfl_build_id_find_elf,
    .find_debuginfo = dwfl_standard_find_debuginfo,
    .section_address = dwfl_offline_section_address,
};

struct lines *lines_new(bool may_ask_network)
{
    struct lines *lines = calloc(1, sizeof *lines);
    /* dwfl_standard_find_debuginfo asks servers wherever this variable names some. */
    if (!may_ask_network) unsetenv("DEBUGINFOD_URLS");
    if (lines) lines->dwfl = dwfl_begin(&callbacks);
    if (lines && lines->dwfl) return lines;
    free(lines);
    return NULL;
}

void lines_free(struct lines *lines)
{
    if (!lines) return;
    for (size_t i = 0; i < lines->count; i++) free(lines->modules[i].path);
    free(lines->modules);
    dwfl_end(lines->dwfl);
    free(lines);
}

/* /usr/lib/debug/.build-id/ab/cdef….debug stands for a module that is gone. */
static bool debug_path(const char *build_id, char *path, size_t capacity)
{
    if (!build_id || strlen(build_id) < 3 || strlen(build_id) > 128) return false;
    snprintf(path, capacity, "/usr/lib/debug/.build-id/%.2s/%s.debug", build_id, build_id + 2);
    return access(path, R_OK) == 0;
}

static bool has_build_id(Dwfl_Module *module, const char *expected)
{
    const unsigned char *bits = NULL;
    GElf_Addr address;
    int count = dwfl_module_build_id(module, &bits, &address);
    char text[129] = "";
    if (!expected || count <= 0) return !expected;
    for (int i = 0; i < count && i < 64; i++) snprintf(text + (size_t)i * 2, 3, "%02x", bits[i]);
    return strcmp(text, expected) == 0;
}

static void report(struct lines *lines, struct known *known, const char *build_id)
{
    char debug[200];
    const char *path = known->path;
    if (access(path, R_OK) != 0 && debug_path(build_id, debug, sizeof debug)) path = debug;
    dwfl_report_begin_add(lines->dwfl);
    known->module = dwfl_report_offline(lines->dwfl, known->path, path, -1);
    dwfl_report_end(lines->dwfl, NULL, NULL);
    if (!known->module)
        known->why = "can't be read here";
    else if (!has_build_id(known->module, build_id))
        known->why = "is another build than the one that ran";
    else if (!dwfl_module_getdwarf(known->module, &known->bias))
        known->why = "has no debug information: build it with -g, or install its debug package";
}

static const struct known *find_module(struct lines *lines, const struct lines_place *place)
{
    for (size_t i = 0; i < lines->count; i++)
        if (strcmp(lines->modules[i].path, place->module) == 0) return &lines->modules[i];
    struct known *larger = realloc(lines->modules, (lines->count + 1) * sizeof *larger);
    if (!larger) return NULL;
    lines->modules = larger;
    struct known *known = &larger[lines->count];
    *known = (struct known){.path = strdup(place->module)};
    if (!known->path) return NULL;
    lines->count++;
    report(lines, known, place->build_id);
    return known;
}

bool lines_find(struct lines *lines, const struct lines_place *place, char *text, size_t capacity)
{
    const struct known *known = place->module ? find_module(lines, place) : NULL;
    if (!known || known->why) return false;
    Dwfl_Line *line = dwfl_module_getsrc(known->module, place->offset + known->bias);
    int number = 0;
    const char *file = line ? dwfl_lineinfo(line, NULL, &number, NULL, NULL, NULL) : NULL;
    if (!file) return false;
    snprintf(text, capacity, "%s:%d", file, number);
    return true;
}

size_t lines_missing(const struct lines *lines, const char **module, const char **why)
{
    size_t missing = 0;
    for (size_t i = lines->count; i-- > 0;) {
        if (!lines->modules[i].why) continue;
        missing++;
        *module = lines->modules[i].path;
        *why = lines->modules[i].why;
    }
    return missing;
}

bool lines_supported(void) { return true; }

/* SPDX-License-Identifier: MIT
 *
 * libdwfl in its offline form: each module is reported to it once, when its first place is asked
 * for. A module that is another one by now (its build-id says so) gives no lines. libdwfl finds
 * units by .debug_aranges alone, which clang doesn't write: for what it doesn't find, the units'
 * own ranges are gathered. Runs in `stint`. */
#include "view/lines.h"

#include <elfutils/libdwfl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A stretch of a module's addresses, without bias, that one compilation unit covers. */
struct range {
    Dwarf_Addr start, end;
    Dwarf_Off unit;
};

struct known {
    char *path;
    Dwfl_Module *module;
    Dwarf *dwarf;
    GElf_Addr bias;
    const char *why;      /* NULL = it has lines */
    struct range *ranges; /* by start; gathered when libdwfl has found nothing */
    size_t range_count;
    bool is_gathered;
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
    for (size_t i = 0; i < lines->count; i++) {
        free(lines->modules[i].path);
        free(lines->modules[i].ranges);
    }
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
    else if (!(known->dwarf = dwfl_module_getdwarf(known->module, &known->bias)))
        known->why = "has no debug information: build it with -g, or install its debug package";
}

static struct known *find_module(struct lines *lines, const struct lines_place *place)
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

/* False where there is no memory. */
static bool gather_unit(struct known *known, Dwarf_Die *unit, size_t *capacity)
{
    Dwarf_Addr base, start, end;
    for (ptrdiff_t at = 0; (at = dwarf_ranges(unit, at, &base, &start, &end)) > 0;) {
        if (start >= end) continue;
        if (known->range_count == *capacity) {
            size_t more = *capacity ? *capacity * 2 : 64;
            struct range *larger = realloc(known->ranges, more * sizeof *larger);
            if (!larger) return false;
            known->ranges = larger;
            *capacity = more;
        }
        known->ranges[known->range_count++] = (struct range){start, end, dwarf_dieoffset(unit)};
    }
    return true;
}

static int by_start(const void *a, const void *b)
{
    const struct range *left = a, *right = b;
    return (left->start > right->start) - (left->start < right->start);
}

static void gather(struct known *known)
{
    Dwarf_Off at = 0, next;
    size_t header, capacity = 0;
    known->is_gathered = true;
    for (; dwarf_nextcu(known->dwarf, at, &next, &header, NULL, NULL, NULL) == 0; at = next) {
        Dwarf_Die unit;
        if (!dwarf_offdie(known->dwarf, at + header, &unit)) continue;
        if (!gather_unit(known, &unit, &capacity)) break;
    }
    if (known->range_count)
        qsort(known->ranges, known->range_count, sizeof *known->ranges, by_start);
}

/* The last range that starts at the address or before it; ranges of units don't overlap. */
static const struct range *covering(const struct known *known, Dwarf_Addr address)
{
    size_t low = 0, high = known->range_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (known->ranges[middle].start <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low && address < known->ranges[low - 1].end ? &known->ranges[low - 1] : NULL;
}

static const char *file_by_ranges(struct known *known, Dwarf_Addr address, int *number)
{
    Dwarf_Die unit;
    if (!known->is_gathered) gather(known);
    const struct range *range = covering(known, address);
    if (!range || !dwarf_offdie(known->dwarf, range->unit, &unit)) return NULL;
    Dwarf_Line *line = dwarf_getsrc_die(&unit, address);
    if (!line || dwarf_lineno(line, number) != 0) return NULL;
    return dwarf_linesrc(line, NULL, NULL);
}

bool lines_find(struct lines *lines, const struct lines_place *place, char *text, size_t capacity)
{
    struct known *known = place->module ? find_module(lines, place) : NULL;
    if (!known || known->why) return false;
    Dwfl_Line *line = dwfl_module_getsrc(known->module, place->offset + known->bias);
    int number = 0;
    const char *file = line ? dwfl_lineinfo(line, NULL, &number, NULL, NULL, NULL)
                            : file_by_ranges(known, place->offset, &number);
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

/* SPDX-License-Identifier: MIT
 *
 * What was found, for the eye and for machines. */
#include "base/utf8.h"
#include "check/checked.h"

#include <string.h>

enum { LIBRARIES_SHOWN = 12 };

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

static const char *kind_words(const struct binary *binary)
{
    switch (binary->kind) {
    case BINARY_DYNAMIC:
        return binary->is_pie ? "program, linked dynamically (PIE)" : "program, linked dynamically";
    case BINARY_STATIC:
        return binary->is_pie ? "program, linked statically (static-pie)"
                              : "program, linked statically";
    case BINARY_LIBRARY:
        return "shared library";
    case BINARY_FOREIGN:
        return "foreign";
    default:
        return "object file";
    }
}

static const char *symbols_words(const struct binary *binary)
{
    if (binary->has_debug_info) return "symbols and debug information";
    return binary->has_symbols ? "symbols, no debug information" : "stripped";
}

static void put_fact(const struct screen *screen, const char *name, const char *text)
{
    fprintf(screen->file, "  %-13s ", name);
    screen_text(screen, text);
    fputc('\n', screen->file);
}

static void put_modules(const struct screen *screen, const struct checked *checked)
{
    size_t shown = 0, more = 0;
    fprintf(screen->file, "  %-13s ", "instrumented");
    if (checked->binary.wants_hooks) {
        screen_text(screen, last_part(checked->path));
        shown++;
    }
    for (size_t i = 0; i < checked->libraries.count; i++) {
        const struct library *library = &checked->libraries.items[i];
        if (!library->binary.wants_hooks) continue;
        if (shown >= LIBRARIES_SHOWN) {
            more++;
            continue;
        }
        if (shown++) fputs(", ", screen->file);
        screen_text(screen, library->name);
    }
    if (more) fprintf(screen->file, " and %zu more", more);
    if (!shown) fputs("nothing", screen->file);
    fprintf(screen->file, " (of %zu modules)\n", checked->libraries.count + 1);
    for (size_t i = 0; i < checked->libraries.count; i++)
        if (!checked->libraries.items[i].path)
            put_fact(screen, "not found", checked->libraries.items[i].name);
}

void checked_show(const struct screen *screen, const struct checked *checked)
{
    const struct binary *binary = &checked->binary;
    screen_style(screen, SCREEN_TITLE);
    screen_text(screen, *checked->script ? checked->script : checked->path);
    screen_style(screen, SCREEN_PLAIN);
    fputc('\n', screen->file);
    if (*checked->script) put_fact(screen, "script of", checked->path);
    put_fact(screen, "kind", binary->kind == BINARY_FOREIGN ? binary->fault : kind_words(binary));
    for (size_t i = 0; i < BINARY_COMPILERS && binary->compilers[i][0]; i++)
        put_fact(screen, i ? "" : "compilers", binary->compilers[i]);
    if (binary->kind != BINARY_FOREIGN) put_modules(screen, checked);
    if (binary->kind != BINARY_FOREIGN) put_fact(screen, "names", symbols_words(binary));
    if (binary->sanitizer[0]) put_fact(screen, "sanitizer", binary->sanitizer);
    for (size_t i = 0; i < checked->advice_count; i++)
        put_fact(screen, i ? "" : checked->would_record ? "note" : "change", checked->advice[i]);
    screen_style(screen, checked->would_record ? SCREEN_MARK : SCREEN_HOT);
    fputs(checked->would_record ? "would be recorded" : "would record nothing", screen->file);
    screen_style(screen, SCREEN_PLAIN);
    fputc('\n', screen->file);
}

/* What a file says need not be UTF-8, and JSON is. */
static json_t *text_json(const char *text)
{
    char valid[4096 * 3 + 1];
    utf8_make_valid(text, strnlen(text, 4096), valid, sizeof valid);
    return json_string(valid);
}

static json_t *list_of(const char *texts, size_t size, size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count && texts[i * size]; i++)
        json_array_append_new(list, text_json(texts + i * size));
    return list;
}

static json_t *module_json(const char *name, const char *path, bool is_instrumented)
{
    return json_pack("{s:o,s:o,s:b}", "name", text_json(name), "path",
                     path ? text_json(path) : json_null(), "instrumented", is_instrumented);
}

static json_t *modules_json(const struct checked *checked)
{
    json_t *list = json_array();
    json_array_append_new(
        list, module_json(last_part(checked->path), checked->path, checked->binary.wants_hooks));
    for (size_t i = 0; i < checked->libraries.count; i++) {
        const struct library *library = &checked->libraries.items[i];
        json_array_append_new(
            list, module_json(library->name, library->path, library->binary.wants_hooks));
    }
    return list;
}

json_t *checked_json(const struct checked *checked)
{
    const struct binary *binary = &checked->binary;
    bool is_foreign = binary->kind == BINARY_FOREIGN;
    json_t *all = json_pack("{s:o,s:b,s:s,s:b,s:b,s:b,s:b,s:b}", "path", text_json(checked->path),
                            "would_record", checked->would_record, "kind",
                            is_foreign ? binary->fault : kind_words(binary), "position_independent",
                            binary->is_pie, "privileged", checked->is_privileged, "own_hooks",
                            binary->defines_hooks, "symbols", binary->has_symbols,
                            "debug_information", binary->has_debug_info);
    if (!all) return NULL;
    if (*checked->script) json_object_set_new(all, "script", text_json(checked->script));
    if (binary->sanitizer[0]) json_object_set_new(all, "sanitizer", text_json(binary->sanitizer));
    json_object_set_new(
        all, "compilers",
        list_of(binary->compilers[0], sizeof binary->compilers[0], BINARY_COMPILERS));
    json_object_set_new(all, "modules", modules_json(checked));
    json_object_set_new(
        all, checked->would_record ? "notes" : "changes",
        list_of(checked->advice[0], sizeof checked->advice[0], checked->advice_count));
    return all;
}

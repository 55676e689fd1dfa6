/* SPDX-License-Identifier: MIT
 *
 * `stint check`: would a program be recorded, and if not, what to change. Facts, then advice. Runs
 * in `stint`. */
#include "base/say.h"
#include "base/utf8.h"
#include "check/libraries.h"
#include "check/target.h"
#include "print/screen.h"
#include "verb/exitcode.h"
#include "verb/verbs.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { JSON };
enum { ADVICE_MOST = 16, LIBRARIES_SHOWN = 12 };

const struct opt check_options[] = {
    {0, "json", NULL, "the same for machines"},
    {0},
};

struct checked {
    const char *command;
    char path[4096];
    char script[4096]; /* what was asked for, where path is its interpreter; "" = no script */
    struct binary binary;
    struct libraries libraries;
    bool is_privileged, would_record;
    char advice[ADVICE_MOST][400];
    size_t advice_count;
};

__attribute__((format(printf, 2, 3))) static void advise(struct checked *checked,
                                                         const char *format, ...)
{
    va_list list;
    if (checked->advice_count == ADVICE_MOST) return;
    va_start(list, format);
    vsnprintf(checked->advice[checked->advice_count++], sizeof checked->advice[0], format, list);
    va_end(list);
}

static bool is_compiler(const struct binary *binary, const char *word)
{
    for (size_t i = 0; i < BINARY_COMPILERS; i++)
        if (strstr(binary->compilers[i], word)) return true;
    return false;
}

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

static size_t count_instrumented(const struct checked *checked)
{
    size_t count = checked->binary.wants_hooks;
    for (size_t i = 0; i < checked->libraries.count; i++)
        count += checked->libraries.items[i].binary.wants_hooks;
    return count;
}

static void advise_building(struct checked *checked)
{
    const struct binary *binary = &checked->binary;
    if (binary->is_go)
        advise(checked,
               "it is a Go program: Go's compiler cannot call the hooks; use go tool pprof");
    else if (binary->calls_mcount)
        advise(checked, "it was built with -pg; build it with -finstrument-functions instead");
    else if (binary->has_xray)
        advise(checked, "it was built for XRay; build it with -finstrument-functions instead");
    else if (is_compiler(binary, "rustc"))
        advise(checked, "it is a Rust program, and rustc cannot call these hooks; its C and C++ "
                        "parts can be built with -finstrument-functions");
    else if (is_compiler(binary, "clang"))
        advise(checked, "build it with: clang -g -finstrument-functions "
                        "(or -finstrument-functions-after-inlining, which costs less)");
    else
        advise(checked, "build it with: gcc -g -finstrument-functions (both where it is compiled "
                        "and linked; make CFLAGS=… CXXFLAGS=…, cmake -DCMAKE_CXX_FLAGS=…, meson "
                        "-Dc_args=…)");
    advise(checked, "or build only the libraries of interest so: they are recorded in any program");
}

static void advise_kind(struct checked *checked)
{
    const struct binary *binary = &checked->binary;
    switch (binary->kind) {
    case BINARY_STATIC:
        advise(checked,
               "it is linked statically, so nothing can be preloaded: link it without "
               "-static%s",
               binary->is_pie ? "-pie" : "");
        break;
    case BINARY_FOREIGN:
        advise(checked,
               "it is %s: build it for the machine and word size of this stint, or build "
               "stint for its",
               binary->fault);
        break;
    case BINARY_OBJECT:
        advise(checked, "it is no program yet; check what it is linked into");
        break;
    case BINARY_LIBRARY:
        if (binary->wants_hooks)
            advise(checked, "it is a library: its functions are recorded in programs that load it");
        break;
    default:
        break;
    }
}

static bool is_set_id(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && (status.st_mode & (S_ISUID | S_ISGID));
}

static bool is_other_libc(const struct binary *binary)
{
    return binary->kind == BINARY_DYNAMIC && strstr(binary->interpreter, "musl");
}

static void advise_names(struct checked *checked)
{
    const struct binary *binary = &checked->binary;
    if (!binary->wants_hooks) return;
    if (!binary->has_symbols && !binary->has_debug_info)
        advise(checked,
               "it is stripped: functions are named module+0x… unless its debug file is in "
               "/usr/lib/debug or beside it%s",
               binary->has_build_id ? "" : "; it has no build-id either");
    else if (!binary->has_debug_info)
        advise(checked, "it has no debug information: names are there, lines are not; add -g");
}

static void advise_all(struct checked *checked)
{
    const struct binary *binary = &checked->binary;
    bool is_program = binary->kind == BINARY_DYNAMIC || binary->kind == BINARY_LIBRARY;
    advise_kind(checked);
    if (checked->is_privileged)
        advise(checked,
               "it is setuid, setgid or has capabilities, and such programs preload "
               "nothing: run it as its owner, or a copy without them (cp %s /tmp/)",
               checked->path);
    else if (is_set_id(checked->path))
        advise(checked, "it is setuid or setgid: run by others than its owner it preloads nothing");
    if (binary->kind == BINARY_DYNAMIC && access(checked->path, X_OK) != 0)
        advise(checked, "it may not be executed: chmod +x %s", checked->path);
    if (is_other_libc(binary))
        advise(checked, "it is linked with musl, and libstint.so with glibc: link it with glibc");
    if (binary->defines_hooks && binary->kind == BINARY_DYNAMIC)
        advise(checked, "it has hooks of its own (__cyg_profile_func_enter), which come before "
                        "stint's: take them out");
    if (is_program && count_instrumented(checked) == 0 && !binary->defines_hooks)
        advise_building(checked);
    if (binary->kind == BINARY_STATIC && !binary->wants_hooks && !binary->defines_hooks)
        advise_building(checked);
    if (binary->sanitizer[0] && !binary->is_sanitizer_linked_in)
        advise(checked,
               "%s must come first: stint run sees to that; without it, "
               "LD_PRELOAD=%s:…/libstint.so",
               binary->sanitizer, binary->sanitizer);
    advise_names(checked);
}

static bool would_record(const struct checked *checked)
{
    const struct binary *binary = &checked->binary;
    bool is_loadable = binary->kind == BINARY_DYNAMIC || binary->kind == BINARY_LIBRARY;
    bool is_own = binary->defines_hooks && binary->kind == BINARY_DYNAMIC;
    return is_loadable && !checked->is_privileged && !is_other_libc(binary) && !is_own &&
           count_instrumented(checked) > 0;
}

/* "#!/usr/bin/env -S python3 -u" → python3; "" → the shell. */
static const char *interpreter_word(char *line)
{
    char *save = NULL, *word = strtok_r(line, " \t", &save);
    if (!word) return "/bin/sh";
    if (strcmp(last_part(word), "env") != 0) return word;
    for (word = strtok_r(NULL, " \t", &save); word && *word == '-';)
        word = strtok_r(NULL, " \t", &save);
    return word ? word : "/usr/bin/env";
}

/* A script is run by another program, which may be one too. */
static bool follow_script(struct checked *checked)
{
    for (int depth = 0; depth < 4 && checked->binary.kind == BINARY_SCRIPT; depth++) {
        char line[256];
        snprintf(line, sizeof line, "%s", checked->binary.interpreter);
        if (depth == 0) snprintf(checked->script, sizeof checked->script, "%s", checked->path);
        binary_fini(&checked->binary);
        if (!target_find(interpreter_word(line), checked->path)) return false;
        binary_read(checked->path, &checked->binary);
    }
    return true;
}

/* EXITCODE_OK, or what has been told. */
static int look(struct checked *checked)
{
    bool is_there = target_find(checked->command, checked->path);
    if (!is_there && access(checked->command, F_OK) == 0)
        is_there = snprintf(checked->path, sizeof checked->path, "%s", checked->command) > 0;
    if (!is_there) {
        say_line("check: ", checked->command, ": no such command or file", (char *)0);
        return EXITCODE_BAD_INPUT;
    }
    binary_read(checked->path, &checked->binary);
    if (checked->binary.kind == BINARY_SCRIPT && access(checked->path, X_OK) != 0) {
        say_line("check: ", checked->path, ": neither an ELF object nor an executable script",
                 (char *)0);
        return EXITCODE_BAD_INPUT;
    }
    if (!follow_script(checked)) {
        say_line("check: ", checked->command, ": a script whose interpreter is not there",
                 (char *)0);
        return EXITCODE_BAD_INPUT;
    }
    if (checked->binary.kind == BINARY_UNKNOWN || checked->binary.kind == BINARY_DAMAGED) {
        const char *fault = checked->binary.fault;
        say_line("check: ", checked->path, ": ", *fault ? fault : "empty, or can't be read",
                 (char *)0);
        return EXITCODE_BAD_INPUT;
    }
    checked->is_privileged = target_is_privileged(checked->path);
    if (!libraries_find(checked->path, &checked->binary, &checked->libraries))
        return EXITCODE_BAD_INPUT;
    checked->would_record = would_record(checked);
    advise_all(checked);
    if (*checked->script && !checked->would_record)
        advise(checked, "of a script, the instrumented programs that it runs are recorded; check "
                        "those");
    return EXITCODE_OK;
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

static void put_text(const struct screen *screen, const struct checked *checked)
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

static json_t *checked_json(const struct checked *checked)
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

/* An exit status, or −1 to go on. */
static int read_arguments(struct opt_args *args, struct checked *checked, bool *is_json)
{
    for (;;) {
        switch (opt_next(args)) {
        case JSON:
            *is_json = true;
            break;
        case OPT_OPERAND:
            if (checked->command) return opt_mistake(args->verb, "one program only: ", args->value);
            checked->command = args->value;
            break;
        default:
            if (args->status >= 0 || checked->command) return args->status;
            return opt_mistake(args->verb, "a program is missing", "");
        }
    }
}

int check_main(struct opt_args *args)
{
    bool is_json = false;
    struct checked *checked = calloc(1, sizeof *checked);
    if (!checked) return EXITCODE_BAD_INPUT;
    int status = read_arguments(args, checked, &is_json);
    if (status < 0) {
        status = look(checked);
        const struct screen screen = screen_over(stdout, SCREEN_AUTO);
        if (status == EXITCODE_OK && is_json)
            status = screen_json(&screen, checked_json(checked));
        else if (status == EXITCODE_OK)
            put_text(&screen, checked);
        if (status == EXITCODE_OK && !checked->would_record) status = EXITCODE_DIFFERENCE;
    }
    libraries_fini(&checked->libraries);
    binary_fini(&checked->binary);
    free(checked);
    return status;
}

/* SPDX-License-Identifier: MIT
 *
 * From a binary and its libraries: would it be recorded, and what to change or know. */
#include "check/checked.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

void checked_advise(struct checked *checked)
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
    if (*checked->script && !checked->would_record)
        advise(checked, "of a script, the instrumented programs that it runs are recorded; check "
                        "those");
}

bool checked_would_record(const struct checked *checked)
{
    const struct binary *binary = &checked->binary;
    bool is_loadable = binary->kind == BINARY_DYNAMIC || binary->kind == BINARY_LIBRARY;
    bool is_own = binary->defines_hooks && binary->kind == BINARY_DYNAMIC;
    return is_loadable && !checked->is_privileged && !is_other_libc(binary) && !is_own &&
           count_instrumented(checked) > 0;
}

/* SPDX-License-Identifier: MIT
 *
 * STINT_ROOT, else /proc of the ancestors, as far up as they were preloaded. An ancestor's initial
 * environment is a cheap sign (some 15 µs), its mappings the proof. Runs once at the start. */
#include "life/run.h"

#include "base/fmt.h"
#include "life/identity.h"
#include "life/start.h"

#include <string.h>

enum { MOST_ANCESTORS = 16 };

static void name_run(char *run, size_t capacity, uint32_t pid, uint64_t start_time)
{
    struct fmt out = fmt_over(run, capacity);
    fmt_u64(&out, pid);
    fmt_char(&out, ':');
    fmt_u64(&out, start_time);
}

/* "<digits>:<digits>", as name_run writes it. */
static bool is_run_name(const char *text)
{
    size_t first = strspn(text, "0123456789");
    if (!first || text[first] != ':') return false;
    size_t second = strspn(text + first + 1, "0123456789");
    return second && !text[first + 1 + second] && first + second + 1 < sizeof process.run;
}

static bool is_preloaded(uint32_t pid)
{
    const char *slash = strrchr(process.library, '/');
    return slash && identity_file_mentions(pid, "environ", slash + 1, NULL, 1) &&
           identity_file_mentions(pid, "maps", slash, NULL, 1);
}

/* The topmost ancestor's, or what it was told itself. False where the parent is not under stint. */
static bool ask_ancestors(char *run, size_t capacity)
{
    bool is_found = false;
    uint32_t pid = identity_stat(process.pid).parent_pid;
    for (int i = 0; i < MOST_ANCESTORS && pid > 1 && is_preloaded(pid); i++) {
        struct identity_stat stat = identity_stat(pid);
        char told[sizeof process.run];
        is_found = true;
        if (identity_file_mentions(pid, "environ", "STINT_ROOT=", told, sizeof told) &&
            is_run_name(told)) {
            struct fmt out = fmt_over(run, capacity);
            fmt_text(&out, told);
            return true;
        }
        name_run(run, capacity, pid, stat.start_time);
        pid = stat.parent_pid;
    }
    return is_found;
}

void run_find(const char *told)
{
    char own[sizeof process.run], found[sizeof process.run] = "";
    name_run(own, sizeof own, process.pid, process.start_time);
    if (told && is_run_name(told)) {
        struct fmt out = fmt_over(found, sizeof found);
        fmt_text(&out, told);
    } else if (!ask_ancestors(found, sizeof found)) {
        memcpy(found, own, sizeof found);
    }
    process.is_root = strcmp(found, own) == 0;
    memcpy(process.run, found, sizeof process.run);
}

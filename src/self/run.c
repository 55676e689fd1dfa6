/* SPDX-License-Identifier: MIT
 *
 * STINT_ROOT, else /proc of the ancestors, as far up as they were preloaded. An ancestor's initial
 * environment is a cheap sign (some 15 µs), its mappings the proof. Runs once at the start. */
#include "self/run.h"

#include "base/fmt.h"
#include "base/sys.h"
#include "self/identity.h"

#include <string.h>
#include <time.h>

enum { MOST_ANCESTORS = 16 };

static void name_run(char run[RUN_BYTES], uint32_t pid, uint64_t start_time)
{
    struct fmt out = fmt_over(run, RUN_BYTES);
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
    return second && !text[first + 1 + second] && first + second + 1 < RUN_BYTES;
}

static uint64_t clock_ns(long clock)
{
    struct timespec now = {0};
    (void)sys_call2(SYS_clock_gettime, clock, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t run_started_unix_ns(const char run[RUN_BYTES])
{
    enum { TICK_NS = 10000000 }; /* of /proc/pid/stat, on every machine */
    const char *at = strchr(run, ':');
    uint64_t ticks = 0;
    while (at && *++at >= '0' && *at <= '9') ticks = ticks * 10 + (uint64_t)(*at - '0');
    return clock_ns(CLOCK_REALTIME) - clock_ns(CLOCK_BOOTTIME) + ticks * TICK_NS;
}

static bool is_preloaded(uint32_t pid, const char *library)
{
    const char *slash = strrchr(library, '/');
    return slash && identity_file_mentions(pid, "environ", slash + 1, NULL, 1) &&
           identity_file_mentions(pid, "maps", slash, NULL, 1);
}

/* The topmost ancestor's, or what it was told itself. False where the parent is not under stint. */
static bool ask_ancestors(char run[RUN_BYTES], uint32_t pid, const char *library)
{
    bool is_found = false;
    pid = identity_stat(pid).parent_pid;
    for (int i = 0; i < MOST_ANCESTORS && pid > 1 && is_preloaded(pid, library); i++) {
        struct identity_stat stat = identity_stat(pid);
        char told[RUN_BYTES];
        is_found = true;
        if (identity_file_mentions(pid, "environ", "STINT_ROOT=", told, sizeof told) &&
            is_run_name(told)) {
            struct fmt out = fmt_over(run, RUN_BYTES);
            fmt_text(&out, told);
            return true;
        }
        name_run(run, pid, stat.start_time);
        pid = stat.parent_pid;
    }
    return is_found;
}

bool run_find(char run[RUN_BYTES], uint32_t pid, uint64_t start_time, const char *told,
              const char *library)
{
    char own[RUN_BYTES];
    name_run(own, pid, start_time);
    if (told && is_run_name(told)) {
        struct fmt out = fmt_over(run, RUN_BYTES);
        fmt_text(&out, told);
    } else if (!ask_ancestors(run, pid, library)) {
        memcpy(run, own, RUN_BYTES);
    }
    return strcmp(run, own) == 0;
}

/* SPDX-License-Identifier: MIT
 *
 * Choosing a clock, reading it beside CLOCK_MONOTONIC_RAW, and the rate that follows from two such
 * pairs. The vDSO serves clock_gettime, which neither locks nor allocates; the files are read with
 * raw calls. Runs in targets (signal-safe) and in the command. */
#include "clock/clock.h"

#include "base/hash.h"
#include "base/sys.h"
#include "clock/clock_hot.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>

static uint64_t read_ns(clockid_t id)
{
    struct timespec t;
    /* Can't fail for these clocks. */
    (void)clock_gettime(id, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

uint64_t clock_now(enum clock_source source)
{
    return source == CLOCK_NS ? read_ns(CLOCK_MONOTONIC) : clock_counter();
}

#if defined(__x86_64__)
enum { COUNTER = CLOCK_TSC };

/* Reads the start of a small file; returns its length, 0 on any failure. */
static size_t read_start(const char *path, char *buffer, size_t capacity)
{
    long fd = sys_call4(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
    if (fd < 0) return 0;
    size_t length = 0;
    while (length + 1 < capacity) {
        long n = sys_call3(SYS_read, fd, buffer + length, capacity - 1 - length);
        if (n <= 0) break;
        length += (size_t)n;
    }
    (void)sys_call1(SYS_close, fd);
    buffer[length] = '\0';
    return length;
}

static bool has_word(const char *text, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = strstr(text, word); at; at = strstr(at + 1, word)) {
        bool starts = at == text || at[-1] == ' ' || at[-1] == '\t';
        char after = at[length];
        if (starts && (after == ' ' || after == '\n' || after == '\0')) return true;
    }
    return false;
}

/* The first processor's flags stand within the first 4 KiB of /proc/cpuinfo. */
static bool counter_is_constant(void)
{
    char text[4096];
    if (!read_start("/proc/cpuinfo", text, sizeof text)) return false;
    return has_word(text, "constant_tsc") && has_word(text, "nonstop_tsc");
}

static bool kernel_trusts_counter(void)
{
    char text[256];
    const char *path = "/sys/devices/system/clocksource/clocksource0/available_clocksource";
    return read_start(path, text, sizeof text) && has_word(text, "tsc");
}
#else
enum { COUNTER = CLOCK_CNTVCT };

/* The architecture's generic timer counts at a constant rate by definition (Arm ARM, D11). */
static bool counter_is_constant(void) { return true; }
static bool kernel_trusts_counter(void) { return true; }
#endif

enum clock_source clock_choose(enum clock_wish wish)
{
    if (wish == CLOCK_WISH_MONOTONIC) return CLOCK_NS;
    if (wish == CLOCK_WISH_TSC) return (enum clock_source)COUNTER;
    if (counter_is_constant() && kernel_trusts_counter()) return (enum clock_source)COUNTER;
    return CLOCK_NS;
}

struct clock_pair clock_read_pair(enum clock_source source)
{
    struct clock_pair best = {.error_ns = UINT64_MAX};
    /* An interruption widens a bracket; the narrowest of a few is free of them. */
    for (int i = 0; i < 8; i++) {
        uint64_t before = read_ns(CLOCK_MONOTONIC_RAW);
        uint64_t ticks = clock_now(source);
        uint64_t after = read_ns(CLOCK_MONOTONIC_RAW);
        uint64_t error_ns = (after - before + 1) / 2;
        if (error_ns >= best.error_ns) continue;
        best = (struct clock_pair){before + (after - before) / 2, ticks, error_ns};
    }
    return best;
}

struct clock_rate clock_rate(enum clock_source source, struct clock_pair first,
                             struct clock_pair last)
{
    if (source == CLOCK_NS) return (struct clock_rate){1e9, 0};
    if (last.raw_ns <= first.raw_ns || last.ticks <= first.ticks) return (struct clock_rate){0, 0};
    double ns = (double)(last.raw_ns - first.raw_ns);
    struct clock_rate rate;
    rate.ticks_per_second = (double)(last.ticks - first.ticks) * 1e9 / ns;
    rate.error_ppm = (double)(first.error_ns + last.error_ns) / ns * 1e6;
    return rate;
}

uint64_t clock_boot_id(void)
{
    char text[64];
    long length;
    long fd =
        sys_call4(SYS_openat, AT_FDCWD, "/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC, 0);
    if (fd < 0) return 0;
    do length = sys_call3(SYS_read, fd, text, sizeof text);
    while (length == -EINTR);
    (void)sys_call1(SYS_close, fd); /* read only */
    return length > 0 ? hash_bytes(text, (size_t)length) : 0;
}

/* SPDX-License-Identifier: MIT
 *
 * What include/stint/stint.h calls: one exported function that gives a table of all others, so that
 * nothing is bound by name. Each entry is thin: it asks the rooms that do the work, and keeps
 * errno. Runs in any thread, before main and after it. */
#include "base/compiler.h"
#include "base/fmt.h"
#include "base/sys.h"
#include "life/finish.h"
#include "life/start.h"
#include "life/thread.h"
#include "record/control.h"
#include "record/recorder.h"

#define STINT_INSIDE_ /* we do not look for ourselves */
#include <errno.h>
#include <stint/stint.h>
#include <string.h>

/* Categories are not recorded yet. */
static stint_handle *category(const char *name) { return NULL; }
static void scope_enter(stint_handle *handle) {}
static void scope_leave(stint_handle *handle) {}
static void record(const char *name, uint64_t ns) {}
static void record_to(stint_handle *handle, uint64_t ns) {}
static void count(const char *name, int64_t n) {}
static void count_to(stint_handle *handle, int64_t n) {}
static void value(const char *name, const char *unit, double x) {}
static void value_to(stint_handle *handle, const char *unit, double x) {}
static void start_frame(const char *kind) {}
static void end_frame(const char *kind) {}

/* Where relative names begin: the process's directory as it is now. */
static int absolute(const char *path, char *name, size_t capacity)
{
    struct fmt out = fmt_over(name, capacity);
    if (path[0] != '/') {
        long length = sys_call2(SYS_getcwd, name, capacity);
        if (length < 0) return (int)length;
        if (name[0] != '/') return -ENOENT; /* no longer within the root */
        out.length = strlen(name);
        if (out.length > 1) fmt_char(&out, '/');
    }
    fmt_text(&out, path);
    return out.cut ? -ENAMETOOLONG : 0;
}

static int save_report(const char *path)
{
    char name[4096];
    int saved = errno;
    int error = path ? absolute(path, name, sizeof name) : 0;
    if (!error) error = finish_snapshot(path ? name : NULL);
    errno = saved;
    return error;
}

static void fiber_enter(const void *low, size_t bytes)
{
    if (!recorder_of_thread() && !thread_attach()) return;
    recorder_set_fiber((uintptr_t)low, (uintptr_t)low + bytes);
}

static void fiber_leave(void) { recorder_set_fiber(0, 0); }

static const struct stint_table table = {
    .version = STINT_VERSION,
    .bytes = sizeof(struct stint_table),
    .category = category,
    .scope_enter = scope_enter,
    .scope_leave = scope_leave,
    .record = record,
    .record_to = record_to,
    .count = count,
    .count_to = count_to,
    .value = value,
    .value_to = value_to,
    .start_frame = start_frame,
    .end_frame = end_frame,
    .save_report = save_report,
    .pause = control_pause,
    .resume = control_resume,
    .pause_thread = control_pause_thread,
    .resume_thread = control_resume_thread,
    .thread_name = thread_set_name,
    .fiber_enter = fiber_enter,
    .fiber_leave = fiber_leave,
};

EXPORT const struct stint_table *stint_bind(uint32_t version, uint32_t bytes);

/* A program whose header knows more than this library gets nothing rather than less than it calls.
 */
EXPORT const struct stint_table *stint_bind(uint32_t version, uint32_t bytes)
{
    if (version != STINT_VERSION || bytes > sizeof table) return NULL;
    return start_announce() ? &table : NULL;
}

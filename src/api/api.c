/* SPDX-License-Identifier: MIT
 *
 * What include/stint/stint.h calls: one exported function that gives a table of all others, so that
 * nothing is bound by name. Each entry is thin: it asks the rooms that do the work, and keeps
 * errno. Runs in any thread, before main and after it. */
#include "base/compiler.h"
#include "control/control.h"
#include "hook/scope.h"
#include "life/finish.h"
#include "life/start.h"
#include "life/thread.h"
#include "life/warn.h"
#include "record/recorder.h"

#define STINT_INSIDE_ /* we do not look for ourselves */
#include <stint/stint.h>
#include <string.h>

static uint64_t bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static void value(const char *name, const char *unit, double x)
{
    scope_value_named(name, unit, bits_of(x));
}

static void value_to(stint_handle *handle, const char *unit, double x)
{
    scope_value((struct category *)(void *)handle, unit, bits_of(x));
}

REALIGN static void fiber_enter(const void *low, size_t bytes)
{
    if (!recorder_of_thread() && !thread_attach()) return;
    recorder_set_fiber((uintptr_t)low, (uintptr_t)low + bytes);
}

static void fiber_leave(void) { recorder_set_fiber(0, 0); }

/* A handle is a category. What stands where its work is done (hook/scope.h) is called directly: one
 * more call would be a third of its cost, and would move the stack. */
static const struct stint_table table = {
    .version = STINT_VERSION,
    .bytes = sizeof(struct stint_table),
    .category = (stint_handle * (*)(const char *)) scope_category,
    .scope_enter = (void (*)(stint_handle *))scope_enter,
    .scope_leave = (void (*)(stint_handle *))scope_exit,
    .record = scope_record_named,
    .record_to = (void (*)(stint_handle *, uint64_t))scope_record,
    .count = scope_count_named,
    .count_to = (void (*)(stint_handle *, int64_t))scope_count,
    .value = value,
    .value_to = value_to,
    .start_frame = scope_lap_begin_named,
    .end_frame = scope_lap_end_named,
    .save_report = finish_snapshot,
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
EXPORT REALIGN const struct stint_table *stint_bind(uint32_t version, uint32_t bytes)
{
    if (!start_announce()) return NULL;
    if (version == STINT_VERSION && bytes <= sizeof table) return &table;
    warn_once(WARN_NEWER_HEADER, "<stint/stint.h>");
    return NULL;
}

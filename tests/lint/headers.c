/* SPDX-License-Identifier: MIT
 *
 * The public header alone, in the oldest C that it promises: all that it has is used once. Compiled
 * by headers.sh, never linked. */
#include <stint/stint.h>

int alone(int n);

static void scopes(int n)
{
    STINT_FUNC();
    STINT_SCOPE("outer");
    stint_handle *handle = stint_category("by handle");
    for (int i = 0; i < n; i++) {
        STINT_SCOPE("inner");
        STINT_SCOPE_OF(handle);
        if (i == 3) break;
        STINT_MEASURE("measured") STINT_MEASURE("twice")
        {
            if (i == 1) continue;
            stint_count("rounds", 1);
        }
    }
    stint_scope_begin("by hand");
    stint_scope_end("by hand");
    stint_scope_begin_of(handle);
    stint_scope_end_of(handle);
    stint_record_to(handle, 5);
    stint_count_to(handle, -5);
    stint_value_to(handle, 0, 0.5);
}

int alone(int n)
{
    STINT_FUNC_AS("alone");
    stint_thread_name("a thread");
    stint_start_frame();
    stint_start_frame_as("tick");
    if (n) STINT_MEASURE("in an if") scopes(n);
    stint_record("duration", 1000);
    stint_value("size", "bytes", 1.5);
    stint_end_frame_as("tick");
    stint_end_frame();
    stint_pause(), stint_resume(), stint_pause_thread(), stint_resume_thread();
    stint_fiber_enter(&n, sizeof n);
    stint_fiber_leave();
    return stint_save_report("report.json");
}

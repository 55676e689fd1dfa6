/* SPDX-License-Identifier: MIT
 *
 * All of a report at a glance. Runs in `stint`. */
#include "verb/exitcode.h"
#include "view/display.h"

int display_report(const struct display *display)
{
    if (display->is_json) return display_functions(display);
    display_head(display);
    int status = display_functions(display);
    if (status == EXITCODE_OK) display_extras(display);
    return status;
}

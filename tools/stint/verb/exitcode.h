/* SPDX-License-Identifier: MIT
 *
 * What `stint` ends with. `stint run` hands on the command's own status instead, and 126 or 127
 * where it could not be started, as shells do. */
#pragma once

enum exitcode {
    EXITCODE_OK = 0,
    EXITCODE_DIFFERENCE = 1, /* a comparison found one, or a threshold was passed */
    EXITCODE_USAGE = 2,
    EXITCODE_BAD_INPUT = 3, /* or an output that can't be written */
    EXITCODE_NOT_EXECUTABLE = 126,
    EXITCODE_NOT_FOUND = 127,
};

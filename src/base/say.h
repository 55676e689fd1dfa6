/* SPDX-License-Identifier: MIT
 *
 * One line to stderr in one write(2), so that lines of several processes do not mix. */
#pragma once

/* Writes "stint: ", the NULL-terminated list of texts, and a newline to descriptor 2; cut at 1 KiB,
 * control characters shown as '?'. Errors are ignored (there is nobody to tell). Blocks SIGPIPE's
 * effect: a SIGPIPE that the write raised is taken back. Context: any thread, signal-safe. */
void say_line(const char *text, ...) __attribute__((sentinel));

/* SPDX-License-Identifier: MIT
 *
 * A page that is drawn again and again in place, on a terminal, and the keys that end it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Takes the terminal of standard output: another screen, no cursor, keys at once. Signals that end
 * a program, and q, are noted from now on. */
void terminal_begin(void);

/* Gives it back as it was. A signal that was noted, but for SIGINT, is then raised again. */
void terminal_end(void);

/* Draws the page over the last one. */
void terminal_draw(const char *page, size_t bytes);

/* Waits so long, or until the size changes. False when the user has had enough. */
bool terminal_wait(uint64_t ns);

/* Lines of the terminal; 24 where it does not say. */
size_t terminal_lines(void);

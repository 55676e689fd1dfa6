/* SPDX-License-Identifier: MIT
 *
 * The store's head: what a reader is told of the process, filled when the store has been made. */
#pragma once

/* Copies the arguments (the first 32 KiB of them) before the target overwrites them.
 * Context: constructor. */
void head_keep_arguments(int argc, char *const *argv);

/* Fills process.store's head and sets the recorders' options.
 * Context: start_recording's winner, signal-safe. */
void head_fill(void);

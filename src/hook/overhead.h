/* SPDX-License-Identifier: MIT
 *
 * What one call costs under stint on this machine, measured by calling the hooks. */
#pragma once

/* Measures once a process, at the first thread's attachment, and notes it in the store's head; some
 * 50 µs. Context: slow path, right after the thread attached. */
void overhead_measure(void);

/* SPDX-License-Identifier: MIT
 *
 * Which run this process belongs to: its own, as the first of it, or an ancestor's. */
#pragma once

/* Fills process.run and process.is_root from process.pid and start_time; `told` is STINT_ROOT's
 * value or NULL. Without it the process may still be a descendant: system and popen hand on the
 * plain environment, so the ancestors are asked whether they run under stint too. Context:
 * start-up, or a forked child. */
void run_find(const char *told);

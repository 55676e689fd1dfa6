/* SPDX-License-Identifier: MIT
 *
 * Durations for the eye. */
#pragma once

/* A duration as tables show it: "47 ns", "1.25 µs", "312 ms", "12.0 s"; at most 15 bytes with the
 * NUL. Context: outside. */
void summary_time(double ms, char text[16]);

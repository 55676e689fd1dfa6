/* SPDX-License-Identifier: MIT
 *
 * Where a report shall go, looked at beforehand: a program that ran for hours should not end
 * without one. */
#pragma once

/* Why no report can be written under this name, or NULL where one can, as far as can be seen. */
const char *place_fault(const char *name);

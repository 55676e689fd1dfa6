/* SPDX-License-Identifier: MIT
 *
 * A report as one self-contained page: flame graph, tables, histograms, frames. */
#pragma once

#include "intake/document.h"

#include <stdio.h>

/* False without memory; what could not be written shows in ferror(out). */
bool html_write(const struct document *document, FILE *out);

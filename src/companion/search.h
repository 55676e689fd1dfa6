/* SPDX-License-Identifier: MIT
 *
 * Functions of an object file by name, for STINT_FRAME_FUNCTION. */
#pragma once

#include "contract/report.h"

/* See report_table.search. */
size_t search_functions(const struct report_search *search);

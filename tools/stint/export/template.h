/* SPDX-License-Identifier: MIT
 *
 * The page without data, bundled from page/ and put into the program at build time. */
#pragma once

#include <stddef.h>

extern const char template_page[];
extern const size_t template_bytes;

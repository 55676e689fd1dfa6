/* SPDX-License-Identifier: MIT
 *
 * Heap memory for verbs that can't go on without: where there is none, one line is said and `stint`
 * ends with status 3. Not to be used while a file is half-written. */
#pragma once

#include <stddef.h>

/* Zeroed; to be freed. */
void *memory_new(size_t count, size_t size);

/* Room for one more after `used`: where the array is full it doubles, and moves. *room is how many
 * fit. */
void *memory_grow(void *array, size_t used, size_t *room, size_t size);

/* A NUL-terminated copy; to be freed. */
char *memory_text(const char *text, size_t length);

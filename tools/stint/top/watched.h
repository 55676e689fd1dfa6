/* SPDX-License-Identifier: MIT
 *
 * Which store a user means by a process id or a path. */
#pragma once

#include <stdbool.h>

/* The path of the store of a running process of this user. False: what is wrong was told in one
 * line. */
bool watched_find(const char *word, char path[4096]);

/* SPDX-License-Identifier: MIT
 *
 * The store of this process, made and described; start.c says when. */
#pragma once

#include <stdbool.h>

/* Copies what the target may overwrite later: its arguments, and the environment's word for where
 * stores belong (NULL = none). Context: start-up. */
void newstore_keep_arguments(int argc, char *const *argv);
void newstore_keep_directory(const char *directory);

/* Makes the store and fills its head; recording may begin. False where there can be none: that was
 * told. Context: the one thread that starts, signals blocked. */
bool newstore_make(void);

/* Tells the store the name of the next report, under which a killed process's is made. Context: who
 * reports; the store's start. */
void newstore_note_out(void);

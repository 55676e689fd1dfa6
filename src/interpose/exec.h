/* SPDX-License-Identifier: MIT
 *
 * The two ways into a new program that the listed forms (execl.c) share with the array forms. Not
 * by libc's names: those could be another preloaded library's. */
#pragma once

/* execve and execvpe as the program sees them. Context: any thread, signal-safe; also in a child of
 * vfork. */
int exec_path(const char *path, char *const *arguments, char *const *environment);
int exec_file(const char *file, char *const *arguments, char *const *environment);

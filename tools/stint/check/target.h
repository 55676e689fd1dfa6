/* SPDX-License-Identifier: MIT
 *
 * What can be known of a command before it runs: which file it is, what its loader would do with a
 * preloaded library, whether it calls the hooks. Only advice hangs on it; exec decides by itself.
 */
#pragma once

#include <stdbool.h>

enum target_kind {
    TARGET_UNKNOWN, /* not found, or not readable */
    TARGET_SCRIPT,
    TARGET_DYNAMIC,
    TARGET_STATIC,
    TARGET_FOREIGN, /* an executable for another word size or machine */
};

struct target {
    enum target_kind kind;
    char path[4096];
    char sanitizer[64]; /* gcc's runtime that wants to come first: "libasan.so.8"; "" = none */
    bool is_privileged; /* setuid, setgid or with capabilities for somebody else */
    bool wants_hooks;   /* imports __cyg_profile_func_enter */
};

/* Looks a command up as execvp does; false where there is none. */
bool target_find(const char *command, char path[4096]);

/* Setuid or setgid for somebody else than the caller, or with file capabilities: the loader
 * preloads nothing then. */
bool target_is_privileged(const char *path);

/* Looks the command up and reads what it finds. */
void target_inspect(const char *command, struct target *target);

/* Why nothing was recorded, and what to do: one sentence that follows the command's name. */
const char *target_excuse(const struct target *target);

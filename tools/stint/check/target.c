/* SPDX-License-Identifier: MIT
 *
 * PATH → file → what binary.c reads there. Runs in `stint`. */
#include "check/target.h"

#include "check/binary.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

static bool is_program(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode) && access(path, X_OK) == 0;
}

bool target_find(const char *command, char path[4096])
{
    if (strchr(command, '/')) return snprintf(path, 4096, "%s", command) < 4096;
    const char *at = getenv("PATH");
    if (!at) at = "/bin:/usr/bin"; /* execvp's own choice */
    for (;; at++) {
        size_t length = strcspn(at, ":");
        int written =
            snprintf(path, 4096, "%.*s%s%s", (int)length, at, length ? "/" : "./", command);
        if (written < 4096 && is_program(path)) return true;
        at += length;
        if (!*at) return false;
    }
}

/* Of file capabilities root gains nothing, so its loader does as ever. */
bool target_is_privileged(const char *path)
{
    struct stat status;
    char capabilities[64];
    if (stat(path, &status) != 0) return false;
    if (geteuid() != 0 &&
        getxattr(path, "security.capability", capabilities, sizeof capabilities) > 0)
        return true;
    return ((status.st_mode & S_ISUID) && status.st_uid != geteuid()) ||
           ((status.st_mode & S_ISGID) && status.st_gid != getegid());
}

void target_inspect(const char *command, struct target *target)
{
    static const enum target_kind kinds[] = {
        [BINARY_UNKNOWN] = TARGET_UNKNOWN, [BINARY_SCRIPT] = TARGET_SCRIPT,
        [BINARY_FOREIGN] = TARGET_FOREIGN, [BINARY_DAMAGED] = TARGET_FOREIGN,
        [BINARY_OBJECT] = TARGET_UNKNOWN,  [BINARY_DYNAMIC] = TARGET_DYNAMIC,
        [BINARY_STATIC] = TARGET_STATIC,   [BINARY_LIBRARY] = TARGET_STATIC,
    };
    struct binary binary;
    *target = (struct target){.kind = TARGET_UNKNOWN};
    if (!target_find(command, target->path)) return;
    target->is_privileged = target_is_privileged(target->path);
    binary_read(target->path, &binary);
    target->kind = kinds[binary.kind];
    target->wants_hooks = binary.wants_hooks;
    if (binary.kind == BINARY_DYNAMIC && !binary.is_sanitizer_linked_in)
        snprintf(target->sanitizer, sizeof target->sanitizer, "%s", binary.sanitizer);
    binary_fini(&binary);
}

const char *target_excuse(const struct target *target)
{
    if (target->is_privileged)
        return "is setuid or setgid or has file capabilities, and such programs preload nothing; "
               "run "
               "a copy that has neither";
    switch (target->kind) {
    case TARGET_SCRIPT:
        return "is a script, and no program that it ran was built with -finstrument-functions";
    case TARGET_STATIC:
        return "is linked statically, so nothing can be preloaded; link it dynamically";
    case TARGET_FOREIGN:
        return "is a program for another machine or word size than stint's";
    case TARGET_DYNAMIC:
        if (target->wants_hooks) return "calls the hooks, but no instrumented function ran";
        break;
    case TARGET_UNKNOWN:
        break;
    }
    return "does not call the hooks; build it, or its libraries, with -finstrument-functions";
}

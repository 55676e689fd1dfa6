/* SPDX-License-Identifier: MIT
 *
 * A name → its directory → may a file be made there. What is no ordinary file takes the report in
 * place. Runs in `stint`. */
#include "verb/place.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int directory_error(const char *name)
{
    char directory[PATH_MAX] = ".";
    struct stat status;
    const char *slash = strrchr(name, '/');
    int length = slash ? snprintf(directory, sizeof directory, "%.*s",
                                  slash > name ? (int)(slash - name) : 1, name)
                       : 1;
    if (length >= (int)sizeof directory) return ENAMETOOLONG;
    if (stat(directory, &status) != 0) return errno;
    if (!S_ISDIR(status.st_mode)) return ENOTDIR;
    return faccessat(AT_FDCWD, directory, W_OK | X_OK, AT_EACCESS) == 0 ? 0 : errno;
}

const char *place_fault(const char *name)
{
    struct stat status;
    int is_there = stat(name, &status) == 0;
    if (is_there && S_ISDIR(status.st_mode)) return "is a directory";
    if (is_there && !S_ISREG(status.st_mode)) return NULL;
    int error = directory_error(name);
    return error == 0 ? NULL : error == ENOENT ? "no such directory" : strerror(error);
}

/* SPDX-License-Identifier: MIT
 *
 * The exec functions whose arguments are listed in the call: put into an array on the stack, as
 * libc itself does, and handed to their array twins. */
#include "base/compiler.h"
#include "interpose/exec.h"

#include <alloca.h>
#include <stdarg.h>
#include <stddef.h>
#include <unistd.h>

/* How many arguments there are, the first included. */
static size_t count(const char *first, va_list rest)
{
    size_t n = 0;
    for (const char *at = first; at; at = va_arg(rest, const char *)) n++;
    return n;
}

/* Fills array[0 … count], the NULL included. */
static void fill(char **array, const char *first, va_list rest)
{
    size_t n = 0;
    for (char *at = (char *)first; at; at = va_arg(rest, char *)) array[n++] = at;
    array[n] = NULL;
}

EXPORT int execl(const char *path, const char *argument, ...)
{
    va_list list;
    va_start(list, argument);
    char **array = alloca((count(argument, list) + 1) * sizeof *array);
    va_end(list);
    va_start(list, argument);
    fill(array, argument, list);
    va_end(list);
    return exec_path(path, array, environ);
}

EXPORT int execlp(const char *file, const char *argument, ...)
{
    va_list list;
    va_start(list, argument);
    char **array = alloca((count(argument, list) + 1) * sizeof *array);
    va_end(list);
    va_start(list, argument);
    fill(array, argument, list);
    va_end(list);
    return exec_file(file, array, environ);
}

EXPORT int execle(const char *path, const char *argument, ...)
{
    va_list list;
    va_start(list, argument);
    char **array = alloca((count(argument, list) + 1) * sizeof *array);
    va_end(list);
    va_start(list, argument);
    char **to = array;
    for (char *at = (char *)argument; at; at = va_arg(list, char *)) *to++ = at;
    *to = NULL;
    char *const *environment = va_arg(list, char *const *);
    va_end(list);
    return exec_path(path, array, environment);
}

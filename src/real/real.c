/* SPDX-License-Identifier: MIT
 *
 * Looking up the next functions. Everybody who comes before the table is whole fills it himself:
 * the answers are the same, so racing threads and a nested call (dlsym may allocate, and the
 * allocator may be instrumented) only do work twice. */
#include "real/real.h"

#include "base/compiler.h"
#include "base/sys.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>

static struct real table;
static bool is_resolved;

static void raw_exit(int status)
{
    for (;;) (void)sys_call1(SYS_exit_group, status);
}

static int result_of(long result)
{
    if (result >= 0) return (int)result;
    errno = (int)-result;
    return -1;
}

static int raw_execve(const char *path, char *const *arguments, char *const *environment)
{
    return result_of(sys_call3(SYS_execve, path, arguments, environment));
}

static int raw_execveat(int directory, const char *path, char *const *arguments,
                        char *const *environment, int flags)
{
    return result_of(sys_call6(SYS_execveat, directory, (long)path, (long)arguments,
                               (long)environment, flags, 0));
}

static int raw_sigaltstack(const stack_t *stack, stack_t *old)
{
    return result_of(sys_call2(SYS_sigaltstack, stack, old));
}

/* What is one system call is there even where no library has it. */
static void fill_gaps(void)
{
    if (!table._exit) table._exit = raw_exit;
    if (!table._Exit) table._Exit = raw_exit;
    if (!table.execve) table.execve = raw_execve;
    if (!table.execveat) table.execveat = raw_execveat;
    if (!table.sigaltstack) table.sigaltstack = raw_sigaltstack;
}

static void *find(const char *name) { return dlsym(RTLD_NEXT, name); }

COLD static void resolve(void)
{
    static const struct {
        const char *name;
        void **field;
    } entries[] = {
#define X(result, name, parameters) {#name, (void **)&table.name},
        REAL_LIST(X)
#undef X
    };
    int saved = errno;
    bool is_any_missing = false;
    for (size_t i = 0; i < COUNT_OF(entries); i++) {
        void *found = find(entries[i].name);
        if (found) __atomic_store_n(entries[i].field, found, __ATOMIC_RELAXED);
        is_any_missing |= !found;
    }
    if (is_any_missing) (void)dlerror(); /* not the target's business */
    fill_gaps();
    /* Pairs with the acquire in real(). */
    __atomic_store_n(&is_resolved, true, __ATOMIC_RELEASE);
    errno = saved;
}

const struct real *real(void)
{
    if (UNLIKELY(!__atomic_load_n(&is_resolved, __ATOMIC_ACQUIRE))) resolve();
    return &table;
}

void *real_symbol(void *library, const char *name)
{
    return dlsym(library ? library : RTLD_DEFAULT, name);
}

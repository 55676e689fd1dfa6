/* SPDX-License-Identifier: MIT
 *
 * dlopen and dlclose: the list of loaded objects follows. The loader searches a bare name along the
 * RUNPATH of the object that calls, which a calling wrapper would be; so where the caller can
 * matter, the real function is jumped to (jump.h), and what it loaded is noticed at the next safe
 * point: another dlopen, a dlclose, a new thread, an end. Elsewhere it is called, and looked at at
 * once. */
#include "base/compiler.h"
#include "interpose/jump.h"
#include "life/companion.h"
#include "life/lapnames.h"
#include "life/modules.h"
#include "life/snapshot.h"
#include "life/start.h"
#include "real/real.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdint.h>

static bool stands_aside(void)
{
    return !start_process() || process.is_off || start_is_vfork_child();
}

static void look(void)
{
    int saved = errno;
    modules_rescan();
    companion_prepare();
    snapshot_prepare();
    lapnames_look();
    errno = saved;
}

static void *dlopen_and_look(const char *name, int flags)
{
    void *handle = real()->dlopen(name, flags);
    if (handle) look(); /* else dlerror's message is the program's to read */
    return handle;
}

static void *dlmopen_and_look(long list, const char *name, int flags)
{
    void *handle = real()->dlmopen(list, name, flags);
    if (handle) look();
    return handle;
}

void *jump_dlopen(const char *name, int flags, void *unused, void *caller)
{
    if (stands_aside()) return (void *)real()->dlopen;
    if (!modules_caller_matters(name, (uintptr_t)caller)) return (void *)dlopen_and_look;
    modules_note_change();
    return (void *)real()->dlopen;
}

/* Objects of another list have their own libc and never call our hooks. */
void *jump_dlmopen(long list, const char *name, int flags, void *caller)
{
    if (stands_aside() || list != LM_ID_BASE) return (void *)real()->dlmopen;
    if (!modules_caller_matters(name, (uintptr_t)caller)) return (void *)dlmopen_and_look;
    modules_note_change();
    return (void *)real()->dlmopen;
}

EXPORT int dlclose(void *handle)
{
    if (stands_aside()) return real()->dlclose(handle);
    int saved = errno;
    modules_catch_up(); /* what goes now must have been seen */
    errno = saved;
    int result = real()->dlclose(handle);
    saved = errno;
    modules_rescan();
    lapnames_look();
    errno = saved;
    return result;
}

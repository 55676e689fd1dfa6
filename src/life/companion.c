/* SPDX-License-Identifier: MIT
 *
 * dlopen of libstint-report.so by absolute path, once. Alone in this room to call the loader's
 * dlopen, through the real one: our own wrapper has nothing to note here. Runs in safe places only.
 */
#include "life/companion.h"

#include "base/compiler.h"
#include "base/fmt.h"
#include "base/sys.h"
#include "life/modules.h"
#include "life/start.h"
#include "life/warn.h"
#include "real/real.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>

enum { GUARD_BYTES = 4096 };
#define COMPANION_NAME "libstint-report.so"

static const struct report_table *table;
static uint8_t *stack_top;
static uint32_t was_tried;

static bool beside_ourselves(char *path, size_t capacity)
{
    const char *slash = strrchr(process.library, '/');
    if (!slash) return false;
    struct fmt out = fmt_over(path, capacity);
    fmt_bytes(&out, process.library, (size_t)(slash + 1 - process.library));
    fmt_text(&out, COMPANION_NAME);
    return !out.cut;
}

/* Sanitizers' runtimes abort a dlopen with DEEPBIND. */
static bool has_sanitizer(void)
{
    return real_symbol(NULL, "__asan_init") || real_symbol(NULL, "__tsan_init") ||
           real_symbol(NULL, "__msan_init");
}

static bool map_stack(void)
{
    const long bytes = GUARD_BYTES + COMPANION_STACK_BYTES;
    long at = sys_call6(SYS_mmap, 0, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (at < 0 && at > -4096) return false;
    if (sys_call3(SYS_mprotect, at, GUARD_BYTES, PROT_NONE)) {
        (void)sys_call2(SYS_munmap, at, bytes);
        return false;
    }
    stack_top = (uint8_t *)at + bytes;
    return true;
}

COLD static const struct report_table *open_table(void)
{
    static char path[4200]; /* of the one thread that tries */
    if (!beside_ourselves(path, sizeof path)) {
        warn_once(WARN_COMPANION, COMPANION_NAME);
        return NULL;
    }
    int flags = RTLD_NOW | RTLD_LOCAL | (has_sanitizer() ? 0 : RTLD_DEEPBIND);
    void *library = real()->dlopen(path, flags);
    const char *reason = library ? NULL : dlerror();
    void *symbol = library ? real_symbol(library, CONTRACT_SYMBOL) : NULL;
    const struct report_table *(*ask)(uint32_t);
    memcpy(&ask, &symbol, sizeof ask);
    const struct report_table *found = symbol ? ask(CONTRACT_VERSION) : NULL;
    if (found && map_stack()) return found;
    warn_once(WARN_COMPANION, reason ? reason : path);
    return NULL;
}

COLD void companion_open(void)
{
    if (process.is_off || __atomic_exchange_n(&was_tried, 1, __ATOMIC_ACQ_REL)) return;
    int saved = errno;
    const struct report_table *found = open_table();
    /* Pairs with the acquire below: stack_top is set before. */
    __atomic_store_n(&table, found, __ATOMIC_RELEASE);
    (void)dlerror(); /* what our look-ups left would be told to the target */
    errno = saved;
}

void companion_prepare(void)
{
    if (LIKELY(__atomic_load_n(&was_tried, __ATOMIC_RELAXED))) return;
    modules_catch_up();
    if (modules_can_record()) companion_open();
}

const struct report_table *companion_table(void)
{
    return __atomic_load_n(&table, __ATOMIC_ACQUIRE);
}

void *companion_stack_top(void) { return companion_table() ? stack_top : NULL; }

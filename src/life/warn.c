/* SPDX-License-Identifier: MIT
 *
 * The lines that stint may say inside a target, each at most once. Runs anywhere. */
#include "life/warn.h"

#include "base/compiler.h"
#include "base/say.h"
#include "base/sys.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

static uint32_t said; /* a bit a kind */
static struct {
    bool is_known;
    dev_t device;
    ino_t inode;
} standard_error;

static const struct {
    const char *before, *after;
} lines[WARN_KINDS] = {
#define X(kind, before, after) [kind] = {before, after},
    WARN_KINDS_LIST(X)
#undef X
};
_Static_assert(WARN_KINDS <= 32, "a bit a kind");

void warn_init(void)
{
    struct stat file;
    if (sys_call2(SYS_fstat, 2, &file)) return;
    standard_error.is_known = true;
    standard_error.device = file.st_dev;
    standard_error.inode = file.st_ino;
}

static bool is_still_standard_error(void)
{
    struct stat file;
    if (!standard_error.is_known || sys_call2(SYS_fstat, 2, &file)) return false;
    return file.st_dev == standard_error.device && file.st_ino == standard_error.inode;
}

COLD void warn_once(enum warn_kind kind, const char *detail)
{
    uint32_t bit = UINT32_C(1) << kind;
    if (__atomic_fetch_or(&said, bit, __ATOMIC_RELAXED) & bit) return;
    if (!is_still_standard_error()) return;
    say_line(lines[kind].before, detail, lines[kind].after, (char *)0);
}

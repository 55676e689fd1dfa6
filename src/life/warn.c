/* SPDX-License-Identifier: MIT
 *
 * The lines that stint may say inside a target, each at most once. Runs anywhere. */
#include "life/warn.h"

#include "base/compiler.h"
#include "base/say.h"

#include <stdint.h>

static uint32_t said; /* a bit a kind */

static const struct {
    const char *before, *after;
} lines[WARN_KINDS] = {
#define X(kind, before, after) [kind] = {before, after},
    WARN_KINDS_LIST(X)
#undef X
};
_Static_assert(WARN_KINDS <= 32, "a bit a kind");

COLD void warn_once(enum warn_kind kind, const char *detail)
{
    uint32_t bit = UINT32_C(1) << kind;
    if (__atomic_fetch_or(&said, bit, __ATOMIC_RELAXED) & bit) return;
    say_line(lines[kind].before, detail, lines[kind].after, (char *)0);
}

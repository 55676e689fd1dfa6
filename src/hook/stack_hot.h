/* SPDX-License-Identifier: MIT
 *
 * Where the stack stands in a hook. Only compared with other such values and with bounds, so that
 * the hook's own few bytes do not matter. */
#pragma once

#include <stdint.h>

#if defined(__x86_64__)
register uintptr_t stack_pointer_ __asm__("rsp");
#else
register uintptr_t stack_pointer_ __asm__("sp");
#endif

static inline __attribute__((always_inline)) uintptr_t stack_address(void)
{
    return stack_pointer_;
}

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

/* What stack_address() is at the entry of a function, whatever it pushed since: a hook and the
 * functions that it jumps to say the same. */
static inline __attribute__((always_inline)) uintptr_t stack_address_at_entry(void)
{
#if defined(__x86_64__)
    return (uintptr_t)__builtin_dwarf_cfa() - sizeof(void *); /* the return address */
#else
    return (uintptr_t)__builtin_dwarf_cfa();
#endif
}

/* The same for a way that is seldom taken: read anew there, it costs the straight line no register.
 */
static inline __attribute__((always_inline)) uintptr_t stack_address_anew(void)
{
    uintptr_t address;
#if defined(__x86_64__)
    __asm__ volatile("mov %%rsp, %0" : "=r"(address));
#else
    __asm__ volatile("mov %0, sp" : "=r"(address));
#endif
    return address;
}

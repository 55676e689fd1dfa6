/* SPDX-License-Identifier: MIT
 *
 * Chunks of stacks, each with a word of bits that tells which are taken; no lock, so a signal
 * handler may attach its thread. Memory is touched by a signal alone. Runs in the owner thread. */
#include "signals/altstack.h"

#include "base/compiler.h"
#include "base/sys.h"

#include <stddef.h>
#include <sys/mman.h>

enum { CHUNK_STACKS = 32, CHUNK_BYTES = CHUNK_STACKS * ALTSTACK_BYTES, CHUNKS = 2048 };

static struct {
    uint8_t *stacks; /* NULL until first needed; never unmapped */
    uint32_t taken;
} chunks[CHUNKS];

static __thread struct {
    uint8_t *stack; /* NULL = none */
    bool is_busy;   /* a signal's frame may lie on it though it is not armed, or not all */
} own;

static uint8_t *map_chunk(uint32_t chunk)
{
    uint8_t *stacks = __atomic_load_n(&chunks[chunk].stacks, __ATOMIC_ACQUIRE);
    if (stacks) return stacks;
    long at = sys_call6(SYS_mmap, 0, CHUNK_BYTES, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at < 0 && at > -4096) return NULL;
    if (__atomic_compare_exchange_n(&chunks[chunk].stacks, &stacks, (uint8_t *)at, false,
                                    __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        return (uint8_t *)at;
    (void)sys_call2(SYS_munmap, at, CHUNK_BYTES); /* another thread was first */
    return stacks;
}

static uint8_t *take_stack(void)
{
    for (uint32_t chunk = 0; chunk < CHUNKS; chunk++) {
        uint32_t taken = __atomic_load_n(&chunks[chunk].taken, __ATOMIC_RELAXED);
        while (~taken) {
            uint32_t free = (uint32_t)__builtin_ctz(~taken);
            if (!__atomic_compare_exchange_n(&chunks[chunk].taken, &taken, taken | 1u << free,
                                             false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
                continue;
            uint8_t *stacks = map_chunk(chunk);
            if (stacks) return stacks + (size_t)free * ALTSTACK_BYTES;
            __atomic_fetch_and(&chunks[chunk].taken, ~(1u << free), __ATOMIC_RELEASE);
            return NULL;
        }
    }
    return NULL;
}

static void give_back(const uint8_t *stack)
{
    for (uint32_t chunk = 0; chunk < CHUNKS; chunk++) {
        const uint8_t *stacks = chunks[chunk].stacks;
        if (!stacks || stack < stacks || stack >= stacks + CHUNK_BYTES) continue;
        uint32_t bit = 1u << ((size_t)(stack - stacks) / ALTSTACK_BYTES);
        __atomic_fetch_and(&chunks[chunk].taken, ~bit, __ATOMIC_RELEASE);
        return;
    }
}

static bool has_none(void)
{
    stack_t now;
    return !sys_call2(SYS_sigaltstack, NULL, &now) && (now.ss_flags & SS_DISABLE);
}

static bool arm(uint8_t *stack, size_t bytes)
{
    stack_t ours = {.ss_sp = stack, .ss_size = bytes};
    return !sys_call2(SYS_sigaltstack, &ours, NULL);
}

void altstack_rearm(void)
{
    if (own.stack && !own.is_busy && has_none()) (void)arm(own.stack, ALTSTACK_BYTES);
}

void altstack_attach(void)
{
    if (own.stack) {
        altstack_rearm();
        return;
    }
    if (!has_none()) return;
    uint8_t *stack = take_stack();
    if (!stack) return;
    own.stack = stack;
    SIGNAL_FENCE(); /* a signal that comes on it must know it as ours */
    if (arm(stack, ALTSTACK_BYTES)) return;
    own.stack = NULL;
    give_back(stack);
}

void altstack_retire(void)
{
    stack_t now;
    uint8_t *stack = own.stack;
    if (!stack || own.is_busy) return;
    if (!sys_call2(SYS_sigaltstack, NULL, &now) && altstack_is_ours(&now)) {
        stack_t none = {.ss_flags = SS_DISABLE};
        if (sys_call2(SYS_sigaltstack, &none, NULL)) return; /* we run on it */
    }
    own.stack = NULL;
    give_back(stack);
}

bool altstack_is_ours(const stack_t *stack)
{
    return own.stack && !(stack->ss_flags & SS_DISABLE) && stack->ss_sp == own.stack;
}

bool altstack_holds(const void *address)
{
    return own.stack && (uintptr_t)address - (uintptr_t)own.stack < ALTSTACK_BYTES;
}

void altstack_lower(uint8_t *used)
{
    enum { ENOUGH = 8192 };
    size_t left = (size_t)(used - own.stack) & ~(size_t)63;
    stack_t none = {.ss_flags = SS_DISABLE};
    own.is_busy = true;
    if (left < ENOUGH || !arm(own.stack, left)) (void)sys_call2(SYS_sigaltstack, &none, NULL);
}

void altstack_handler_returns(void) { own.is_busy = false; }

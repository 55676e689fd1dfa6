/* SPDX-License-Identifier: MIT
 *
 * A program with a malloc of its own, instrumented, that cannot bear to be entered twice: stint
 * must call it from nowhere, least of all from a hook inside it. */
#include "truth.h"

static char pool[1 << 20];
static size_t used;
static int inside;

NOINLINE static void enter(void)
{
    CALLED(enter);
    if (__atomic_exchange_n(&inside, 1, __ATOMIC_ACQUIRE)) __builtin_trap();
}

NOINLINE static void leave(void)
{
    CALLED(leave);
    __atomic_store_n(&inside, 0, __ATOMIC_RELEASE);
}

void *malloc(size_t bytes)
{
    CALLED(malloc);
    enter();
    used = (used + 31) & ~(size_t)15;
    void *block = used + bytes > sizeof pool ? NULL : pool + used;
    if (block) memcpy((char *)block - 8, &bytes, 8);
    used += bytes;
    leave();
    return block;
}

void free(void *block)
{
    CALLED(free);
    enter();
    leave();
}

void *calloc(size_t n, size_t bytes)
{
    CALLED(calloc);
    void *block = malloc(n * bytes);
    return block ? memset(block, 0, n * bytes) : NULL;
}

void *realloc(void *old, size_t bytes)
{
    CALLED(realloc);
    size_t had = 0;
    if (old) memcpy(&had, (char *)old - 8, 8);
    void *block = malloc(bytes);
    if (block && old) memcpy(block, old, had < bytes ? had : bytes);
    return block;
}

int main(int argc, char **argv)
{
    CALLED(main);
    for (int i = 0; i < 200; i++) {
        void *volatile block = malloc(100);
        free(block);
    }
    truth_tell();
    if (argc > 1) {
        enter();
        *(volatile int *)NULL = 1;
    }
    _exit(0);
}

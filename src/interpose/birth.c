/* SPDX-License-Identifier: MIT
 *
 * A pool of births on their way from pthread_create's caller to the trampoline: pages of slots,
 * each page with a bit map, linked for ever. Claimed and freed by single atomic operations, so it
 * works in any context and takes no lock. */
#include "interpose/birth.h"

#include "base/compiler.h"
#include "base/sys.h"

#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

enum { PAGE = 4096, SLOT = 64, SLOTS = PAGE / SLOT - 1 };

struct page {
    uint64_t used; /* a bit a slot */
    struct page *next;
    uint64_t reserved[6];
    struct {
        struct thread_birth birth;
        uint8_t pad[SLOT - sizeof(struct thread_birth)];
    } slots[SLOTS];
};
_Static_assert(sizeof(struct page) == PAGE, "a slot finds its page by its address");
#define ALL_USED ((UINT64_C(1) << SLOTS) - 1)

static struct page *pages;

static struct thread_birth *claim_in(struct page *page)
{
    uint64_t used = __atomic_load_n(&page->used, __ATOMIC_RELAXED);
    while (used != ALL_USED) {
        int slot = __builtin_ctzll(~used);
        /* Pairs with the release in thread_birth_take: the former user has read it. */
        if (__atomic_compare_exchange_n(&page->used, &used, used | UINT64_C(1) << slot, true,
                                        __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
            return &page->slots[slot].birth;
    }
    return NULL;
}

COLD static struct thread_birth *claim_in_new_page(void)
{
    long at =
        sys_call6(SYS_mmap, 0, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at < 0 && at > -PAGE) return NULL;
    struct page *page = (struct page *)at;
    page->used = 1;
    page->next = __atomic_load_n(&pages, __ATOMIC_RELAXED);
    /* Pairs with the acquire in thread_birth_new. */
    while (!__atomic_compare_exchange_n(&pages, &page->next, page, true, __ATOMIC_RELEASE,
                                        __ATOMIC_RELAXED)) {
    }
    return &page->slots[0].birth;
}

struct thread_birth *thread_birth_new(const struct thread_birth *birth)
{
    struct thread_birth *slot = NULL;
    struct page *page = __atomic_load_n(&pages, __ATOMIC_ACQUIRE);
    for (; page && !slot; page = page->next) slot = claim_in(page);
    if (!slot) slot = claim_in_new_page();
    if (slot) *slot = *birth;
    return slot;
}

struct thread_birth thread_birth_take(struct thread_birth *birth)
{
    struct thread_birth copy = *birth;
    uintptr_t address = (uintptr_t)birth;
    struct page *page = (struct page *)(address & ~(uintptr_t)(PAGE - 1));
    uint64_t slot = (address - (uintptr_t)page->slots) / SLOT;
    __atomic_fetch_and(&page->used, ~(UINT64_C(1) << slot), __ATOMIC_RELEASE);
    return copy;
}

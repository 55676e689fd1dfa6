/* SPDX-License-Identifier: MIT
 *
 * The straight lines of categories: a scope's enter and exit, a duration, a count, and a name's
 * category. Inlined where programs come in and nowhere else; what is not ordinary returns false
 * before anything was changed, and the slow path starts over.
 *
 * A signal handler that records may run between any two instructions. A place among the samples is
 * claimed by one instruction; sums are changed by single instructions with a memory operand. */
#pragma once

#include "record/category.h"
#include "record/frames_hot.h"
#include "record/ring_hot.h"

#include <string.h>

/* Has the thread anything of the category? Then scope_own says where. Context: hot, owner thread.
 */
static ALWAYS_INLINE bool scope_has_own(const struct control *block,
                                        const struct category *category)
{
    /* Atomic, as pausing writes it from any thread. */
    return LIKELY(category->number < __atomic_load_n(&block->category_count, __ATOMIC_RELAXED));
}

static ALWAYS_INLINE const struct category_own *scope_own(const struct control *block,
                                                          const struct category *category)
{
    return &block->categories[category->number];
}

/* What its nodes have for an address: written once, by whichever thread needs it first. */
static ALWAYS_INLINE uint64_t scope_address(const struct category *category)
{
    return __atomic_load_n(&category->addresses[STORE_KIND_SCOPE], __ATOMIC_RELAXED);
}

/* As frames_try_enter. Context: hot, owner thread. */
static ALWAYS_INLINE bool scope_try_enter(struct control *block, const struct category *category)
{
    return frames_try_enter(block, scope_address(category));
}

enum scope_exit { SCOPE_EXIT_SLOW, SCOPE_EXIT_DONE, SCOPE_EXIT_UNKEPT };

/* short_only: as in frames_may_exit. As frames_try_exit, and the duration is kept where samples
 * are. SCOPE_EXIT_UNKEPT: it is done, but there was no room for *ticks (category_add_sample makes
 * some). Context: hot, owner thread. */
static ALWAYS_INLINE enum scope_exit scope_try_exit(struct control *block,
                                                    struct store_frame *frame,
                                                    const struct category *category, uint64_t now,
                                                    bool short_only, uint64_t *ticks)
{
    struct frames_exit exit;
    if (!scope_has_own(block, category)) return SCOPE_EXIT_SLOW;
    const struct category_own *own = scope_own(block, category);
    uint64_t address = scope_address(category);
    if (UNLIKELY(!frames_may_exit(block, frame, address, now, short_only, &exit)))
        return SCOPE_EXIT_SLOW;
    uint8_t *base = block->base;
    frames_pop(block, frame);
    *ticks = exit.ticks;
    bool is_kept = !own->scope_samples || ring_try_add(base, own->scope_samples, exit.ticks);
    frames_count(&exit); /* last: a reader that finds as many samples as exits has them all */
    return LIKELY(is_kept) ? SCOPE_EXIT_DONE : SCOPE_EXIT_UNKEPT;
}

/* One duration. Context: hot, owner thread; while busy too. */
static ALWAYS_INLINE bool scope_try_ns(struct control *block, const struct category *category,
                                       uint64_t ns)
{
    if (!scope_has_own(block, category)) return false;
    const struct category_own *own = scope_own(block, category);
    if (UNLIKELY(!own->nodes[STORE_KIND_NS])) return false;
    uint8_t *base = block->base;
    struct store_node *node = tree_node(base, own->nodes[STORE_KIND_NS]);
    if (UNLIKELY(ns < node->min_ticks) || UNLIKELY(ns > node->max_ticks)) return false;
    if (UNLIKELY(node->total_ticks + ns < ns)) return false;
    uint32_t bucket = hist_bucket(ns);
    store_ref counts = func_at(base, node->function)->blocks[bucket / STORE_BLOCK_BUCKETS];
    if (UNLIKELY(!counts)) return false;
    if (own->ns_samples && UNLIKELY(!ring_try_add(base, own->ns_samples, ns))) return false;
    SIGNAL_FENCE(); /* each of these is one instruction from here */
    node->total_ticks += ns;
    ((uint64_t *)(void *)(base + (uint64_t)counts * STORE_UNIT))[bucket % STORE_BLOCK_BUCKETS] += 1;
    node->count += 1;
    return true;
}

/* n more. Context: hot, owner thread; while busy too. */
static ALWAYS_INLINE bool scope_try_count(struct control *block, const struct category *category,
                                          int64_t n)
{
    if (!scope_has_own(block, category)) return false;
    const struct category_own *own = scope_own(block, category);
    if (UNLIKELY(!own->nodes[STORE_KIND_COUNT])) return false;
    struct store_node *node = tree_node(block->base, own->nodes[STORE_KIND_COUNT]);
    int64_t sum;
    if (UNLIKELY(__builtin_add_overflow((int64_t)node->total_ticks, n, &sum))) return false;
    SIGNAL_FENCE();
    node->total_ticks += (uint64_t)n;
    node->count += 1;
    return true;
}

/* Names seen lately, by their address; what a place says is compared by content. Filled once, so
 * that threads do not write what others read. */
enum { SCOPE_NAMES = 4096 };
extern struct category *scope_names[SCOPE_NAMES];

/* As category_make; quick for a name that comes from the same address again. Context: hot, any
 * thread, signal-safe. */
static ALWAYS_INLINE struct category *scope_named(const char *name)
{
    if (UNLIKELY(!name)) return NULL;
    uint64_t mixed = (uint64_t)(uintptr_t)name * UINT64_C(0x9e3779b97f4a7c15);
    struct category **place = &scope_names[mixed >> 52];
    struct category *category = __atomic_load_n(place, __ATOMIC_ACQUIRE);
    if (LIKELY(category) && LIKELY(!strcmp(name, category->name))) return category;
    category = category_make(name);
    struct category *none = NULL;
    if (category)
        (void)__atomic_compare_exchange_n(place, &none, category, false, __ATOMIC_RELEASE,
                                          __ATOMIC_RELAXED);
    return category;
}

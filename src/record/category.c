/* SPDX-License-Identifier: MIT
 *
 * The process's table of categories: open addressing over pointers that are set once, entries and
 * names in chunks of private memory, no lock (a child forked in the middle would inherit it). What
 * belongs to the present store is filled in when it is first asked for. Below, the slow side of
 * what a thread records under a category. Runs anywhere. */
#include "record/category.h"

#include "base/compiler.h"
#include "base/hash.h"
#include "base/sys.h"
#include "record/func.h"
#include "record/recorder.h"
#include "record/ring.h"
#include "record/scope_hot.h"
#include "record/space.h"
#include "record/tree.h"
#include "stats/hist.h"

#include <string.h>
#include <sys/mman.h>

enum { TABLE = 2 * CATEGORY_MOST, CHUNK_BYTES = 64 << 10, FIRST_OWN = 64 };

static struct category *table[TABLE];
static uint32_t numbers; /* given out */
struct category *scope_names[SCOPE_NAMES];

struct chunk {
    uint64_t used;
    uint8_t data[CHUNK_BYTES - sizeof(uint64_t)];
};
static struct chunk *newest;

static struct chunk *map_chunk(void)
{
    long at = sys_call6(SYS_mmap, 0, sizeof(struct chunk), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return at < 0 && at > -4096 ? NULL : (struct chunk *)at;
}

/* Zeroed memory for good, at most half a chunk; NULL without memory. */
static void *take(uint64_t bytes)
{
    bytes = (bytes + 63) & ~UINT64_C(63); /* what threads read shares no line with another's */
    for (;;) {
        struct chunk *chunk = __atomic_load_n(&newest, __ATOMIC_ACQUIRE);
        uint64_t at =
            chunk ? __atomic_fetch_add(&chunk->used, bytes, __ATOMIC_RELAXED) : CHUNK_BYTES;
        if (at + bytes <= sizeof chunk->data) return chunk->data + at;
        struct chunk *more = map_chunk();
        if (!more) return NULL;
        if (!__atomic_compare_exchange_n(&newest, &chunk, more, false, __ATOMIC_ACQ_REL,
                                         __ATOMIC_RELAXED))
            (void)sys_call2(SYS_munmap, more, sizeof *more);
    }
}

/* Its addresses before the present store has its name: no node has them. */
static uint64_t nameless(uint32_t number, uint32_t kind)
{
    return STORE_MARK_CATEGORY | (uint64_t)kind << STORE_KIND_SHIFT |
           (uint64_t)(number + 1) << STORE_NUMBER_SHIFT;
}

/* A number below CATEGORY_MOST, or that. */
static uint32_t take_number(void)
{
    uint32_t number = __atomic_fetch_add(&numbers, 1, __ATOMIC_RELAXED);
    if (number < CATEGORY_MOST) return number;
    (void)__atomic_sub_fetch(&numbers, 1, __ATOMIC_RELAXED);
    return CATEGORY_MOST;
}

/* Another thread was quicker: the number is given back if it was the last. */
static void return_number(uint32_t number)
{
    uint32_t after = number + 1;
    if (number < CATEGORY_MOST)
        (void)__atomic_compare_exchange_n(&numbers, &after, number, false, __ATOMIC_RELAXED,
                                          __ATOMIC_RELAXED);
}

static struct category *new_category(const char *name, uint32_t bytes, uint64_t hash,
                                     uint32_t number)
{
    struct category *made = take(sizeof *made + bytes + 1);
    if (!made) return NULL;
    made->number = number;
    made->bytes = bytes;
    made->hash = hash;
    memcpy(made->name, name, bytes);
    for (uint32_t kind = 0; kind < STORE_KINDS; kind++)
        made->addresses[kind] = nameless(number, kind);
    return made;
}

static bool is_named(const struct category *category, const char *name, uint32_t bytes,
                     uint64_t hash)
{
    return category->hash == hash && category->bytes == bytes &&
           !memcmp(category->name, name, bytes);
}

/* The category in its place, or NULL and where it would stand. */
static struct category *find(const char *name, uint32_t bytes, uint64_t hash, uint64_t *place)
{
    for (*place = hash;; ++*place) { /* ends: half of the table stays empty */
        struct category *there = __atomic_load_n(&table[*place % TABLE], __ATOMIC_ACQUIRE);
        if (!there || is_named(there, name, bytes, hash)) return there;
    }
}

/* number: CATEGORY_MOST for the one that stands for all others. */
static struct category *insert(const char *name, uint32_t bytes, uint64_t hash, uint32_t number)
{
    struct category *made = new_category(name, bytes, hash, number), *there;
    if (!made) {
        return_number(number);
        return NULL;
    }
    for (;;) {
        uint64_t place;
        struct category *none = NULL;
        there = find(name, bytes, hash, &place);
        if (there) break;
        /* Release pairs with the acquire in find. */
        if (__atomic_compare_exchange_n(&table[place % TABLE], &none, made, false, __ATOMIC_RELEASE,
                                        __ATOMIC_RELAXED))
            return made;
    }
    return_number(number);
    return there;
}

static struct category *others(void)
{
    uint32_t bytes = sizeof CATEGORY_OTHERS - 1;
    uint64_t place, hash = hash_bytes(CATEGORY_OTHERS, bytes);
    struct category *there = find(CATEGORY_OTHERS, bytes, hash, &place);
    return there ? there : insert(CATEGORY_OTHERS, bytes, hash, CATEGORY_MOST);
}

REALIGN struct category *category_make(const char *name)
{
    if (!name) return NULL;
    uint32_t bytes = (uint32_t)strnlen(name, CATEGORY_NAME_BYTES);
    uint64_t place, hash = hash_bytes(name, bytes);
    struct category *there = find(name, bytes, hash, &place);
    if (there) return there;
    uint32_t number = take_number();
    return number < CATEGORY_MOST ? insert(name, bytes, hash, number) : others();
}

void category_forget_store(void)
{
    for (uint32_t i = 0; i < TABLE; i++) {
        struct category *category = __atomic_load_n(&table[i], __ATOMIC_ACQUIRE);
        if (!category) continue;
        category->text = category->unit_text = 0;
        for (uint32_t kind = 0; kind < STORE_KINDS; kind++)
            category->addresses[kind] = nameless(category->number, kind);
    }
}

/* A text in the present store, put there once (*ref). */
static store_ref text_in_store(store_ref *ref, const char *text, uint32_t bytes)
{
    store_ref there = __atomic_load_n(ref, __ATOMIC_RELAXED);
    if (there) return there;
    store_ref made = store_copy_text(recorder_settings()->store, text, bytes);
    if (!made) return 0;
    if (__atomic_compare_exchange_n(ref, &there, made, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        return made;
    return there;
}

uint64_t category_address(struct category *category, enum store_kind kind)
{
    uint64_t address = __atomic_load_n(&category->addresses[kind], __ATOMIC_RELAXED);
    if ((uint32_t)address) return address;
    address |= text_in_store(&category->text, category->name, category->bytes);
    __atomic_store_n(&category->addresses[kind], address, __ATOMIC_RELAXED);
    return address;
}

uint64_t category_portable(uint64_t address)
{
    uint32_t after = category_number_after(address);
    uint64_t muted = address & STORE_FRAME_MUTED;
    return muted | (after ? nameless(after - 1, STORE_KIND_SCOPE) : address & STORE_ADDRESS_MASK);
}

uint64_t category_from_portable(uint64_t address)
{
    uint32_t after = category_number_after(address);
    for (uint32_t i = 0; after && i < TABLE; i++) {
        struct category *category = __atomic_load_n(&table[i], __ATOMIC_ACQUIRE);
        if (category && category->number + 1 == after)
            return category_address(category, STORE_KIND_SCOPE) | (address & STORE_FRAME_MUTED);
    }
    return address;
}

/* What the thread has of a category, its table grown to hold it; NULL without memory. */
static struct category_own *own_of(struct control *block, uint32_t number)
{
    uint32_t capacity = block->category_capacity;
    if (number < capacity) return &block->categories[number];
    uint32_t larger = capacity ? capacity : FIRST_OWN;
    while (larger <= number) larger *= 2;
    store_ref ref = space_alloc(block, larger * sizeof(struct category_own));
    if (!ref) return NULL;
    struct category_own *own = (void *)(block->base + (uint64_t)ref * STORE_UNIT);
    if (capacity) memcpy(own, block->categories, capacity * sizeof *own);
    block->categories = own;
    SIGNAL_FENCE(); /* a handler finds a table as large as the capacity, or larger */
    block->category_capacity = larger; /* control_end makes it the count */
    return &own[number];
}

store_ref category_node(struct control *block, uint64_t address)
{
    uint32_t after = category_number_after(address);
    struct category_own *own = after ? own_of(block, after - 1) : NULL;
    if (!own) return 0;
    store_ref *node = &own->nodes[category_kind(address)];
    if (!*node) *node = tree_outside(block, address);
    return *node;
}

void category_note_ring(struct control *block, const struct store_function *function)
{
    uint32_t after = category_number_after(function->address);
    struct category_own *own = after ? own_of(block, after - 1) : NULL;
    if (!own || !function->ring) return;
    const struct store_ring *ring = store_at(recorder_settings()->store, function->ring);
    if (!ring->capacity) return;
    if (category_kind(function->address) == STORE_KIND_SCOPE)
        own->scope_samples = function->ring;
    else if (category_kind(function->address) == STORE_KIND_NS)
        own->ns_samples = function->ring;
}

/* What a thread records. */

/* The node of a kind, or NULL, and then the event is lost. */
static struct store_node *node_for(struct control *block, struct category *category,
                                   enum store_kind kind)
{
    store_ref ref = category_node(block, category_address(category, kind));
    if (ref) return tree_node(block->base, ref);
    recorder_count_lost(LOST_CALLS_NO_MEMORY, 1);
    return NULL;
}

void category_add_sample(struct control *block, struct category *category, uint64_t ticks)
{
    store_ref ref = func_make(block, category_address(category, STORE_KIND_SCOPE));
    uint32_t limit = recorder_settings()->max_samples;
    if (ref && limit) ring_add(block, func_at(block->base, ref), ticks, limit);
}

void category_add_ns(struct control *block, struct category *category, uint64_t ns)
{
    struct store_node *node = node_for(block, category, STORE_KIND_NS);
    if (!node) return;
    struct store_node one = {
        .address = node->address, .count = 1, .total_ticks = ns, .min_ticks = ns, .max_ticks = ns};
    func_record(block, node->function, ns);
    tree_add_node(block, node, &one);
}

void category_add_count(struct control *block, struct category *category, int64_t n)
{
    struct store_node *node = node_for(block, category, STORE_KIND_COUNT);
    if (!node) return;
    struct store_node one = {.address = node->address, .count = 1, .total_ticks = (uint64_t)n};
    tree_add_node(block, node, &one);
}

/* The first unit of a category is its unit. */
static store_ref unit_of(struct category *category, const char *unit)
{
    const char *known = __atomic_load_n(&category->unit, __ATOMIC_ACQUIRE);
    if (!known && unit) {
        uint32_t bytes = (uint32_t)strnlen(unit, CATEGORY_NAME_BYTES);
        char *copy = take(bytes + 1);
        if (copy) memcpy(copy, unit, bytes);
        if (copy && __atomic_compare_exchange_n(&category->unit, &known, copy, false,
                                                __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
            known = copy;
    }
    return known ? text_in_store(&category->unit_text, known, (uint32_t)strlen(known)) : 0;
}

void category_add_value(struct control *block, struct category *category, const char *unit,
                        uint64_t bits)
{
    uint64_t magnitude = bits & (UINT64_MAX >> 1);
    if (magnitude >= UINT64_C(0x7ff) << 52) {
        recorder_count_lost(LOST_VALUES_NOT_FINITE, 1);
        return;
    }
    struct store_node *node = node_for(block, category, STORE_KIND_VALUE);
    if (!node) return;
    struct store_function *function = func_at(block->base, node->function);
    if (!function->unit) function->unit = unit_of(category, unit);
    func_count(block, function, hist_value_bucket(bits));
    uint32_t limit = recorder_settings()->max_samples;
    if (limit) ring_add(block, function, bits, limit);
    struct store_node one = {.address = node->address,
                             .count = 1,
                             .total_ticks = bits,
                             .min_ticks = bits,
                             .max_ticks = bits};
    tree_add_node(block, node, &one);
}

/* SPDX-License-Identifier: MIT
 *
 * A node's time is its function's and not its caller's: so each node adds its total at one place
 * and takes it away at another, and no tree is walked. Folded nodes have no caller; what they take
 * from others is noted beside the nodes (store_folded, folded_children). Of more functions than a
 * lap's place holds, the smallest go, by powers of two. Runs on the owner's slow paths, busy. */
#include "record/selves.h"

#include "record/func.h"
#include "record/space.h"
#include "record/stacks.h"
#include "record/tree.h"
#include "record/tree_hot.h"

#include <string.h>

enum { FIRST_PLACES = 64, FIRST_LINKS = 256, FIRST_SELVES = 16, POWERS = 64 };

/* Memory for `wanted` items of old[0 … used), which are copied; NULL without memory. */
static void *grown(struct control *block, const void *old, uint64_t used_bytes, uint64_t bytes)
{
    store_ref ref = space_alloc(block, bytes);
    if (!ref) return NULL;
    void *items = space_at(block, ref);
    if (used_bytes) memcpy(items, old, used_bytes);
    return items;
}

static bool make_places(struct control *block, struct selves *selves, uint32_t places)
{
    uint32_t capacity = selves->capacity ? selves->capacity : FIRST_PLACES;
    while (capacity < places) capacity *= 2;
    if (capacity == selves->capacity) return true;
    uint64_t *ticks = grown(block, selves->ticks, selves->count * sizeof *ticks,
                            (uint64_t)capacity * sizeof *ticks);
    if (!ticks) return false;
    selves->ticks = ticks;
    selves->capacity = capacity;
    return true;
}

static uint32_t place_of(const struct control *block, const struct store_node *node)
{
    return node->function ? func_at(block->base, node->function)->number + 1 : 0;
}

/* The root and samples that were recorded outside the tree are nobody's time. */
static struct selves_link link_of(const struct control *block, const struct store_node *node)
{
    struct selves_link link = {0, 0};
    if (!node->parent) return link;
    link.own = place_of(block, node);
    if (!tree_is_folded(node)) link.outer = place_of(block, tree_node(block->base, node->parent));
    return link;
}

static uint32_t count_nodes(const struct control *block)
{
    uint32_t nodes = 0;
    for (store_ref ref = block->recorder->nodes; ref;) {
        const struct store_segment *segment = space_at(block, ref);
        nodes += segment->used;
        ref = segment->next;
    }
    return nodes;
}

static bool make_links(struct control *block, struct selves_map *map, uint32_t nodes)
{
    if (nodes <= map->capacity) return true;
    uint32_t capacity = map->capacity ? map->capacity : FIRST_LINKS;
    while (capacity < nodes) capacity *= 2;
    struct selves_link *links =
        grown(block, map->links, map->nodes * sizeof *links, (uint64_t)capacity * sizeof *links);
    if (!links) return false;
    map->links = links;
    map->capacity = capacity;
    return true;
}

static void link_new_nodes(const struct control *block, struct selves_map *map)
{
    uint32_t before = 0;
    for (store_ref ref = block->recorder->nodes; ref;) {
        const struct store_segment *segment = space_at(block, ref);
        const struct store_node *nodes = (const struct store_node *)(const void *)(segment + 1);
        while (map->nodes < before + segment->used) {
            map->links[map->nodes] = link_of(block, &nodes[map->nodes - before]);
            map->nodes++;
        }
        before += segment->used;
        ref = segment->next;
    }
}

static bool map_nodes(struct control *block, struct selves_map *map)
{
    uint32_t nodes = count_nodes(block);
    if (nodes == map->nodes) return true;
    if (!make_links(block, map, nodes)) return false;
    link_new_nodes(block, map);
    return true;
}

static void add_nodes(const struct control *block, const struct selves_map *map, uint64_t *ticks)
{
    const struct selves_link *link = map->links;
    for (store_ref ref = block->recorder->nodes; ref;) {
        const struct store_segment *segment = space_at(block, ref);
        const struct store_node *node = (const struct store_node *)(const void *)(segment + 1);
        const struct store_node *end = node + segment->used;
        for (; node < end; node++, link++) {
            uint64_t total = node->total_ticks;
            ticks[link->own] += total;
            ticks[link->outer] -= total;
            if (UNLIKELY(node->folded_children))
                ticks[link->own] -= *(const uint64_t *)space_at(block, node->folded_children);
        }
        ref = segment->next;
    }
}

static void subtract_below_folded(const struct control *block, uint64_t *ticks)
{
    for (store_ref ref = block->recorder->functions; ref;) {
        const struct store_segment *segment = space_at(block, ref);
        const struct store_function *functions = (const void *)(segment + 1);
        for (uint32_t i = 0; i < segment->used; i++) {
            if (!functions[i].folded) continue;
            const struct store_folded *side = space_at(block, functions[i].folded);
            ticks[functions[i].number + 1] -= side->child_ticks;
        }
        ref = segment->next;
    }
}

/* The calls above `frame` up to `end`; one being filled or emptied has sp 0. */
static void add_frames(const struct control *block, const struct store_frame *frame,
                       const struct store_frame *end, struct selves *out, uint64_t now)
{
    uint32_t outer = 0;
    while (++frame < end) {
        if (!frame->sp) continue;
        uint64_t ticks = now > frame->start_ticks ? now - frame->start_ticks : 0;
        uint32_t own = place_of(block, tree_node(block->base, frame->node));
        out->ticks[own] += ticks;
        out->ticks[outer] -= ticks;
        outer = own;
    }
}

static void add_stack(const struct control *block, const struct store_stack *stack,
                      struct selves *out, uint64_t now)
{
    const struct store_frame *frames = space_at(block, stack->frames), *end = frames + 1;
    if (stack == block->stack)
        end = block->top + 1;
    else
        while (end < frames + stack->capacity && end->sp) end++;
    add_frames(block, frames, end, out, now);
}

bool selves_measure(struct control *block, struct selves_map *map, struct selves *out, uint64_t now)
{
    uint32_t places = block->function_count + 1;
    stacks_settle(block);
    if (!map_nodes(block, map) || !make_places(block, out, places)) return false;
    out->count = places;
    memset(out->ticks, 0, places * sizeof *out->ticks);
    add_nodes(block, map, out->ticks);
    if (block->recorder->folded_root) subtract_below_folded(block, out->ticks);
    for (store_ref ref = block->recorder->stacks; ref;) {
        const struct store_stack *stack = space_at(block, ref);
        if (stack->in_use) add_stack(block, stack, out, now);
        ref = stack->next;
    }
    return true;
}

uint32_t selves_innermost(const struct control *block)
{
    const struct store_frame *frame = block->top;
    while (frame > stacks_frames(block) && !frame->sp) frame--;
    return place_of(block, tree_node(block->base, frame->node));
}

/* What a lap's place holds. */

/* Room for this many functions, or as many as there is memory for. */
static struct store_lap_self *make_room(struct control *block, struct store_lap_worst *place,
                                        uint32_t wanted)
{
    place->used = 0;
    if (wanted > place->capacity) {
        uint32_t capacity = place->capacity ? place->capacity : FIRST_SELVES;
        while (capacity < wanted) capacity *= 2;
        store_ref ref = space_alloc(block, capacity * sizeof(struct store_lap_self));
        if (ref) place->selves = ref;
        if (ref) place->capacity = capacity;
    }
    return place->capacity ? space_at(block, place->selves) : NULL;
}

static uint32_t power_of(uint64_t ticks) { return 63 - (uint32_t)__builtin_clzll(ticks); }

/* What is kept: all from this power of two on, and so many of the power below. */
struct cut {
    uint32_t kept, power, below;
};

static struct cut cut_of(const struct selves_change *change)
{
    uint32_t counts[POWERS] = {0};
    struct cut cut = {0};
    for (uint32_t i = 1; i < change->now->count; i++) {
        uint64_t ticks = selves_between(change, i);
        if (ticks) counts[power_of(ticks)]++;
    }
    cut.power = POWERS;
    while (cut.power && cut.kept + counts[cut.power - 1] <= STORE_LAP_SELVES)
        cut.kept += counts[--cut.power];
    if (cut.power) cut.below = STORE_LAP_SELVES - cut.kept;
    cut.kept += cut.below;
    return cut;
}

static bool is_kept(struct cut *cut, uint64_t ticks)
{
    if (!ticks) return false;
    if (power_of(ticks) >= cut->power) return true;
    if (power_of(ticks) + 1 < cut->power || !cut->below) return false;
    cut->below--;
    return true;
}

void selves_keep(struct control *block, struct store_lap_worst *place,
                 const struct selves_change *change)
{
    struct cut cut = cut_of(change);
    struct store_lap_self *selves = make_room(block, place, cut.kept);
    store_ref segment = block->recorder->functions;
    for (uint32_t first = 0; selves && segment;) {
        const struct store_segment *head = space_at(block, segment);
        for (uint32_t i = 0; i < head->used && first + i + 1 < change->now->count; i++) {
            uint64_t ticks = selves_between(change, first + i + 1);
            if (place->used == place->capacity || !is_kept(&cut, ticks)) continue;
            uint64_t offset = sizeof *head + (uint64_t)i * sizeof(struct store_function);
            store_ref function = segment + (store_ref)(offset / STORE_UNIT);
            selves[place->used++] = (struct store_lap_self){.function = function, .ticks = ticks};
        }
        first += head->used;
        segment = head->next;
    }
}

void selves_copy(struct control *into, struct store_lap_worst *place, const struct control *from,
                 const struct store_lap_worst *old)
{
    const struct store_lap_self *selves = old->used ? space_at(from, old->selves) : NULL;
    struct store_lap_self *copies = make_room(into, place, old->used);
    for (uint32_t i = 0; copies && i < old->used && place->used < place->capacity; i++) {
        const struct store_function *function = space_at(from, selves[i].function);
        store_ref twin = func_make(into, function->address);
        if (!twin) continue;
        copies[place->used++] = (struct store_lap_self){.function = twin, .ticks = selves[i].ticks};
    }
}

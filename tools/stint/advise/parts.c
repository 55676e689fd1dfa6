/* SPDX-License-Identifier: MIT
 *
 * A tree of letters; where the walk falls off it, it goes on at the longest end of what it has read
 * that is a way from the root. Runs in `stint`. */
#include "advise/parts.h"

#include "verb/memory.h"

#include <stdlib.h>

enum { ROOT = 0 }; /* is nobody's child: 0 also says "none" */

struct parts_node {
    uint32_t first_child, next_sibling;
    uint32_t parent;
    uint32_t fall;    /* the longest proper end of this way that is a way from the root */
    uint32_t shorter; /* the first node, falling from here, in which a part ends; or ROOT */
    uint32_t part;    /* that ends here, or PARTS_NONE */
    unsigned char letter;
};

static uint32_t child_of(const struct parts *parts, uint32_t node, unsigned char letter)
{
    uint32_t at = parts->nodes[node].first_child;
    while (at && parts->nodes[at].letter != letter) at = parts->nodes[at].next_sibling;
    return at;
}

static uint32_t add_child(struct parts *parts, uint32_t parent, unsigned char letter)
{
    uint32_t child = (uint32_t)parts->used;
    parts->nodes = memory_grow(parts->nodes, parts->used++, &parts->room, sizeof *parts->nodes);
    struct parts_node *above = &parts->nodes[parent];
    parts->nodes[child] = (struct parts_node){
        .next_sibling = above->first_child, .parent = parent, .part = PARTS_NONE, .letter = letter};
    above->first_child = child;
    return child;
}

void parts_init(struct parts *parts)
{
    *parts = (struct parts){.used = 1};
    parts->nodes = memory_grow(NULL, 0, &parts->room, sizeof *parts->nodes);
    parts->nodes[ROOT] = (struct parts_node){.part = PARTS_NONE};
}

void parts_fini(struct parts *parts)
{
    free(parts->nodes);
    free(parts->seen);
    *parts = (struct parts){.used = 0};
}

uint32_t parts_add(struct parts *parts, const char *text)
{
    uint32_t node = ROOT;
    for (; *text; text++) {
        uint32_t child = child_of(parts, node, (unsigned char)*text);
        node = child ? child : add_child(parts, node, (unsigned char)*text);
    }
    if (node == ROOT) return PARTS_NONE;
    if (parts->nodes[node].part == PARTS_NONE) parts->nodes[node].part = parts->count++;
    return parts->nodes[node].part;
}

/* On by a letter, falling until there is such a way. */
static uint32_t step(const struct parts *parts, uint32_t node, unsigned char letter)
{
    for (;; node = parts->nodes[node].fall) {
        uint32_t child = child_of(parts, node, letter);
        if (child || node == ROOT) return child;
    }
}

static void link_node(struct parts *parts, uint32_t at)
{
    struct parts_node *node = &parts->nodes[at];
    if (node->parent != ROOT)
        node->fall = step(parts, parts->nodes[node->parent].fall, node->letter);
    const struct parts_node *fall = &parts->nodes[node->fall];
    node->shorter = fall->part != PARTS_NONE ? node->fall : fall->shorter;
}

/* By depth: what a node falls to is nearer to the root. */
void parts_link(struct parts *parts)
{
    uint32_t *queue = memory_new(parts->used, sizeof *queue);
    size_t done = 0, queued = 1; /* the root */
    for (; done < queued; done++) {
        uint32_t at = parts->nodes[queue[done]].first_child;
        for (; at; at = parts->nodes[at].next_sibling) {
            link_node(parts, at);
            queue[queued++] = at;
        }
    }
    free(queue);
    parts->seen = memory_new(parts->count, sizeof *parts->seen);
}

static void tell(struct parts *parts, uint32_t part, parts_found *found, void *context)
{
    if (parts->seen[part] == parts->walk) return;
    parts->seen[part] = parts->walk;
    found(context, part);
}

void parts_each(struct parts *parts, const char *text, parts_found *found, void *context)
{
    uint32_t node = ROOT;
    parts->walk++;
    for (; *text; text++) {
        node = step(parts, node, (unsigned char)*text);
        if (parts->nodes[node].part != PARTS_NONE)
            tell(parts, parts->nodes[node].part, found, context);
        for (uint32_t at = parts->nodes[node].shorter; at; at = parts->nodes[at].shorter)
            tell(parts, parts->nodes[at].part, found, context);
    }
}

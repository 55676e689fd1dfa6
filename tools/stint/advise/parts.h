/* SPDX-License-Identifier: MIT
 *
 * Which of many texts are a part of another text: all of them found in one walk over it (Aho and
 * Corasick, "Efficient string matching: an aid to bibliographic search", 1975). */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum { PARTS_NONE = UINT32_MAX };

struct parts_node;

/* parts_init, parts_add for each, parts_link once, parts_each as often as wanted; parts_fini. */
struct parts {
    struct parts_node *nodes;
    size_t used, room;
    uint32_t count; /* of different parts */
    uint32_t walk;  /* the number of this walk */
    uint32_t *seen; /* the walk that met the part last */
};

void parts_init(struct parts *parts);
void parts_fini(struct parts *parts);

/* The number of this text, from 0; the same for the same text; PARTS_NONE for an empty one. */
uint32_t parts_add(struct parts *parts, const char *text);
void parts_link(struct parts *parts);

/* Calls for each part that lies in the text, once. */
typedef void parts_found(void *context, uint32_t part);
void parts_each(struct parts *parts, const char *text, parts_found *found, void *context);

/* SPDX-License-Identifier: MIT
 *
 * Each member at most once, each of its type, none that is not known: what is otherwise is not
 * refused here, but read the long way. Runs in `stint`. */
#include "intake/nodes.h"

#include "base/compiler.h"

#include <stdlib.h>
#include <string.h>

struct nodes_category {
    uint32_t node;
    struct span name;
};

enum member { ID, PARENT, FUNCTION, CATEGORY, FOLDED, COUNT, OPEN, TOTAL, SELF, TIME, SATURATED };

static const struct {
    const char *key;
    enum member member;
} members[] = {
    {"id", ID},
    {"parent", PARENT},
    {"function", FUNCTION},
    {"category", CATEGORY},
    {"folded", FOLDED},
    {"Count", COUNT},
    {"Open", OPEN},
    {"Total_ms", TOTAL},
    {"Self_ms", SELF},
    {"Avg_ms", TIME},
    {"Min_ms", TIME},
    {"Max_ms", TIME},
    {"saturated", SATURATED},
};

/* Room for one more, or NULL. */
static void *grow(void *array, size_t used, size_t *room, size_t size)
{
    if (used < *room) return array;
    size_t wanted = *room ? *room * 2 : 1024;
    void *larger = reallocarray(array, wanted, size);
    if (larger) *room = wanted;
    return larger;
}

/* Integers that jansson refuses as too large are its to tell of. */
static bool take_time(struct pull *pull, double *ms) { return pull_time(pull, ms) && *ms < 9.2e18; }

static bool take_parent(const struct nodes *nodes, struct pull *pull, struct document_node *node)
{
    uint64_t parent;
    if (pull_peek(pull) == 'n') return pull_skip(pull);
    if (!pull_count(pull, &parent) || parent >= nodes->count) return false;
    node->parent = (uint32_t)parent;
    return true;
}

static bool take_function(struct nodes *nodes, struct pull *pull, struct document_node *node)
{
    uint64_t function;
    if (!pull_count(pull, &function) || function >= DOCUMENT_NONE) return false;
    if (function >= nodes->functions) nodes->functions = function + 1;
    node->function = (uint32_t)function;
    return true;
}

static bool take_category(struct nodes *nodes, struct pull *pull)
{
    void *larger = grow(nodes->categories, nodes->category_count, &nodes->category_room,
                        sizeof *nodes->categories);
    if (!larger) return false;
    nodes->categories = larger;
    struct nodes_category *category = &nodes->categories[nodes->category_count++];
    category->node = (uint32_t)nodes->count;
    return pull_text(pull, &category->name);
}

static bool take_member(struct nodes *nodes, struct pull *pull, enum member member,
                        struct document_node *node)
{
    uint64_t id;
    double ms;
    bool is_true;
    switch (member) {
    case ID:
        return pull_count(pull, &id) && id == nodes->count;
    case PARENT:
        return take_parent(nodes, pull, node);
    case FUNCTION:
        return take_function(nodes, pull, node);
    case CATEGORY:
        return take_category(nodes, pull);
    case FOLDED:
        return pull_true_or_false(pull, &node->is_folded);
    case COUNT:
        return pull_count(pull, &node->count);
    case OPEN:
        return pull_count(pull, &node->open);
    case TOTAL:
        return take_time(pull, &node->total_ms);
    case SELF:
        return take_time(pull, &node->self_ms);
    case TIME:
        return take_time(pull, &ms);
    case SATURATED:
        return pull_true_or_false(pull, &is_true);
    }
    return false;
}

static bool take_node(struct nodes *nodes, struct pull *pull)
{
    struct document_node node = {.parent = DOCUMENT_NONE, .function = DOCUMENT_NONE};
    struct span key;
    uint32_t seen = 0;
    for (pull_enter(pull, '{'); pull_key(pull, &key);) {
        size_t i = 0;
        while (i < COUNT_OF(members) && !span_is(key, members[i].key)) i++;
        if (i == COUNT_OF(members) || seen & UINT32_C(1) << i) return false;
        seen |= UINT32_C(1) << i;
        if (!take_member(nodes, pull, members[i].member, &node)) return false;
    }
    if (pull->fault.error) return false;
    bool is_of_one = (seen >> FUNCTION & 1) + (seen >> CATEGORY & 1) == 1;
    bool is_of_none = !(seen >> FUNCTION & 3) && node.is_folded;
    if ((seen & 3) != 3 || !(is_of_one || is_of_none)) return false;
    void *larger = grow(nodes->items, nodes->count, &nodes->room, sizeof *nodes->items);
    if (!larger) return false;
    nodes->items = larger;
    nodes->items[nodes->count++] = node;
    return true;
}

static bool take_tree(struct nodes *nodes, struct pull *pull)
{
    if (pull_peek(pull) != '[') return false;
    nodes->begin = pull->at;
    for (pull_enter(pull, '['); pull_item(pull);)
        if (nodes->count == DOCUMENT_NONE || !take_node(nodes, pull)) return false;
    nodes->end = pull->at;
    return !pull->fault.error && nodes->count;
}

bool nodes_pull(struct nodes *nodes, const char *text, size_t bytes)
{
    struct span key;
    *nodes = (struct nodes){.strings = ARENA_INIT};
    struct pull pull = {.text = text, .bytes = bytes, .strings = &nodes->strings};
    if (pull_peek(&pull) != '{') return false;
    for (pull_enter(&pull, '{'); pull_key(&pull, &key);) {
        if (span_is(key, "call_tree")) return take_tree(nodes, &pull);
        (void)pull_skip(&pull);
    }
    return false;
}

char *nodes_cut(const struct nodes *nodes, const char *text, size_t *bytes)
{
    size_t lines = 0, rest = *bytes - nodes->end;
    for (size_t i = nodes->begin; i < nodes->end; i++) lines += text[i] == '\n';
    char *cut = malloc(nodes->begin + lines + 2 + rest);
    if (!cut) return NULL;
    memcpy(cut, text, nodes->begin);
    cut[nodes->begin] = '[';
    memset(cut + nodes->begin + 1, '\n', lines);
    cut[nodes->begin + lines + 1] = ']';
    memcpy(cut + nodes->begin + lines + 2, text + nodes->end, rest);
    *bytes = nodes->begin + lines + 2 + rest;
    return cut;
}

bool nodes_settle(struct nodes *nodes, struct document *document)
{
    char name[4097]; /* as long as the recorder lets them be */
    if (nodes->functions > document->function_count - document->category_count) return false;
    for (size_t i = 0; i < nodes->category_count; i++) {
        struct span span = nodes->categories[i].name;
        if (span.length >= sizeof name || memchr(span.data, 0, span.length)) return false;
        memcpy(name, span.data, span.length);
        name[span.length] = '\0';
        uint32_t id = document_category(document, name);
        if (id == DOCUMENT_NONE) return false;
        nodes->items[nodes->categories[i].node].function = id;
    }
    document->nodes = nodes->items;
    document->node_count = (uint32_t)nodes->count;
    nodes->items = NULL;
    return true;
}

void nodes_fini(struct nodes *nodes)
{
    free(nodes->items);
    free(nodes->categories);
    arena_fini(&nodes->strings);
}

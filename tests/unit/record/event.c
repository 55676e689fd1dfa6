/* SPDX-License-Identifier: MIT
 *
 * As hook/scope.c and hook/slow.c do it, but for attaching; the lists are walked by the lab. */
#include "event.h"

#include "record/scope_hot.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum { SP = LAB_HIGH - 0x1000 };

uint64_t event_bits(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

double event_value(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* As the hooks do it: the straight line, else the slow path. */
void event_ns(struct category *category, uint64_t ns)
{
    if (scope_try_ns(lab.block, category, ns)) return;
    assert_true(control_begin(lab.block, SP));
    category_add_ns(lab.block, category, ns);
    control_end(lab.block);
}

void event_count(struct category *category, int64_t n)
{
    if (scope_try_count(lab.block, category, n)) return;
    assert_true(control_begin(lab.block, SP));
    category_add_count(lab.block, category, n);
    control_end(lab.block);
}

void event_double(struct category *category, const char *unit, double value)
{
    assert_true(control_begin(lab.block, SP));
    category_add_value(lab.block, category, unit, event_bits(value));
    control_end(lab.block);
}

const struct store_function *event_record(const struct control *block, struct category *category,
                                          enum store_kind kind)
{
    return lab_function(block, category_address(category, kind));
}

/* The node outside the tree; fails where there are two. */
const struct store_node *event_node(const struct control *block, struct category *category,
                                    enum store_kind kind)
{
    const struct store_node *found = NULL, *node;
    for (uint32_t i = 0; (node = lab_nth_node(block, i)); i++) {
        if (node->address != category_address(category, kind)) continue;
        assert_null(found);
        assert_int_equal(node->parent, 0);
        found = node;
    }
    return found;
}

const uint64_t *event_samples(const struct control *block, const struct store_function *function,
                              uint64_t *held)
{
    *held = 0;
    if (!function->ring) return NULL;
    const struct store_ring *ring = lab_at(block, function->ring);
    *held = ring->lapped || ring->next > ring->capacity ? ring->capacity : ring->next;
    return lab_at(block, ring->samples);
}

/* SPDX-License-Identifier: MIT
 *
 * What a program says of its work, recorded on a lab's recorder as the hooks do it, and found again
 * among its nodes and records. */
#pragma once

#include "lab.h"

#include "record/category.h"

uint64_t event_bits(double value);
double event_value(uint64_t bits);

/* The straight line, else the slow path. */
void event_ns(struct category *category, uint64_t ns);
void event_count(struct category *category, int64_t n);
void event_double(struct category *category, const char *unit, double value);

/* The record of a kind; and its node outside the tree, or NULL; fails where there are two. */
const struct store_function *event_record(const struct control *block, struct category *category,
                                          enum store_kind kind);
const struct store_node *event_node(const struct control *block, struct category *category,
                                    enum store_kind kind);

/* The samples that a record holds. */
const uint64_t *event_samples(const struct control *block, const struct store_function *function,
                              uint64_t *held);

/* SPDX-License-Identifier: MIT
 *
 * The calling-context tree of one recorder, slow side: nodes are made, the table grows, and paths
 * beyond the limit fold into one node a function. */
#pragma once

#include "control/control.h"

/* The node for a call from `parent` (found or made): 0 when there is no memory. When the tree is
 * full or `parent` is folded itself, the function's folded node. Context: owner thread, between
 * control_begin and control_end. */
store_ref tree_child(struct control *block, store_ref parent, uint64_t address);

/* A node that no call leads to: a category's of another kind than a scope. 0 without memory.
 * Context: as tree_child. */
store_ref tree_outside(struct control *block, uint64_t address);
/* A node outside the tree, for samples of a function or category; 0 without memory. Context: as
 * tree_child. */
store_ref tree_make_apart(struct control *block, store_ref function);

/* The folded node of a function, found or made; 0 without memory. Context: as tree_child. */
store_ref tree_folded(struct control *block, uint64_t address);

/* The side record of a folded node. Context: owner thread. */
struct store_folded *tree_folded_record(const struct control *block, store_ref node);

/* Time of folded calls made from a node. Context: owner thread, while busy. */
void tree_add_folded_child(struct control *block, store_ref parent, uint64_t ticks);

/* Is one of these nodes the function's: `from`, its parent, … the root? Cheap where the nodes asked
 * about follow each other as calls do. Context: as tree_child, or a retired recorder's folder. */
bool tree_is_within(struct control *block, store_ref from, store_ref function);

/* Makes the root. 0 or −ENOMEM. Context: owner thread, while attaching. */
int tree_init(struct control *block);

/* Marks a node: its address matches no call any more. Context: see recorder_forget_code. */
void tree_mark(struct store_node *node, uint64_t mark);

/* Adds one ended activation to a node: count, total, extremes. Context: owner thread. */
void tree_add(struct store_node *node, uint64_t ticks);

/* Adds what `more`, a node of the same kind, counts: sums stop at the ends of their type. Context:
 * owner thread, while busy. */
void tree_add_node(struct control *block, struct store_node *node, const struct store_node *more);

/* min and max, at the rare call that changes them; whole even if a handler changes them meanwhile.
 * Context: owner thread, signal-safe. */
void tree_widen_slow(struct store_node *node, uint64_t ticks) COLD;

/* True for nodes that stand for many places of the tree. */
static inline bool tree_is_folded(const struct store_node *node)
{
    return node->address & STORE_MARK_FOLDED;
}

/* Folded calls carry what the tree gives elsewhere. Entering returns the flags of the new frame;
 * above: the frame of the caller. Context: owner thread, while busy. */
uint32_t tree_enter_folded(struct control *block, store_ref node, const struct store_frame *above);
/* parent: the node of the caller's frame. Context: as above. */
void tree_exit_folded(struct control *block, store_ref node, store_ref parent, uint32_t frame_flags,
                      uint64_t ticks);

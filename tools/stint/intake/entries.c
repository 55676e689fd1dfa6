/* SPDX-License-Identifier: MIT
 *
 * Functions, categories, threads, the call tree: all that has statistics. Runs in `stint`. */
#include "intake/parts.h"

static bool read_range(struct pull *pull, struct intake_range *range)
{
    struct span key;
    for (pull_enter(pull, '{'); pull_key(pull, &key);) {
        if (span_is(key, "min"))
            (void)pull_time(pull, &range->least);
        else if (span_is(key, "max"))
            (void)pull_time(pull, &range->most);
        else
            (void)pull_skip(pull);
    }
    return !pull->fault.error;
}

static bool read_per_process(struct pull *pull, struct intake_per_process *columns)
{
    struct span key;
    for (pull_enter(pull, '{'); pull_key(pull, &key);) {
        if (span_is(key, "processes"))
            (void)pull_count(pull, &columns->processes);
        else if (span_is(key, "Total_ms"))
            (void)read_range(pull, &columns->total_ms);
        else if (span_is(key, "Self_ms"))
            (void)read_range(pull, &columns->self_ms);
        else if (span_is(key, "Count"))
            (void)read_range(pull, &columns->calls);
        else
            (void)pull_skip(pull);
    }
    return !pull->fault.error;
}

static bool read_name(struct pull *pull, struct span key, struct intake_entry *entry)
{
    if (span_is(key, "id")) return pull_count(pull, &entry->id);
    if (span_is(key, "name")) return pull_text(pull, &entry->name);
    if (span_is(key, "raw_name")) return pull_text(pull, &entry->raw_name);
    if (span_is(key, "module")) return pull_text(pull, &entry->module);
    if (span_is(key, "build_id")) return pull_text(pull, &entry->build_id);
    if (span_is(key, "offset")) return pull_text(pull, &entry->offset);
    if (span_is(key, "per_process")) return read_per_process(pull, &entry->per_process);
    return pull_skip(pull);
}

bool intake_read_entry(struct intake *intake, struct pull *pull, struct intake_entry *entry,
                       intake_other *other, void *context)
{
    struct span key;
    *entry = (struct intake_entry){.figures = {.buckets = intake->buckets}};
    for (pull_enter(pull, '{'); pull_key(pull, &key);) {
        bool is_known;
        if (!figures_member(pull, key, &entry->figures, &is_known) || is_known) continue;
        if (other && other(context, pull, key)) continue;
        (void)read_name(pull, key, entry);
    }
    return !pull->fault.error;
}

bool intake_read_place(struct pull *pull, uint32_t count, bool may_be_null, uint32_t *place)
{
    uint64_t number;
    *place = INTAKE_NONE;
    if (may_be_null && pull_peek(pull) == 'n') return pull_skip(pull);
    if (!pull_count(pull, &number)) return false;
    if (number >= count) return pull_fault(pull, "the number before this is of nothing here");
    *place = (uint32_t)number;
    return true;
}

bool intake_read_text_or_null(struct pull *pull, struct span *text)
{
    *text = (struct span){NULL, 0};
    return pull_peek(pull) == 'n' ? pull_skip(pull) : pull_text(pull, text);
}

bool intake_read_functions(struct intake *intake, struct pull *pull)
{
    struct intake_entry entry;
    for (pull_enter(pull, '['); pull_item(pull); intake->functions++) {
        if (!intake_read_entry(intake, pull, &entry, NULL, NULL)) return false;
        if (!entry.name.data) return pull_fault(pull, "the function before this has no name");
        if (entry.id != intake->functions)
            return pull_fault(pull, "the id of the function before this is not its place");
        if (intake->takers->function) intake->takers->function(intake->context, &entry);
    }
    return !pull->fault.error;
}

bool intake_read_categories(struct intake *intake, struct pull *pull)
{
    struct intake_entry entry;
    struct span name;
    for (pull_enter(pull, '{'); pull_key(pull, &name);) {
        if (!intake_read_entry(intake, pull, &entry, NULL, NULL)) return false;
        entry.name = name;
        if (intake->takers->category) intake->takers->category(intake->context, &entry);
    }
    return !pull->fault.error;
}

/* Threads. */

static bool read_thread_member(struct intake *intake, struct pull *pull, struct span key,
                               struct intake_thread *thread, size_t *functions)
{
    uint64_t generations;
    if (span_is(key, "tid")) return pull_count(pull, &thread->tid);
    if (span_is(key, "process")) return pull_count(pull, &thread->process);
    if (span_is(key, "name")) return pull_text(pull, &thread->name);
    if (span_is(key, "state")) return pull_text(pull, &thread->state);
    if (span_is(key, "start_routine"))
        return intake_read_text_or_null(pull, &thread->start_routine);
    if (span_is(key, "parent")) return intake_read_place(pull, INTAKE_NONE, true, &thread->parent);
    if (span_is(key, "started_ms")) return pull_time(pull, &thread->started_ms);
    if (span_is(key, "lifetime_ms")) return pull_time(pull, &thread->lifetime_ms);
    if (span_is(key, "cpu_ms")) return pull_time(pull, &thread->cpu_ms);
    if (span_is(key, "functions")) *functions = pull->at;
    if (!span_is(key, "generations")) return pull_skip(pull);
    if (!pull_count(pull, &generations)) return false;
    thread->generations = generations < INTAKE_NONE ? (uint32_t)generations : INTAKE_NONE;
    return true;
}

static bool read_thread_functions(struct intake *intake, struct pull *pull)
{
    struct span key;
    for (pull_enter(pull, '['); pull_item(pull);) {
        struct figures figures = {.buckets = NULL};
        uint32_t function = INTAKE_NONE;
        for (pull_enter(pull, '{'); pull_key(pull, &key);) {
            bool is_known;
            if (!figures_member(pull, key, &figures, &is_known) || is_known) continue;
            if (span_is(key, "id"))
                (void)intake_read_place(pull, intake->functions, false, &function);
            else
                (void)pull_skip(pull);
        }
        if (pull->fault.error) return false;
        if (function == INTAKE_NONE)
            return pull_fault(pull, "the thread's function before this has no id");
        intake->takers->thread_function(intake->context, function, &figures);
    }
    return !pull->fault.error;
}

bool intake_read_threads(struct intake *intake, struct pull *pull)
{
    if (!intake->takers->thread) return pull_skip(pull);
    for (pull_enter(pull, '['); pull_item(pull); intake->threads++) {
        struct intake_thread thread = {.parent = INTAKE_NONE, .generations = 1};
        struct span key;
        size_t functions = 0;
        for (pull_enter(pull, '{'); pull_key(pull, &key);)
            (void)read_thread_member(intake, pull, key, &thread, &functions);
        if (pull->fault.error) return false;
        intake->takers->thread(intake->context, &thread);
        if (!functions || !intake->takers->thread_function) continue;
        size_t behind = pull->at;
        pull->at = functions;
        if (!read_thread_functions(intake, pull)) return false;
        pull->at = behind;
        pull->is_first = false;
    }
    return !pull->fault.error;
}

/* The call tree: a node's parent stands before it. */

static bool read_node_member(struct intake *intake, struct pull *pull, struct span key,
                             struct intake_node *node)
{
    uint64_t id;
    if (span_is(key, "id")) {
        if (!pull_count(pull, &id)) return false;
        return id == intake->nodes ||
               pull_fault(pull, "the id of the node before this is not its place");
    }
    if (span_is(key, "parent")) return intake_read_place(pull, intake->nodes, true, &node->parent);
    if (span_is(key, "function"))
        return intake_read_place(pull, intake->functions, false, &node->function);
    if (span_is(key, "category")) return pull_text(pull, &node->category);
    if (span_is(key, "folded")) return pull_true_or_false(pull, &node->is_folded);
    return pull_skip(pull);
}

bool intake_read_tree(struct intake *intake, struct pull *pull)
{
    if (!intake->takers->node) return pull_skip(pull);
    for (pull_enter(pull, '['); pull_item(pull); intake->nodes++) {
        struct intake_node node = {.parent = INTAKE_NONE, .function = INTAKE_NONE};
        struct span key;
        for (pull_enter(pull, '{'); pull_key(pull, &key);) {
            bool is_known;
            if (!figures_member(pull, key, &node.figures, &is_known) || is_known) continue;
            (void)read_node_member(intake, pull, key, &node);
        }
        if (pull->fault.error) return false;
        if (node.function == INTAKE_NONE && !node.category.data && !node.is_folded)
            return pull_fault(pull, "the node before this is of nothing");
        intake->takers->node(intake->context, &node);
    }
    return !pull->fault.error;
}

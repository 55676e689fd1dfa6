/* SPDX-License-Identifier: MIT
 *
 * The takers of a report's pieces: each finds its place in the sum, and numbers of this report
 * become numbers of the merged one. Runs in `stint`. */
#include "merge/gather.h"

#include "verb/memory.h"

#include <stdlib.h>

void gather_init(struct gather *gather)
{
    *gather = (struct gather){.strings = ARENA_INIT, .shares_left = GATHER_SHARES};
    pool_init(&gather->functions, &gather->strings, &gather->shares_left);
    pool_init(&gather->categories, &gather->strings, &gather->shares_left);
    trails_init(&gather->trails, &gather->strings, TRAILS_MOST);
    extras_init(&gather->extras, &gather->strings);
    gather->lost_names.places.arena = &gather->strings;
}

void gather_fini(struct gather *gather)
{
    pool_fini(&gather->functions);
    pool_fini(&gather->categories);
    trails_fini(&gather->trails);
    extras_fini(&gather->extras);
    free(gather->processes);
    free(gather->threads);
    free(gather->thread_functions);
    free(gather->lost);
    free(gather->function_places);
    free(gather->node_places);
    arena_fini(&gather->strings);
}

void gather_begin(struct gather *gather)
{
    gather->reports++;
    gather->functions_used = gather->nodes_used = 0;
    gather->first_thread = gather->threads_used;
    gather->first_process = gather->processes_used;
    gather->has_members = false;
}

static const char *keep(struct gather *gather, struct span text)
{
    if (!text.data) return NULL;
    const char *copy = arena_copy(&gather->strings, text.data, text.length);
    return copy ? copy : memory_text(text.data, text.length);
}

/* Texts that most reports share are kept once. */
static const char *keep_like(struct gather *gather, struct span text, const char *last)
{
    return text.data && last && span_is(text, last) ? last : keep(gather, text);
}

static void put_process(struct gather *gather, const struct intake_process *process,
                        struct gather_process *put)
{
    const struct gather_process none = {.pid = 0};
    const struct gather_process *last = put > gather->processes ? put - 1 : &none;
    *put = (struct gather_process){
        .pid = process->pid,
        .parent_pid = process->parent_pid,
        .run = keep_like(gather, process->run, last->run),
        .executable = keep_like(gather, process->executable, last->executable),
        .host = keep_like(gather, process->host, last->host),
        .started_at = keep_like(gather, process->started_at, last->started_at),
        .duration_ms = process->duration_ms,
        .cpu_ms = process->cpu_ms,
        .has_cpu = process->has_cpu,
        .ending = keep_like(gather, process->ending.kind, last->ending),
        .signal = keep_like(gather, process->ending.signal, last->signal),
        .code = keep_like(gather, process->ending.code, last->code),
        .address = keep(gather, process->ending.address),
        .status = process->ending.status,
        .has_status = process->ending.has_status,
    };
}

static struct gather_process *new_process(struct gather *gather)
{
    gather->processes = memory_grow(gather->processes, gather->processes_used,
                                    &gather->processes_room, sizeof *gather->processes);
    return &gather->processes[gather->processes_used++];
}

/* Of a merged report it is its summary, for which its members stand. */
static void take_process(void *context, const struct intake_process *process)
{
    struct gather *gather = context;
    if (!gather->has_members) put_process(gather, process, new_process(gather));
}

static void take_member(void *context, const struct intake_process *process)
{
    struct gather *gather = context;
    if (!gather->has_members) gather->processes_used = gather->first_process;
    gather->has_members = true;
    put_process(gather, process, new_process(gather));
}

static void take_clock(void *context, const struct intake_clock *clock)
{
    struct gather *gather = context;
    if (!gather->clock_source) {
        gather->clock_source = keep(gather, clock->source);
        gather->ticks_per_second = clock->ticks_per_second;
    }
    if (clock->error_ppm > gather->error_ppm) gather->error_ppm = clock->error_ppm;
}

static void take_overhead(void *context, const struct intake_overhead *overhead)
{
    struct gather *gather = context;
    gather->overhead_calls = bins_plus(gather->overhead_calls, overhead->calls);
    gather->overhead_ms += overhead->total_ms;
    if (!overhead->is_measured && overhead->calls) gather->overhead_is_unknown = true;
}

static bool is_lost(const void *list, uint32_t place, struct span name, struct span unit)
{
    (void)unit; /* it has none */
    return span_is(name, ((const struct gather_lost *)list)[place].key);
}

static void take_lost(void *context, struct span key, uint64_t count)
{
    struct gather *gather = context;
    const struct span no_unit = {0};
    size_t i =
        names_place(&gather->lost_names, gather->lost, is_lost, key, no_unit, gather->lost_used);
    if (i == gather->lost_used) {
        gather->lost =
            memory_grow(gather->lost, gather->lost_used, &gather->lost_room, sizeof *gather->lost);
        gather->lost[gather->lost_used++] = (struct gather_lost){keep(gather, key), 0};
    }
    gather->lost[i].count = bins_plus(gather->lost[i].count, count);
}

static void take_function(void *context, const struct intake_entry *entry)
{
    struct gather *gather = context;
    gather->function_places = memory_grow(gather->function_places, gather->functions_used,
                                          &gather->functions_room, sizeof(uint32_t));
    gather->function_places[gather->functions_used++] =
        pool_add(&gather->functions, entry, gather->reports);
}

static void take_category(void *context, const struct intake_entry *entry)
{
    struct gather *gather = context;
    (void)pool_add(&gather->categories, entry, gather->reports);
}

/* Threads. */

static void take_thread(void *context, const struct intake_thread *thread)
{
    struct gather *gather = context;
    gather->thread_is_left_out = gather->threads_used >= GATHER_THREADS;
    if (gather->thread_is_left_out) {
        gather->threads_left_out++;
        return;
    }
    gather->threads = memory_grow(gather->threads, gather->threads_used, &gather->threads_room,
                                  sizeof *gather->threads);
    const struct gather_thread none = {.tid = 0};
    size_t used = gather->threads_used++;
    const struct gather_thread *last = used ? &gather->threads[used - 1] : &none;
    size_t parent = gather->first_thread + thread->parent;
    size_t process = gather->first_process + (gather->has_members ? thread->process : 0);
    gather->threads[used] = (struct gather_thread){
        .tid = thread->tid,
        .process = process < gather->processes_used ? (uint32_t)process : 0,
        .parent = thread->parent == INTAKE_NONE ? TRAILS_NONE : (uint32_t)parent,
        .generations = thread->generations ? thread->generations : 1,
        .name = keep_like(gather, thread->name, last->name),
        .start_routine = keep_like(gather, thread->start_routine, last->start_routine),
        .state = keep_like(gather, thread->state, last->state),
        .started_ms = thread->started_ms,
        .lifetime_ms = thread->lifetime_ms,
        .cpu_ms = thread->cpu_ms,
        .functions_from = (uint32_t)gather->thread_functions_used,
    };
}

static void take_thread_function(void *context, uint32_t function, const struct figures *figures)
{
    struct gather *gather = context;
    if (gather->thread_is_left_out || gather->thread_functions_used >= GATHER_THREAD_FUNCTIONS) {
        gather->thread_functions_left_out++;
        return;
    }
    gather->thread_functions =
        memory_grow(gather->thread_functions, gather->thread_functions_used,
                    &gather->thread_functions_room, sizeof *gather->thread_functions);
    struct gather_thread_function *row = &gather->thread_functions[gather->thread_functions_used++];
    *row = (struct gather_thread_function){.function = gather->function_places[function]};
    sum_add(&row->sum, figures);
    gather->threads[gather->threads_used - 1].functions_used++;
}

/* The call tree. */

static uint32_t category_place(struct gather *gather, struct span name)
{
    const struct intake_entry entry = {.name = name};
    return pool_place(&gather->categories, &entry);
}

static void take_node(void *context, const struct intake_node *node)
{
    struct gather *gather = context;
    enum trail_kind kind = TRAIL_FOLDED;
    uint32_t item = 0;
    if (node->function != INTAKE_NONE) {
        kind = TRAIL_FUNCTION;
        item = gather->function_places[node->function];
    } else if (node->category.data) {
        kind = TRAIL_CATEGORY;
        item = category_place(gather, node->category);
    }
    uint32_t parent = node->parent == INTAKE_NONE ? TRAILS_NONE : gather->node_places[node->parent];
    gather->node_places =
        memory_grow(gather->node_places, gather->nodes_used, &gather->nodes_room, sizeof(uint32_t));
    gather->node_places[gather->nodes_used++] =
        trails_add(&gather->trails, parent, kind, item, node->is_folded, &node->figures);
}

/* Counters, values, frames. */

static void take_counter(void *context, struct span name, const struct intake_counter *counter)
{
    struct gather *gather = context;
    extras_add_counter(&gather->extras, name, counter);
}

static void take_value(void *context, struct span name, const struct intake_value *value)
{
    struct gather *gather = context;
    gather->value = extras_add_value(&gather->extras, name, value);
}

static void take_value_bucket(void *context, double low, double high, uint64_t count)
{
    struct gather *gather = context;
    value_add_bucket(&gather->extras.values[gather->value], low, high, count);
}

static void take_frames(void *context, const struct intake_entry *total,
                        const struct intake_frames *frames)
{
    struct gather *gather = context;
    gather->frames = extras_frames(&gather->extras, total->name);
    frames_add(gather->frames, frames);
    pooled_add(&gather->frames->total, total, gather->reports, &gather->shares_left);
}

static void take_worst(void *context, const struct intake_worst *worst)
{
    struct gather *gather = context;
    size_t thread = gather->first_thread + worst->thread;
    gather->worst = NULL;
    if (thread >= gather->threads_used) return; /* found no room */
    struct worst row = {
        .frame = worst->frame,
        .thread = (uint32_t)thread,
        .start_ms = worst->start_ms,
        .duration_ms = worst->duration_ms,
    };
    gather->worst = frames_add_worst(gather->frames, &row);
}

static struct blame blame_of(struct gather *gather, const struct intake_blame *blame)
{
    bool is_category = blame->function == INTAKE_NONE;
    return (struct blame){
        .is_category = is_category,
        .item = is_category ? category_place(gather, blame->category)
                            : gather->function_places[blame->function],
        .self_ms = blame->self_ms,
        .typical_ms = blame->typical_ms,
        .excess_ms = blame->excess_ms,
        .frames = blame->frames,
    };
}

static void take_worst_blame(void *context, const struct intake_blame *blame)
{
    struct gather *gather = context;
    if (!gather->worst || gather->worst->blames_used == EXTRAS_BLAMED) return;
    gather->worst->blames[gather->worst->blames_used++] = blame_of(gather, blame);
}

static void take_blame(void *context, const struct intake_blame *blame)
{
    struct gather *gather = context;
    struct blame row = blame_of(gather, blame);
    frames_add_blame(gather->frames, &row);
}

const struct intake_takers gather_takers = {
    .process = take_process,
    .member = take_member,
    .clock = take_clock,
    .overhead = take_overhead,
    .lost = take_lost,
    .function = take_function,
    .category = take_category,
    .thread = take_thread,
    .thread_function = take_thread_function,
    .node = take_node,
    .counter = take_counter,
    .value = take_value,
    .value_bucket = take_value_bucket,
    .frames = take_frames,
    .worst = take_worst,
    .worst_blame = take_worst_blame,
    .blame = take_blame,
};

/* SPDX-License-Identifier: MIT
 *
 * Recorders and real threads: who gets a new one, who takes over which, and that no call is lost on
 * the way. */
#include "record/recorder.h"

#include "lab.h"
#include "worker.h"

#include "record/frames.h"
#include "record/stacks.h"

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { A = 0xa000, B = 0xb000, C = 0xc000, D = 0xd000, SP = LAB_HIGH - 0x1000 };
enum { ROUTINE = 0x1000, OTHER_ROUTINE = 0x2000 };

/* On the calling thread's own recorder. */
static void enter(uint64_t address, uintptr_t sp, uint64_t start_ticks)
{
    if (!control_begin(control, sp)) return;
    frames_enter(control, address, sp);
    control->top->start_ticks = start_ticks;
    control_end(control);
}

static void leave(uint64_t address, uintptr_t sp, uint64_t now)
{
    if (!control_begin(control, sp)) return;
    frames_exit(control, address, sp, now);
    control_end(control);
}

static void a_call_within_a_call(void)
{
    enter(A, SP, 100);
    enter(B, SP - 16, 110);
    leave(B, SP - 16, 115);
    leave(A, SP, 200);
}

static const struct store_recorder *nth_recorder(uint32_t n)
{
    store_ref ref = store_head(&lab.store)->recorders;
    for (; ref && n; n--) ref = ((const struct store_recorder *)store_at(&lab.store, ref))->next;
    return ref ? store_at(&lab.store, ref) : NULL;
}

static uint32_t recorder_count(void)
{
    uint32_t n = 0;
    while (nth_recorder(n)) n++;
    return n;
}

static void a_thread_gets_a_recorder_that_knows_it(void **state)
{
    lab_open_store((struct recorder_options){0});
    assert_null(recorder_of_thread());
    const struct recorder_thread thread = {.tid = (uint32_t)gettid(),
                                           .parent = 7,
                                           .start_routine = ROUTINE,
                                           .started_ticks = 1234,
                                           .stack_high = UINTPTR_MAX,
                                           .name = "fifteen letters"};
    assert_int_equal(recorder_attach(&thread), 0);
    const struct store_recorder *recorder = recorder_of_thread();
    assert_ptr_equal(recorder, nth_recorder(0));
    assert_int_equal(recorder->tid, gettid());
    assert_int_equal(recorder->parent, 7);
    assert_int_equal(recorder->start_routine, ROUTINE);
    assert_int_equal(recorder->started_ticks, 1234);
    assert_true(recorder->generations == 1 && recorder->state == STORE_THREAD_RUNNING);
    assert_string_equal(recorder->name, "fifteen letters");
}

static void a_retired_thread_leaves_its_end_and_goes_on_recording(void **state)
{
    lab_open((struct recorder_options){0});
    lab_enter(A, SP, 0);
    recorder_retire(5000, (char[16]){"newest name"});
    const struct store_recorder *recorder = recorder_of_thread();
    assert_true(recorder->state == STORE_THREAD_EXITED && recorder->ended_ticks > 0);
    assert_true(recorder->cpu_ns == 5000 && strcmp(recorder->name, "newest name") == 0);
    assert_int_equal(LAB_NODE(A)->count, 1); /* what was open has ended */
    lab_enter(B, SP, 0);
    lab_exit(B, SP, 10);
    assert_int_equal(LAB_NODE(B)->total_ticks, 10);
    recorder_retire(6000, (char[16]){"again"});
    assert_int_equal(recorder->cpu_ns, 6000);
    assert_int_equal(control_process()->retired, 1);
}

static void a_thread_that_never_attached_has_nothing_to_retire(void **state)
{
    lab_open_store((struct recorder_options){0});
    recorder_retire(1, (char[16]){"nobody"});
    assert_int_equal(control_process()->retired + recorder_count(), 0);
    struct recorder_open_call call;
    assert_int_equal(recorder_open_calls(&call, 1), 0);
    recorder_inherit(&call, 1);
    recorder_count_lost(LOST_CALLS_AFTER_REPORT, 3);
    assert_int_equal(store_head(&lab.store)->lost[LOST_CALLS_AFTER_REPORT], 3);
}

static void up_to_the_limit_every_thread_has_its_own(void **state)
{
    lab_open_store((struct recorder_options){.max_threads = 5});
    for (uint32_t i = 0; i < 5; i++) {
        struct worker worker =
            worker_run((struct worker){.routine = ROUTINE, .work = a_call_within_a_call});
        assert_ptr_equal(worker.block->recorder, nth_recorder(i));
        assert_int_equal(nth_recorder(i)->id, i);
        assert_int_equal(nth_recorder(i)->tid, worker.tid);
        assert_int_equal(nth_recorder(i)->generations, 1);
    }
    assert_int_equal(recorder_count(), 5);
}

static void beyond_it_one_of_the_same_start_routine_is_taken_over(void **state)
{
    lab_open_store((struct recorder_options){.max_threads = 2});
    struct worker other = worker_run((struct worker){.routine = OTHER_ROUTINE});
    struct worker first = worker_run((struct worker){
        .routine = ROUTINE, .name = "first", .cpu_ns = 100, .work = a_call_within_a_call});
    struct worker next = worker_run((struct worker){
        .routine = ROUTINE, .name = "next", .cpu_ns = 30, .work = a_call_within_a_call});
    assert_true(next.block == first.block && next.block != other.block);
    const struct store_recorder *recorder = next.block->recorder;
    assert_int_equal(recorder->generations, 2);
    assert_int_equal(recorder->tid, next.tid);
    assert_string_equal(recorder->name, "next");
    assert_int_equal(recorder->cpu_ns, 130);
    assert_int_equal(LAB_NODE(A)->count, 2);
    assert_int_equal(LAB_NODE(A)->total_ticks, 200);
    assert_int_equal(recorder_count(), 2);
}

static bool is_fresh;

static void look_at_own_record(void)
{
    const struct store_recorder *own = control->recorder;
    is_fresh = own->state == STORE_THREAD_RUNNING && !own->ended_ticks && !control->inherited &&
               !control->busy_sp && !control->too_deep && control->stack->low == LAB_LOW;
    enter(C, SP, 0);
    leave(C, SP, 5);
}

static void without_one_another_is_folded_into_other_threads(void **state)
{
    lab_open_store((struct recorder_options){.max_threads = 1});
    struct worker first = worker_run(
        (struct worker){.routine = OTHER_ROUTINE, .cpu_ns = 100, .work = a_call_within_a_call});
    struct worker next = worker_run((struct worker){
        .routine = ROUTINE, .name = "next", .cpu_ns = 30, .work = look_at_own_record});
    assert_true(is_fresh && next.block == first.block);
    assert_int_equal(LAB_NODE(A)->count, 0);
    assert_int_equal(LAB_NODE(C)->total_ticks, 5);
    const struct store_recorder *own = nth_recorder(0), *others = nth_recorder(1);
    assert_int_equal(own->generations, 1);
    assert_int_equal(own->cpu_ns, 30);
    assert_int_equal(own->start_routine, ROUTINE);
    assert_string_equal(others->name, "[other threads]");
    assert_int_equal(others->cpu_ns, 100);
    lab.block = control_block(control_process()->others - 1);
    assert_int_equal(LAB_NODE(A)->total_ticks, 100);
    assert_int_equal(LAB_NODE(A, B)->total_ticks, 5);
    assert_int_equal(lab_lost(LOST_THREADS_MERGED), 1);
    /* And the row itself is nobody's to take over. */
    for (int i = 0; i < 3; i++) (void)worker_run((struct worker){.routine = 0});
    assert_int_equal(recorder_count(), 2);
    assert_int_equal(others->generations, 2);
}

static void leave_a_mess(void)
{
    recorder_note_stack(0x10000000, 0x10008000);
    enter(A, SP, 0);
    enter(B, SP - 16, 0);
    enter(A, 0x10007000, 0);
    control->too_deep = 3;
    (void)control_begin(control, SP - 32); /* it ends amid a slow path */
}

static void a_successor_finds_neither_open_calls_nor_a_busy_flag(void **state)
{
    lab_open_store((struct recorder_options){.max_threads = 1});
    (void)worker_run((struct worker){.routine = ROUTINE, .work = leave_a_mess});
    (void)worker_run((struct worker){.routine = ROUTINE, .work = look_at_own_record});
    assert_true(is_fresh);
    assert_int_equal(LAB_NODE(A)->count, 2);
    assert_int_equal(LAB_NODE(A, B)->count, 1);
    assert_int_equal(LAB_NODE(C)->total_ticks, 5);
    assert_int_equal(lab_depth(), 0);
}

static void threads_that_live_at_once_all_have_their_own(void **state)
{
    enum { ALIVE = 6 };
    struct worker workers[ALIVE];
    pthread_barrier_t meeting;
    lab_open_store((struct recorder_options){.max_threads = 2});
    pthread_barrier_init(&meeting, NULL, ALIVE);
    for (int i = 0; i < ALIVE; i++) {
        workers[i] =
            (struct worker){.routine = ROUTINE, .work = a_call_within_a_call, .meeting = &meeting};
        worker_start(&workers[i]);
    }
    for (int i = 0; i < ALIVE; i++) worker_finish(&workers[i]);
    pthread_barrier_destroy(&meeting);
    assert_int_equal(recorder_count(), ALIVE);
    for (int i = 0; i < ALIVE; i++) {
        for (int k = 0; k < i; k++) assert_ptr_not_equal(workers[i].block, workers[k].block);
        lab.block = workers[i].block;
        assert_int_equal(LAB_NODE(A)->count, 1);
    }
    (void)worker_run((struct worker){.routine = ROUTINE});
    assert_int_equal(recorder_count(), ALIVE);
}

enum { SPAWNERS = 4, SPAWNS = 40, CALLS = 50 };

static void many_calls(void)
{
    for (uint64_t i = 0; i < CALLS; i++) {
        enter(A + i % 5 * 16, SP, i);
        enter(B, SP - 16, i);
        leave(B, SP - 16, i + 1);
        leave(A + i % 5 * 16, SP, i + 2);
    }
}

static void *spawn(void *refused)
{
    for (uintptr_t i = 0; i < SPAWNS; i++) {
        struct worker worker = {.routine = ROUTINE + i % 3, .cpu_ns = 1, .work = many_calls};
        if (pthread_create(&worker.thread, NULL, worker_live, &worker)) return refused;
        pthread_join(worker.thread, NULL);
        if (!worker.block) return refused;
    }
    return NULL;
}

/* Sums over all recorders of the store. */
static void add_up(uint64_t *calls, uint64_t *ticks, uint64_t *threads, uint64_t *cpu_ns)
{
    for (uint32_t i = 0; i < control_process()->blocks_used; i++) {
        const struct control *block = control_block(i);
        const struct store_node *node;
        for (uint32_t k = 0; (node = lab_nth_node(block, k)); k++) {
            *calls += node->count;
            *ticks += node->total_ticks;
        }
        *threads += block->recorder->generations;
        *cpu_ns += block->recorder->cpu_ns;
    }
}

static void threads_that_come_and_go_at_once_lose_no_call(void **state)
{
    pthread_t spawners[SPAWNERS];
    uint64_t calls = 0, ticks = 0, threads = 0, cpu_ns = 0;
    lab_open_store((struct recorder_options){.max_threads = 3});
    for (int i = 0; i < SPAWNERS; i++) {
        assert_int_equal(pthread_create(&spawners[i], NULL, spawn, state), 0);
    }
    for (int i = 0; i < SPAWNERS; i++) {
        void *result;
        assert_true(pthread_join(spawners[i], &result) == 0 && !result);
    }
    add_up(&calls, &ticks, &threads, &cpu_ns);
    assert_int_equal(calls, SPAWNERS * SPAWNS * CALLS * 2);
    assert_int_equal(ticks, SPAWNERS * SPAWNS * CALLS * 3);
    assert_int_equal(threads, SPAWNERS * SPAWNS);
    assert_int_equal(cpu_ns, SPAWNERS * SPAWNS);
    for (uint32_t i = 0; i < recorder_count(); i++) assert_int_equal(nth_recorder(i)->id, i);
}

static void without_memory_a_thread_records_nothing_and_is_counted(void **state)
{
    lab_open_store((struct recorder_options){0});
    lab_exhaust();
    const struct recorder_thread thread = {.tid = (uint32_t)gettid(), .stack_high = UINTPTR_MAX};
    assert_int_equal(recorder_attach(&thread), -ENOMEM);
    assert_null(recorder_of_thread());
    assert_int_equal(store_head(&lab.store)->lost[LOST_CALLS_NO_MEMORY], 1);
    assert_int_equal(recorder_count(), 0);
    recorder_forget_code(0, UINT64_MAX); /* meets a block without a recorder */
}

static void open_calls_are_told_outermost_first(void **state)
{
    struct recorder_open_call calls[4] = {{0}};
    lab_open((struct recorder_options){0});
    assert_int_equal(recorder_open_calls(calls, 4), 0);
    lab_enter(A, SP, 0);
    lab_enter(B, SP - 16, 0);
    lab.block->top++; /* an interrupted hook's */
    lab_enter(C, SP - 32, 0);
    assert_int_equal(recorder_open_calls(calls, 2), 3);
    assert_int_equal(calls[0].address, A);
    assert_int_equal(calls[0].sp, SP);
    assert_int_equal(calls[1].address, B);
    assert_int_equal(recorder_open_calls(calls, 4), 3);
    assert_int_equal(calls[2].address, C);
    assert_int_equal(calls[2].sp, SP - 32);
}

static const struct recorder_open_call inherited[] = {{A, SP}, {B, SP - 16}};
static const uint64_t a_inherited = A | STORE_MARK_INHERITED;
static const uint64_t b_inherited = B | STORE_MARK_INHERITED;

static void inherit(void)
{
    lab_open((struct recorder_options){0});
    recorder_inherit(inherited, 2);
    assert_int_equal(lab_depth(), 2);
}

static void assert_inherited_are_uncounted(void)
{
    uint64_t counted = LAB_NODE(a_inherited)->count + LAB_NODE(a_inherited, b_inherited)->count;
    assert_int_equal(counted + lab_lost(LOST_UNMATCHED_EXITS), 0);
}

static void inherited_calls_are_open_and_their_exits_silent(void **state)
{
    struct recorder_open_call calls[2];
    inherit();
    assert_int_equal(recorder_open_calls(calls, 2), 2);
    assert_memory_equal(calls, inherited, sizeof calls); /* for a grandchild */
    lab_enter(C, SP - 32, 0);
    lab_exit(C, SP - 32, 10);
    assert_int_equal(LAB_NODE(a_inherited, b_inherited, C)->total_ticks, 10);
    lab_exit(B, SP - 16, 20);
    assert_int_equal(lab_depth(), 1);
    lab_enter(D, SP - 16, 30);
    lab_exit(D, SP - 16, 35);
    assert_int_equal(LAB_NODE(a_inherited, D)->total_ticks, 5);
    lab_exit(A, SP, 40);
    assert_int_equal(lab_depth(), 0);
    assert_inherited_are_uncounted();
    lab_exit(A, SP, 50);
    assert_int_equal(lab_lost(LOST_UNMATCHED_EXITS), 1);
}

static void a_call_of_ones_own_ends_before_an_inherited_one(void **state)
{
    inherit();
    lab_enter(A, SP - 32, 0);
    lab_exit(A, SP - 32, 10);
    assert_int_equal(LAB_NODE(a_inherited, b_inherited, A)->total_ticks, 10);
    assert_int_equal(lab_depth(), 2);
    lab_enter(C, SP - 32, 20);
    lab_exit(A, SP, 25); /* ends the inherited A with all above it */
    assert_int_equal(LAB_NODE(a_inherited, b_inherited, C)->total_ticks, 5);
    assert_int_equal(lab_depth(), 0);
    assert_inherited_are_uncounted();
}

static void inherited_calls_left_by_longjmp_are_dropped(void **state)
{
    inherit();
    lab_enter(C, SP - 15, 0); /* B is gone */
    lab_exit(C, SP - 15, 5);
    assert_int_equal(LAB_NODE(a_inherited, C)->total_ticks, 5);
    lab_enter(D, SP + 1, 0); /* A too */
    assert_non_null(LAB_NODE(D));
    assert_int_equal(lab_depth(), 1);
    assert_inherited_are_uncounted();
}

static void many_calls_can_be_inherited(void **state)
{
    enum { MANY = 1000 };
    static struct recorder_open_call calls[MANY], found[MANY];
    static const uint32_t limits[] = {0, 16};
    for (int i = 0; i < 2; i++) {
        lab_open((struct recorder_options){.max_nodes = limits[i]});
        for (uint64_t k = 0; k < MANY; k++) {
            calls[k] = (struct recorder_open_call){A + k % 20 * 16, SP + MANY - k};
        }
        recorder_inherit(calls, MANY);
        assert_int_equal(recorder_open_calls(found, MANY), MANY);
        assert_memory_equal(found, calls, sizeof calls);
        for (uint64_t k = MANY; k > 0; k--) lab_exit(calls[k - 1].address, calls[k - 1].sp, 1);
        assert_int_equal(lab_depth(), 0);
        assert_int_equal(lab_lost(LOST_UNMATCHED_EXITS), 0);
        lab_close(state);
    }
}

static void forgotten_code_is_marked_in_every_recorder(void **state)
{
    lab_open((struct recorder_options){0});
    struct worker worker =
        worker_run((struct worker){.routine = ROUTINE, .work = a_call_within_a_call});
    lab.block = control;
    lab_enter(A, SP, 0);
    lab_enter(B, SP - 16, 0);
    lab_exit(B, SP - 16, 5);
    recorder_forget_code(B, B + 1);
    const uint64_t gone = B | STORE_MARK_UNLOADED;
    assert_int_equal(LAB_NODE(A, gone)->total_ticks, 5);
    assert_non_null(lab_function(lab.block, gone));
    assert_non_null(lab_node(worker.block, (const uint64_t[]){A, gone}, 2));
    assert_non_null(lab_function(worker.block, gone));
    lab_enter(B, SP - 16, 10); /* another function by now */
    lab_exit(B, SP - 16, 30);
    assert_int_equal(LAB_NODE(A, B)->total_ticks, 20);
    assert_ptr_not_equal(lab_function(lab.block, B), lab_function(lab.block, gone));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        LAB_CASE(a_thread_gets_a_recorder_that_knows_it),
        LAB_CASE(a_retired_thread_leaves_its_end_and_goes_on_recording),
        LAB_CASE(a_thread_that_never_attached_has_nothing_to_retire),
        LAB_CASE(up_to_the_limit_every_thread_has_its_own),
        LAB_CASE(beyond_it_one_of_the_same_start_routine_is_taken_over),
        LAB_CASE(without_one_another_is_folded_into_other_threads),
        LAB_CASE(a_successor_finds_neither_open_calls_nor_a_busy_flag),
        LAB_CASE(threads_that_live_at_once_all_have_their_own),
        LAB_CASE(threads_that_come_and_go_at_once_lose_no_call),
        LAB_CASE(without_memory_a_thread_records_nothing_and_is_counted),
        LAB_CASE(open_calls_are_told_outermost_first),
        LAB_CASE(inherited_calls_are_open_and_their_exits_silent),
        LAB_CASE(a_call_of_ones_own_ends_before_an_inherited_one),
        LAB_CASE(inherited_calls_left_by_longjmp_are_dropped),
        LAB_CASE(many_calls_can_be_inherited),
        LAB_CASE(forgotten_code_is_marked_in_every_recorder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT
 *
 * The block that the hooks load first: zeros send them to the slow path, a child of any fork finds
 * zeros, and no two threads get the same one. */
#include "control/control.h"

#include "../record/lab.h"

#include "record/frames.h"
#include "record/frames_hot.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "../record/wiped.h"

enum { A = 0xa000 };

static bool is_zero(const void *bytes, size_t count)
{
    const uint8_t *at = bytes;
    for (size_t i = 0; i < count; i++) {
        if (at[i]) return false;
    }
    return true;
}

static bool goes_slow(struct control *block)
{
    return !frames_try_enter(block, A) && !frames_try_enter_probing(block, A, stack_address()) &&
           !frames_try_exit(block, block->top, A, clock_counter());
}

static void a_block_of_zeros_sends_both_hooks_to_the_slow_path(void **state)
{
    struct control block = {0};
    assert_true(goes_slow(&block));
    assert_true(is_zero(&block, sizeof block));
    assert_true(goes_slow(&control_none) && goes_slow(&control_refused));
}

static void *has_no_block(void *unused) { return control == &control_none ? unused : NULL; }

static void a_thread_begins_without_a_block(void **state)
{
    pthread_t thread;
    void *result;
    assert_ptr_equal(control, &control_none);
    lab_open((struct recorder_options){0});
    assert_int_equal(pthread_create(&thread, NULL, has_no_block, state), 0);
    assert_int_equal(pthread_join(thread, &result), 0);
    assert_ptr_equal(result, state);
    assert_ptr_not_equal(control, &control_none);
    assert_true(is_zero(&control_none, sizeof control_none));
}

static void a_block_is_zeroed_taken_and_on_lines_of_its_own(void **state)
{
    assert_non_null(control_process());
    assert_ptr_equal(control_process(), control_process());
    struct control *first = control_take(), *second = control_take();
    assert_int_equal(control_process()->blocks_used, 2);
    assert_ptr_equal(control_block(0), first);
    assert_ptr_equal(control_block(1), second);
    assert_int_equal(first->in_use, 1);
    first->in_use = 0;
    assert_true(is_zero(first, sizeof *first));
    assert_int_equal((uintptr_t)first % 128, 0);
    assert_true((char *)second - (char *)first >= 256);
}

static void when_all_are_taken_there_is_none(void **state)
{
    uint32_t taken = 0;
    while (taken < 1000000 && control_take()) taken++;
    assert_int_equal(taken, 65536);
    assert_int_equal(control_process()->blocks_used, taken);
    assert_null(control_take());
    assert_int_equal(control_process()->blocks_used, taken);
    control_block(taken - 1)->too_deep = 1;
    control_wipe();
    struct control *block = control_take();
    assert_non_null(block);
    assert_ptr_equal(block, control_block(0));
    for (uint32_t i = 1; i < taken; i++) assert_true(is_zero(control_block(i), sizeof *block));
}

enum { THREADS = 8, BLOCKS = 1000 };
static struct control *taken_blocks[THREADS * BLOCKS];

static void *take_many(void *argument)
{
    struct control **blocks = argument;
    for (int i = 0; i < BLOCKS; i++) {
        blocks[i] = control_take();
        if (blocks[i]) blocks[i]->too_deep++;
    }
    return NULL;
}

static int compare(const void *one, const void *two)
{
    uintptr_t a = *(const uintptr_t *)one, b = *(const uintptr_t *)two;
    return (a > b) - (a < b);
}

static void threads_that_take_at_once_get_different_ones(void **state)
{
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) {
        struct control **blocks = &taken_blocks[i * BLOCKS];
        assert_int_equal(pthread_create(&threads[i], NULL, take_many, blocks), 0);
    }
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    qsort(taken_blocks, THREADS * BLOCKS, sizeof taken_blocks[0], compare);
    for (int i = 0; i < THREADS * BLOCKS; i++) {
        assert_non_null(taken_blocks[i]);
        assert_int_equal(taken_blocks[i]->too_deep, 1);
        if (i) assert_ptr_not_equal(taken_blocks[i], taken_blocks[i - 1]);
    }
    assert_int_equal(control_process()->blocks_used, THREADS * BLOCKS);
}

/* In a child: 0 when nothing of the parent's is left and its first hooks would go slow. */
static int check_child(void)
{
    if (!control_is_wiped_on_fork()) control_wipe();
    if (!is_zero(control_process(), sizeof(struct control_process))) return 1;
    if (!is_zero(control, sizeof *control)) return 2;
    if (!goes_slow(control) || !is_zero(control, sizeof *control)) return 3;
    control_forget_wiped();
    if (control != &control_none) return 4;
    if (control_take() != control_block(0) || control_process()->blocks_used != 1) return 5;
    return 0;
}

static int status_of(pid_t child)
{
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

static void assert_untouched(const struct control *before, const struct control_process *process)
{
    assert_memory_equal(control, before, sizeof *before);
    assert_memory_equal(control_process(), process, sizeof *process);
}

static void a_forked_child_finds_zeros_and_its_parent_everything(void **state)
{
    skip_unless_pages_are_wiped();
    lab_open((struct recorder_options){0});
    lab_enter(A, LAB_HIGH - 64, 0);
    struct control before = *control;
    struct control_process process = *control_process();
    pid_t child = fork();
    if (child == 0) _exit(check_child());
    assert_int_equal(status_of(child), 0);
    assert_untouched(&before, &process);
    control_forget_wiped();
    assert_ptr_equal(control, lab.block);
}

static void so_does_the_child_of_a_raw_clone(void **state)
{
    skip_unless_pages_are_wiped();
    lab_open((struct recorder_options){0});
    struct control before = *control;
    struct control_process process = *control_process();
    pid_t child = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
    if (child == 0) _exit(check_child());
    assert_int_equal(status_of(child), 0);
    assert_untouched(&before, &process);
}

static void a_grandchild_finds_zeros_too(void **state)
{
    skip_unless_pages_are_wiped();
    lab_open((struct recorder_options){0});
    pid_t child = fork();
    if (child == 0) {
        if (check_child()) _exit(6);
        control = control_block(0);
        control->top = (struct store_frame *)(void *)control; /* the child records */
        pid_t grandchild = fork();
        if (grandchild == 0) _exit(check_child());
        int status = -1;
        _exit(waitpid(grandchild, &status, 0) == grandchild && status == 0 ? 0 : 7);
    }
    assert_int_equal(status_of(child), 0);
}

static void while_busy_hooks_go_slow_and_nobody_else_begins(void **state)
{
    lab_open_here((struct recorder_options){0});
    struct control before = *control;
    assert_true(control_begin(control, 1000));
    assert_int_equal(control->busy_sp, 1000);
    assert_true(goes_slow(control));
    assert_false(control_begin(control, 900));
    assert_int_equal(control->busy_sp, 1000);
    control->busy_depth = 2; /* a handler's calls that it left by longjmp */
    control_end(control);
    assert_memory_equal(control, &before, sizeof before);
    assert_true(control_begin(control, 900));
    control_end(control);
}

static void what_must_stay_slow_stays_slow_after_it(void **state)
{
    lab_open_here((struct recorder_options){0});
    assert_true(control_begin(control, 1000));
    control->too_deep = 1;
    control_end(control);
    assert_true(goes_slow(control));
    assert_true(control_begin(control, 1000));
    control->too_deep = 0;
    control_end(control);
    assert_int_not_equal(control->frames_bytes, 0);
    assert_true(control_begin(control, 1000));
    control->always_slow = 1;
    control_end(control);
    assert_true(goes_slow(control));
}

static void call(uint64_t address, uintptr_t sp)
{
    assert_true(control_begin(lab.block, sp));
    frames_enter(lab.block, address, sp);
    control_end(lab.block);
}

static void visit_slow_path(void)
{
    assert_true(control_begin(control, 1000));
    control_end(control);
}

static void while_paused_enters_go_slow(void **state)
{
    lab_open_here((struct recorder_options){0});
    struct control before = *control;
    void (*const ways[][2])(void) = {{control_pause, control_resume},
                                     {control_pause_thread, control_resume_thread}};
    for (int i = 0; i < 2; i++) {
        ways[i][0](), ways[i][0]();
        assert_true(control_is_paused());
        for (int resumes = 0; resumes < 2; resumes++) {
            assert_int_equal(control->frames_bytes, 0);
            assert_int_equal(control->category_count, 0);
            assert_int_equal(control->stack_bytes, before.stack_bytes); /* exits do not */
            visit_slow_path();
            ways[i][1]();
        }
        assert_false(control_is_paused());
        ways[i][1](); /* once too often */
        assert_false(control_is_paused());
        visit_slow_path();
        assert_memory_equal(control, &before, sizeof before);
    }
}

enum { TOP = LAB_HIGH - 0x1000, B = 0xb000, C = 0xc000, D = 0xd000 };

static void calls_while_paused_are_in_balance_and_not_recorded(void **state)
{
    lab_open((struct recorder_options){0});
    lab_enter(A, TOP, 100);
    control_pause_thread();
    call(B, TOP - 16), call(A, TOP - 32), call(B, TOP - 48);
    assert_int_equal(lab_depth(), 4);
    assert_int_equal(LAB_NODE(A)->count, 0);
    /* The muted call of A stands on A's node: the straight line must not take it for A's own. */
    lab_exit(B, TOP - 48, 150);
    assert_false(frames_try_exit(lab.block, lab.block->top, A, clock_counter()));
    lab_exit(A, TOP - 32, 160), lab_exit(B, TOP - 16, 170);
    assert_int_equal(lab_depth(), 1);
    assert_int_equal(lab_lost(LOST_UNMATCHED_EXITS), 0);
    lab_exit(A, TOP, 200); /* was open: is recorded */
    assert_int_equal(LAB_NODE(A)->count, 1);
    assert_int_equal(LAB_NODE(A)->total_ticks, 100);
    assert_null(LAB_NODE(A, B));
    control_resume_thread();
}

static void a_call_below_a_muted_one_belongs_to_the_call_around_it(void **state)
{
    lab_open((struct recorder_options){0});
    lab_enter(A, TOP, 100);
    control_pause();
    call(B, TOP - 16), call(C, TOP - 32);
    control_resume();
    lab_enter(D, TOP - 48, 120);
    lab_exit(D, TOP - 48, 130);
    assert_int_equal(LAB_NODE(A, D)->count, 1);
    lab_enter(A, TOP + 16, 150); /* a longjmp left all of them */
    assert_int_equal(lab_depth(), 1);
    assert_int_equal(LAB_NODE(A)->count, 1);
    assert_null(LAB_NODE(A, B));
    assert_null(LAB_NODE(A, C));
}

/* Set by the pausing thread when its pause is made; the other says what it then sees. */
static uint32_t is_made, verdicts, stays_fast;

static void *works_slowly(void *unused)
{
    const struct recorder_thread thread = {.tid = 2, .stack_high = UINTPTR_MAX};
    assert_int_equal(recorder_attach(&thread), 0);
    for (uint32_t round = 1; round <= 2000;) {
        visit_slow_path();
        if (__atomic_load_n(&is_made, __ATOMIC_ACQUIRE) != round) continue;
        if (control->frames_bytes) stays_fast++;
        __atomic_store_n(&verdicts, round++, __ATOMIC_RELEASE);
    }
    return NULL;
}

static void no_slow_path_of_another_thread_undoes_a_pause(void **state)
{
    pthread_t thread;
    lab_open((struct recorder_options){0});
    is_made = verdicts = stays_fast = 0;
    assert_int_equal(pthread_create(&thread, NULL, works_slowly, NULL), 0);
    for (uint32_t round = 1; round <= 2000; round++) {
        control_pause();
        __atomic_store_n(&is_made, round, __ATOMIC_RELEASE);
        while (__atomic_load_n(&verdicts, __ATOMIC_ACQUIRE) != round) {
        }
        control_resume();
    }
    pthread_join(thread, NULL);
    assert_int_equal(stays_fast, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        LAB_CASE(a_block_of_zeros_sends_both_hooks_to_the_slow_path),
        LAB_CASE(a_thread_begins_without_a_block),
        LAB_CASE(a_block_is_zeroed_taken_and_on_lines_of_its_own),
        LAB_CASE(when_all_are_taken_there_is_none),
        LAB_CASE(threads_that_take_at_once_get_different_ones),
        LAB_CASE(a_forked_child_finds_zeros_and_its_parent_everything),
        LAB_CASE(so_does_the_child_of_a_raw_clone),
        LAB_CASE(a_grandchild_finds_zeros_too),
        LAB_CASE(while_busy_hooks_go_slow_and_nobody_else_begins),
        LAB_CASE(what_must_stay_slow_stays_slow_after_it),
        LAB_CASE(while_paused_enters_go_slow),
        LAB_CASE(calls_while_paused_are_in_balance_and_not_recorded),
        LAB_CASE(a_call_below_a_muted_one_belongs_to_the_call_around_it),
        LAB_CASE(no_slow_path_of_another_thread_undoes_a_pause),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

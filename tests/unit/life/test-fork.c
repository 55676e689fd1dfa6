/* SPDX-License-Identifier: MIT
 *
 * Forked children: fresh until their first event, then on their own, with their parent's open
 * calls. */
#include "life/fork.h"

#include "fake-companion.h"

#include "life/finish.h"
#include "life/start.h"
#include "life/thread.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

void __cyg_profile_func_enter(void *function, void *site);
void __cyg_profile_func_exit(void *function, void *site);

static char functions[200]; /* their addresses are names enough */

/* In a child: what it is to end with. */
static void check_in_child(int (*check)(void))
{
    struct fork_notes notes;
    int status;
    fork_prepare(&notes);
    pid_t child = fork();
    if (child == 0) {
        fork_child(&notes);
        _exit(check());
    }
    fork_parent(&notes);
    waitpid(child, &status, 0);
    if (status) _exit(WEXITSTATUS(status));
}

static uint32_t open_calls(uint64_t *innermost)
{
    struct recorder_open_call calls[200];
    uint32_t count = recorder_open_calls(calls, 200);
    *innermost = count ? calls[count - 1].address : 0;
    return count;
}

static int child_is_fresh(void)
{
    char parents[sizeof process.store.path];
    memcpy(parents, process.store.path, sizeof parents);
    if (!fork_is_fresh_child() || finish_is_ours()) return 1;
    if (!thread_attach()) return 2;
    if (fork_is_fresh_child() || !finish_is_ours()) return 3;
    if (strcmp(parents, process.store.path) == 0) return 4;
    if (process.is_root || !strstr(process.out, "report.")) return 5;
    finish_process(STORE_ENDING_EXIT, 0);
    return access(parents, F_OK) ? 6 : 0; /* the parent's store is untouched */
}

static void fork_fresh(void)
{
    fake_record();
    check_in_child(child_is_fresh);
    finish_process(STORE_ENDING_EXIT, 0);
    _exit(0);
}

static void a_child_has_a_store_and_a_report_of_its_own(void **state)
{
    assert_int_equal(fake_child(fork_fresh), 0);
    assert_int_equal(fake_files(".json"), 2);
    assert_int_equal(fake_files(".store"), 0);
}

static int calls_are_inherited(void)
{
    uint64_t innermost;
    if (!thread_attach()) return 2;
    if (open_calls(&innermost) != 2 || innermost != (uintptr_t)&functions[1]) return 3;
    __cyg_profile_func_exit(&functions[1], NULL);
    if (open_calls(&innermost) != 1 || innermost != (uintptr_t)&functions[0]) return 4;
    return 0;
}

static void fork_inside(void)
{
    uint64_t innermost;
    __cyg_profile_func_enter(&functions[0], NULL);
    __cyg_profile_func_enter(&functions[1], NULL);
    check_in_child(calls_are_inherited);
    if (open_calls(&innermost) != 2) _exit(7);
    _exit(0);
}

static void open_calls_reach_the_child(void **state)
{
    assert_int_equal(fake_child(fork_inside), 0);
}

static int many_are_inherited(void)
{
    uint64_t innermost;
    if (!thread_attach()) return 2;
    return open_calls(&innermost) == 150 && innermost == (uintptr_t)&functions[149] ? 0 : 3;
}

static void fork_deep_inside(void)
{
    for (int i = 0; i < 150; i++) __cyg_profile_func_enter(&functions[i], NULL);
    check_in_child(many_are_inherited);
    _exit(0);
}

static void many_open_calls_reach_the_child(void **state)
{
    assert_int_equal(fake_child(fork_deep_inside), 0);
}

static int is_not_recorded(void)
{
    if (thread_attach() || finish_is_ours()) return 1;
    return 0;
}

static void fork_unfollowed(void)
{
    fake_record();
    process.settings.follow = false;
    check_in_child(is_not_recorded);
    _exit(finish_is_ours() ? 0 : 8);
}

static void a_child_is_off_where_none_is_followed(void **state)
{
    assert_int_equal(fake_child(fork_unfollowed), 0);
}

static int forks_again(void)
{
    check_in_child(child_is_fresh); /* of a child that recorded nothing itself */
    return fork_is_fresh_child() ? 0 : 9;
}

static void fork_twice(void)
{
    fake_record();
    check_in_child(forks_again);
    _exit(0);
}

static void a_grandchild_of_a_silent_child_starts_too(void **state)
{
    assert_int_equal(fake_child(fork_twice), 0);
    assert_int_equal(fake_files(".json"), 1);
}

int main(void)
{
#define CASE(test) cmocka_unit_test_setup_teardown(test, fake_set_up, fake_tear_down)
    const struct CMUnitTest tests[] = {
        CASE(a_child_has_a_store_and_a_report_of_its_own),
        CASE(open_calls_reach_the_child),
        CASE(many_open_calls_reach_the_child),
        CASE(a_child_is_off_where_none_is_followed),
        CASE(a_grandchild_of_a_silent_child_starts_too),
    };
    return cmocka_run_group_tests_name("life/fork", tests, NULL, NULL);
}

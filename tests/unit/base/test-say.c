/* SPDX-License-Identifier: MIT
 *
 * Lines on descriptor 2, caught in a pipe: whole, prefixed, cut, and without harm when nobody
 * reads. */
#include "base/say.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static int pipe_ends[2], saved_stderr;

static int begin(void **state)
{
    saved_stderr = dup(2);
    return pipe(pipe_ends) || dup2(pipe_ends[1], 2) != 2;
}

static int end(void **state)
{
    dup2(saved_stderr, 2);
    close(saved_stderr);
    close(pipe_ends[1]);
    return 0;
}

static size_t caught(char *text, size_t capacity)
{
    ssize_t n = read(pipe_ends[0], text, capacity - 1);
    text[n > 0 ? n : 0] = '\0';
    return n > 0 ? (size_t)n : 0;
}

static void a_line_is_its_texts_between_prefix_and_newline(void **state)
{
    char text[256];
    say_line("one", " and ", "two", (char *)0);
    caught(text, sizeof text);
    assert_string_equal(text, "stint: one and two\n");
    close(pipe_ends[0]);
}

static void a_long_line_is_cut_and_still_ends_in_a_newline(void **state)
{
    char text[4096], lengthy[3000];
    memset(lengthy, 'x', sizeof lengthy);
    lengthy[sizeof lengthy - 1] = '\0';
    say_line(lengthy, (char *)0);
    size_t length = caught(text, sizeof text);
    assert_true(length > 900 && length <= 1024);
    assert_int_equal(text[length - 1], '\n');
    assert_ptr_equal(strchr(text, '\n'), text + length - 1);
    close(pipe_ends[0]);
}

static void control_characters_do_not_reach_the_terminal(void **state)
{
    char text[64];
    say_line("a\nb\033[1m\177c …", "\302\23331m é\302", "\240", (char *)0);
    caught(text, sizeof text);
    assert_string_equal(text, "stint: a?b?[1m?c …?31m é\302\240\n");
    close(pipe_ends[0]);
}

static volatile sig_atomic_t signals;

static void count_signal(int number) { signals++; }

static void a_closed_stderr_raises_no_signal(void **state)
{
    sighandler_t old = signal(SIGPIPE, count_signal);
    close(pipe_ends[0]);
    say_line("nobody hears this", (char *)0);
    assert_int_equal(signals, 0);
    signal(SIGPIPE, old);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_line_is_its_texts_between_prefix_and_newline, begin, end),
        cmocka_unit_test_setup_teardown(a_long_line_is_cut_and_still_ends_in_a_newline, begin, end),
        cmocka_unit_test_setup_teardown(control_characters_do_not_reach_the_terminal, begin, end),
        cmocka_unit_test_setup_teardown(a_closed_stderr_raises_no_signal, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

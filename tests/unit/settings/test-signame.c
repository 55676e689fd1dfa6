/* SPDX-License-Identifier: MIT
 *
 * Names against the system's own numbers, and what is refused. */
#include "settings/signame.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void expect(const char *text, int number)
{
    uint64_t parsed = 999;
    if (!signame_parse(text, &parsed) || parsed != (uint64_t)number)
        fail_msg("%s gives %llu", text, (unsigned long long)parsed);
}

static void names_and_numbers_are_taken(void **state)
{
    expect("none", 0);
    expect("USR1", SIGUSR1);
    expect("SIGUSR2", SIGUSR2);
    expect("12", SIGUSR2);
    expect("POLL", SIGPOLL);
    expect("RTMIN", SIGRTMIN);
    expect("SIGRTMIN+3", SIGRTMIN + 3);
    expect("RTMAX-2", SIGRTMAX - 2);
    expect("RTMAX", SIGRTMAX);
    for (int i = SIGRTMIN; i <= SIGRTMAX; i++) {
        char text[16];
        snprintf(text, sizeof text, "%d", i);
        expect(text, i);
        snprintf(text, sizeof text, "RTMIN+%d", i - SIGRTMIN);
        expect(text, i);
    }
}

/* Every other name that the system has, with and without its prefix, and its number. */
static void what_a_program_needs_is_refused(void **state)
{
    static const int taken[] = {SIGHUP, SIGUSR1, SIGUSR2,  SIGALRM, SIGPROF,  SIGVTALRM,
                                SIGIO,  SIGPWR,  SIGWINCH, SIGURG,  SIGSTKFLT};
    for (int number = 1; number < 34; number++) {
        char text[32];
        uint64_t parsed = 999;
        bool is_taken = false;
        for (size_t i = 0; i < sizeof taken / sizeof *taken; i++) is_taken |= taken[i] == number;
        const char *name = number < 32 ? sigabbrev_np(number) : NULL;
        snprintf(text, sizeof text, "%d", number);
        assert_int_equal(signame_parse(text, &parsed), is_taken);
        if (!name) continue;
        snprintf(text, sizeof text, "SIG%s", name);
        assert_int_equal(signame_parse(text, &parsed), is_taken);
        assert_int_equal(signame_parse(name, &parsed), is_taken);
        assert_int_equal(parsed, is_taken ? (uint64_t)number : 999);
    }
}

static void what_is_no_signal_is_refused(void **state)
{
    static const char *const texts[] = {"",
                                        "usr2",
                                        "USR",
                                        "USR22",
                                        "SIG",
                                        "SIGSIGUSR2",
                                        "0",
                                        "-1",
                                        "65",
                                        "99999999999",
                                        "RTMIN+",
                                        "RTMIN-1",
                                        "RTMIN+31",
                                        "RTMAX+1",
                                        "RTMAX-31",
                                        "RTMIN+x",
                                        "RTMIN+18446744073709551615",
                                        "None",
                                        "NONE"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        uint64_t parsed = 999;
        if (signame_parse(texts[i], &parsed) || parsed != 999) fail_msg("%s", texts[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_and_numbers_are_taken),
        cmocka_unit_test(what_a_program_needs_is_refused),
        cmocka_unit_test(what_is_no_signal_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT
 *
 * How a process ended, in the report's words. */
#include "load.h"

#include "report/ending.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct builder store;
static json_t *report;

static int lay_out(void **state)
{
    builder_init(&store, 1 << 20);
    report = NULL;
    return 0;
}

static int tear_down(void **state)
{
    json_decref(report);
    builder_fini(&store);
    return 0;
}

static void make_report(struct report_input options) { report = load_report(&store, options); }

static void an_exit_tells_its_status_and_when(void **state)
{
    builder_head(&store)->ending =
        (struct store_ending){.kind = STORE_ENDING_EXIT, .status = 3, .ticks = 2000000};
    make_report((struct report_input){.now_ticks = 9000000, .is_killed = 1});
    assert_string_equal(load_text(report, "process.ending.kind"), "exit");
    assert_int_equal(load_integer(report, "process.ending.status"), 3);
    assert_true(load_real(report, "process.duration_ms") == 2);
}

static void a_snapshot_is_one_whatever_is_recorded(void **state)
{
    builder_head(&store)->ending = (struct store_ending){.kind = STORE_ENDING_SIGNAL};
    make_report((struct report_input){.now_ticks = 1, .is_snapshot = 1});
    assert_string_equal(load_text(report, "process.ending.kind"), "snapshot");
    assert_int_equal(json_object_size(load_at(report, "process.ending")), 1);
}

static void a_signal_tells_what_where_and_whose(void **state)
{
    builder_recorder(&store, 1, 1);
    builder_recorder(&store, 1, 1);
    struct store_head *head = builder_head(&store);
    head->ending = (struct store_ending){.kind = STORE_ENDING_SIGNAL,
                                         .signal = SIGSEGV,
                                         .code = SEGV_MAPERR,
                                         .address = 0x10,
                                         .recorder = 2};
    make_report((struct report_input){.now_ticks = 1});
    json_t *ending = load_at(report, "process.ending");
    assert_string_equal(load_text(ending, "signal"), "SIGSEGV");
    assert_string_equal(load_text(ending, "code"), "SEGV_MAPERR");
    assert_string_equal(load_text(ending, "address"), "0x10");
    assert_int_equal(load_integer(ending, "thread"), 1);
    assert_false(load_has(ending, "backtrace"));
}

static void a_signal_from_outside_has_no_address(void **state)
{
    builder_head(&store)->ending =
        (struct store_ending){.kind = STORE_ENDING_SIGNAL, .signal = SIGSEGV, .code = SI_USER};
    make_report((struct report_input){.now_ticks = 1});
    assert_string_equal(load_text(report, "process.ending.code"), "SI_USER");
    assert_false(load_has(report, "process.ending.address"));
    assert_false(load_has(report, "process.ending.thread"));
}

static void return_addresses_keep_their_offset(void **state)
{
    builder_module(&store, "/no/a.so", 0x1000, 0x2000);
    struct store_ending *ending = &builder_head(&store)->ending;
    *ending = (struct store_ending){.kind = STORE_ENDING_SIGNAL, .signal = SIGABRT, .frames = 3};
    ending->backtrace = builder_alloc(&store, 24);
    uint64_t *addresses = builder_at(&store, ending->backtrace);
    addresses[0] = 0x1000;
    addresses[1] = 0x2000; /* the call was the module's last instruction */
    addresses[2] = 0x9000;
    make_report((struct report_input){.now_ticks = 1});
    json_t *backtrace = load_at(report, "process.ending.backtrace");
    assert_int_equal(json_array_size(backtrace), 3);
    assert_string_equal(load_text(backtrace, "0.offset"), "0x0");
    assert_string_equal(load_text(backtrace, "1.offset"), "0x1000");
    assert_string_equal(load_text(backtrace, "1.module"), "/no/a.so");
    assert_true(json_is_null(load_at(backtrace, "2.module")));
}

static void a_killed_process_tells_what_its_parent_saw(void **state)
{
    struct killed_status by_signal = {.wait_status = SIGKILL}, by_exit = {.wait_status = 5 << 8};
    make_report((struct report_input){.now_ticks = 1, .is_killed = 1, .killed = &by_signal});
    assert_string_equal(load_text(report, "process.ending.kind"), "killed");
    assert_string_equal(load_text(report, "process.ending.signal"), "SIGKILL");
    json_decref(report);
    make_report((struct report_input){.now_ticks = 1, .is_killed = 1, .killed = &by_exit});
    assert_int_equal(load_integer(report, "process.ending.status"), 5);
    json_decref(report);
    make_report((struct report_input){.now_ticks = 1, .is_killed = 1});
    assert_int_equal(json_object_size(load_at(report, "process.ending")), 1);
}

static void codes_and_signals_without_a_name_are_numbers(void **state)
{
    char text[32];
    assert_string_equal(ending_signal_name(SIGTERM, text), "SIGTERM");
    assert_string_equal(ending_signal_name(37, text), "SIGRTMIN+3");
    assert_string_equal(ending_signal_name(99, text), "99");
    assert_string_equal(ending_code_name(SIGBUS, BUS_ADRERR, text), "BUS_ADRERR");
    assert_string_equal(ending_code_name(SIGFPE, FPE_INTDIV, text), "FPE_INTDIV");
    assert_string_equal(ending_code_name(SIGTERM, SI_TKILL, text), "SI_TKILL");
    assert_string_equal(ending_code_name(SIGTERM, 1, text), "1");
    assert_string_equal(ending_code_name(SIGSEGV, -77, text), "-77");
}

#define IN_STORE(test) cmocka_unit_test_setup_teardown(test, lay_out, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_STORE(an_exit_tells_its_status_and_when),
        IN_STORE(a_snapshot_is_one_whatever_is_recorded),
        IN_STORE(a_signal_tells_what_where_and_whose),
        IN_STORE(a_signal_from_outside_has_no_address),
        IN_STORE(return_addresses_keep_their_offset),
        IN_STORE(a_killed_process_tells_what_its_parent_saw),
        cmocka_unit_test(codes_and_signals_without_a_name_are_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

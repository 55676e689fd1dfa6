/* SPDX-License-Identifier: MIT
 *
 * The whole document: accepted by its schema as an independent validator sees it, in any locale,
 * whole under its name or not there. */
#include "load.h"

#include <errno.h>
#include <locale.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static struct builder store;
static char directory[] = "/tmp/stint-write-XXXXXX";
static char path[128];

static void lay_out_thread(int is_second)
{
    struct store_recorder *recorder = builder_recorder(&store, 8, 4);
    store_ref function = builder_function(&store, recorder, 0x1100);
    store_ref category = builder_category(&store, recorder, "a \"quoted\"\n\tname \xff");
    store_ref node = builder_node(&store, recorder, recorder->root, function);
    for (uint64_t i = 1; i < 100; i++) builder_call(&store, node, i * i * 1000);
    builder_call(&store, builder_node(&store, recorder, node, category), 12345);
    store_ref samples = builder_category(&store, recorder, "Load");
    store_ref outside = builder_node(&store, recorder, 0, samples);
    for (uint64_t i = 1; i < 20; i++) {
        builder_call(&store, outside, i * 10);
        builder_sample(&store, samples, i * 10, is_second ? 5 : 50);
    }
    builder_frame(&store, builder_stack(&store, recorder, 4), node, 77);
    recorder->start_routine = is_second ? 0x1100 : 0;
    recorder->parent = (uint32_t)is_second;
    builder_folded_root(&store, recorder);
}

static int lay_out(void **state)
{
    builder_init(&store, 1 << 20);
    struct store_head *head = builder_head(&store);
    builder_module(&store, "/no/a.so", 0x1000, 0x2000)->build_id_bytes = 20;
    head->executable = builder_text(&store, "/bin/app", 8);
    head->arguments = builder_text(&store, "app\0-x", 6);
    head->overhead_ticks_1024 = 20000;
    head->cpu_ns = 5;
    head->ending = (struct store_ending){
        .kind = STORE_ENDING_SIGNAL, .signal = SIGSEGV, .code = 1, .recorder = 1, .frames = 1};
    head->ending.backtrace = builder_alloc(&store, 8);
    lay_out_thread(0);
    lay_out_thread(1);
    strcpy(directory + strlen(directory) - 6, "XXXXXX");
    if (!mkdtemp(directory)) return -1;
    snprintf(path, sizeof path, "%s/report.json", directory);
    return 0;
}

static int tear_down(void **state)
{
    builder_fini(&store);
    unlink(path);
    return rmdir(directory); /* fails if anything was left behind */
}

static int write_report(const char *name, struct report_input input)
{
    struct fault fault = {0};
    assert_int_equal(view_init(&input.view, store.base, builder_used(&store), &fault), 0);
    input.path = name;
    int error = report_write(&input, &fault);
    assert_int_equal(error, fault.error);
    assert_true(!error == !fault.text[0]);
    return error;
}

static void is_valid(struct report_input input)
{
    char command[1024];
    assert_int_equal(write_report(path, input), 0);
    if (system("/usr/bin/python3 -c 'import jsonschema' 2>/dev/null")) {
        print_message("# not validated: no python3-jsonschema\n");
        return;
    }
    snprintf(command, sizeof command,
             "/usr/bin/python3 -c 'import json, jsonschema\n"
             "schema = json.load(open(\"%s\"))\n"
             "jsonschema.Draft202012Validator.check_schema(schema)\n"
             "jsonschema.Draft202012Validator(schema).validate(json.load(open(\"%s\")))'",
             REPORT_SCHEMA, path);
    assert_int_equal(system(command), 0);
}

static void reports_of_every_kind_of_ending_obey_the_schema(void **state)
{
    struct killed_status killed = {.wait_status = SIGKILL};
    struct store_ending *ending = &builder_head(&store)->ending;
    is_valid((struct report_input){.now_ticks = 100000, .thread_trees = 1});
    is_valid((struct report_input){.now_ticks = 100000, .is_snapshot = 1});
    ending->kind = STORE_ENDING_EXIT;
    is_valid((struct report_input){.now_ticks = 100000});
    ending->kind = STORE_ENDING_EXEC;
    is_valid((struct report_input){.now_ticks = 100000});
    ending->kind = STORE_ENDING_NONE;
    is_valid((struct report_input){.is_killed = 1, .killed = &killed});
}

static void an_empty_store_obeys_the_schema(void **state)
{
    builder_head(&store)->recorders = 0;
    builder_head(&store)->modules = 0;
    is_valid((struct report_input){.is_killed = 1});
}

/* An installed one, or one made for the occasion where Debian's package `locales` is there. */
static int use_comma_locale(void)
{
    if (setlocale(LC_ALL, "de_DE.UTF-8")) return 1;
    char command[256];
    snprintf(command, sizeof command, "localedef -i de_DE -f UTF-8 %s/de_DE.UTF-8 2>/dev/null",
             directory);
    if (system(command)) return 0;
    setenv("LOCPATH", directory, 1);
    int is_set = setlocale(LC_ALL, "de_DE.UTF-8") != NULL;
    snprintf(command, sizeof command, "rm -r %s/de_DE.UTF-8", directory);
    return !system(command) && is_set;
}

static void a_comma_locale_changes_nothing(void **state)
{
    char before[1 << 16] = {0}, after[1 << 16] = {0};
    assert_int_equal(write_report(path, (struct report_input){.now_ticks = 100000}), 0);
    FILE *file = fopen(path, "r");
    size_t bytes = fread(before, 1, sizeof before - 1, file);
    fclose(file);
    if (!use_comma_locale()) {
        print_message("# not tested: no locale with a decimal comma, nor the means to make one\n");
        return;
    }
    assert_string_equal(localeconv()->decimal_point, ",");
    int error = write_report(path, (struct report_input){.now_ticks = 100000});
    setlocale(LC_ALL, "C");
    assert_int_equal(error, 0);
    file = fopen(path, "r");
    assert_int_equal(fread(after, 1, sizeof after - 1, file), bytes);
    fclose(file);
    assert_string_equal(before, after);
}

static void a_report_replaces_the_one_before(void **state)
{
    struct stat status;
    FILE *file = fopen(path, "w");
    for (int i = 0; i < 100000; i++) fputs("old", file);
    fclose(file);
    assert_int_equal(write_report(path, (struct report_input){.now_ticks = 1}), 0);
    json_t *report = json_load_file(path, 0, NULL);
    assert_non_null(report);
    json_decref(report);
    assert_int_equal(stat(path, &status), 0);
    assert_true(S_ISREG(status.st_mode));
}

static void a_missing_directory_is_a_fault(void **state)
{
    assert_int_equal(
        write_report("/no/such/directory/report.json", (struct report_input){.now_ticks = 1}),
        -ENOENT);
}

static void where_it_does_not_fit_nothing_is_left(void **state)
{
    struct rlimit before, small;
    getrlimit(RLIMIT_FSIZE, &before);
    small = (struct rlimit){.rlim_cur = 1000, .rlim_max = before.rlim_max};
    setrlimit(RLIMIT_FSIZE, &small);
    int error = write_report(path, (struct report_input){.now_ticks = 1});
    setrlimit(RLIMIT_FSIZE, &before);
    assert_int_equal(error, -EFBIG);
    assert_int_equal(access(path, F_OK), -1); /* and tear_down finds the directory empty */
}

static void a_full_device_is_a_fault_and_stays_a_device(void **state)
{
    struct stat status;
    assert_int_equal(write_report("/dev/full", (struct report_input){.now_ticks = 1}), -ENOSPC);
    assert_int_equal(stat("/dev/full", &status), 0);
    assert_true(S_ISCHR(status.st_mode));
}

static void thread_trees_come_from_the_stores_flag_or_by_request(void **state)
{
    json_t *report = load_report(&store, (struct report_input){.now_ticks = 1});
    assert_false(load_has(report, "threads.0.call_tree"));
    json_decref(report);
    builder_head(&store)->flags |= STORE_THREAD_TREES;
    report = load_report(&store, (struct report_input){.now_ticks = 1});
    assert_true(load_has(report, "threads.1.call_tree"));
    json_decref(report);
}

static void threads_tell_who_they_are(void **state)
{
    json_t *report = load_report(&store, (struct report_input){.now_ticks = 5000});
    assert_string_equal(load_text(report, "threads.0.name"), "app");
    assert_true(json_is_null(load_at(report, "threads.0.start_routine")));
    assert_true(json_is_null(load_at(report, "threads.0.parent")));
    assert_int_equal(load_integer(report, "threads.1.parent"), 0);
    assert_int_equal(load_integer(report, "threads.1.tid"), 4243);
    assert_string_equal(load_text(report, "threads.1.start_routine"), "a.so+0x100");
    assert_string_equal(load_text(report, "threads.1.state"), "running");
    json_decref(report);
}

static void a_real_symbol_gives_a_real_name(void **state)
{
    char self[4096];
    ssize_t bytes = readlink("/proc/self/exe", self, sizeof self - 1);
    self[bytes] = '\0';
    builder_module(&store, self, 0x100000, 0x10000000);
    struct store_recorder *recorder = builder_recorder(&store, 4, 1);
    extern char __executable_start;
    uint64_t offset = (uint64_t)(uintptr_t)load_report - (uint64_t)(uintptr_t)&__executable_start;
    store_ref function = builder_function(&store, recorder, 0x100000 + offset);
    builder_call(&store, builder_node(&store, recorder, recorder->root, function), 5);
    json_t *report = load_report(&store, (struct report_input){.now_ticks = 5000});
    json_t *found = load_named(load_at(report, "functions"), "name", "load_report");
    assert_string_equal(load_text(found, "raw_name"), "load_report");
    assert_string_equal(load_text(found, "module"), self);
    json_decref(report);
}

#define IN_STORE(test) cmocka_unit_test_setup_teardown(test, lay_out, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_STORE(reports_of_every_kind_of_ending_obey_the_schema),
        IN_STORE(an_empty_store_obeys_the_schema),
        IN_STORE(a_comma_locale_changes_nothing),
        IN_STORE(a_report_replaces_the_one_before),
        IN_STORE(a_missing_directory_is_a_fault),
        IN_STORE(where_it_does_not_fit_nothing_is_left),
        IN_STORE(a_full_device_is_a_fault_and_stays_a_device),
        IN_STORE(thread_trees_come_from_the_stores_flag_or_by_request),
        IN_STORE(threads_tell_who_they_are),
        IN_STORE(a_real_symbol_gives_a_real_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

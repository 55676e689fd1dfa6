/* SPDX-License-Identifier: MIT
 *
 * Programs that stint can't record or that bring something difficult along: they run as without it.
 */
#include "cases.h"

#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>

/* Same behaviour; what stint says, if anything, is one line or the loader's. */
static void check_unharmed(const struct run_spec *given)
{
    struct both both;
    struct run_spec spec = *given;
    both_run_bare(&both, &spec);
    assert_int_equal(both.plain.status, 0);
    both_check_left(&both, NULL);
    both_fini(&both);
}

static void a_static_program_runs_on(void **state)
{
    check_unharmed(&(struct run_spec){.target = "counts@static"});
}

static void a_static_pie_program_runs_on(void **state)
{
    check_unharmed(&(struct run_spec){.target = "counts@static-pie"});
}

/* The loader itself says, in each process, that it does not fit. */
static void a_32_bit_program_runs_on(void **state)
{
    if (access(run_target_path("counts@32"), X_OK)) skip_because("no 32-bit C library");
    struct both both = {0};
    struct run_spec spec = {.target = "counts@32"};
    run_target(&both.plain, &spec, false);
    run_target(&both.stint, &spec, true);
    assert_int_equal(both.plain.status, 0);
    assert_int_equal(both.stint.status, 0);
    assert_string_equal(both.plain.out, both.stint.out);
    assert_non_null(strstr(both.stint.err, "cannot be preloaded"));
    assert_null(strchr(strchr(both.stint.err, '\n') + 1, '\n'));
    both_check_left(&both, "");
    both_fini(&both);
}

/* Its wrapper and its daemon are processes, too. */
static void a_program_under_fakeroot_is_recorded(void **state)
{
    if (access("/usr/bin/fakeroot", X_OK)) skip_because("no fakeroot");
    struct both both;
    char target[4096];
    snprintf(target, sizeof target, "%s", run_target_path("file-limits"));
    both_run_bare(
        &both, &(struct run_spec){.target = "/usr/bin/fakeroot", .args = {"--", target, "setuid"}});
    assert_int_equal(WEXITSTATUS(both.plain.status), 3);
    assert_int_equal(report_others(&both.stint), 1);
    both.report = report_load_other(&both.stint, 0, CHECK_ALL);
    check_truth(both.report, both.stint.out);
    both_fini(&both);
}

/* By `stint run`, which must say what it puts first and nothing else. */
static void check_run(const char *target, const char *runtime)
{
    if (access(run_target_path(target), X_OK)) skip_because("the compiler has no such sanitizer");
    struct run run;
    char path[4096];
    snprintf(path, sizeof path, "%s", run_target_path(target));
    struct run_spec spec = {
        .target = run_setting("STINT_COMMAND"), .args = {"run", "-q", path}, .no_preload = true};
    run_target(&run, &spec, true);
    if (run.status) fail_msg("status %#x: %s", (unsigned)run.status, run.err);
    json_t *report = report_load(&run, "profiling_results.json", CHECK_ALL);
    check_truth(report, run.out);
    if (!strstr(run.err, runtime)) fail_msg("not said: %s", run.err);
    json_decref(report);
    run_fini(&run);
}

static void stint_run_records_under_each_sanitizer(void **state)
{
    check_run("counts@asan", "stint: libasan.so");
    check_run("threads@tsan", "stint: libtsan.so");
    check_run("counts@ubsan", "stint: libubsan.so");
}

static void a_program_under_a_script_is_recorded(void **state)
{
    struct both both;
    char script[200];
    snprintf(script, sizeof script, "%s", "exec \"$0\"");
    char target[4096];
    snprintf(target, sizeof target, "%s", run_target_path("counts"));
    both_run(&both, &(struct run_spec){.target = "/bin/sh", .args = {"-c", script, target}});
    both_fini(&both);
}

static void the_library_opened_late_does_no_harm(void **state)
{
    struct both both;
    struct run_spec spec = {
        .target = "late-loader", .args = {run_setting("STINT_LIBRARY")}, .no_preload = true};
    both_run_bare(&both, &spec);
    assert_int_equal(both.plain.status, 0);
    both_fini(&both);
}

static void the_library_preloaded_and_opened_again_is_one(void **state)
{
    struct both both;
    both_run(&both,
             &(struct run_spec){.target = "late-loader", .args = {run_setting("STINT_LIBRARY")}});
    both_fini(&both);
}

static void plugins_in_namespaces_of_their_own_do_no_harm(void **state)
{
    char one[4096], two[4096];
    snprintf(one, sizeof one, "%s", run_target_path("plugin-one.so"));
    snprintf(two, sizeof two, "%s", run_target_path("plugin-two.so"));
    check_unharmed(&(struct run_spec){.target = "plugin-host", .args = {one, two, "5", "dlmopen"}});
}

static void check_sanitized(const char *target)
{
    if (access(run_target_path(target), X_OK)) skip_because("the compiler has no such sanitizer");
    struct both both;
    both_run(&both, &(struct run_spec){.target = target});
    both_fini(&both);
}

static void a_program_under_tsan_is_recorded(void **state) { check_sanitized("threads@tsan"); }

static void a_program_under_ubsan_is_recorded(void **state) { check_sanitized("counts@ubsan"); }

/* libfaketime leaves files there when a program crashes. */
static bool has_own_shared_memory(void)
{
    return (!unshare(CLONE_NEWNS) || !unshare(CLONE_NEWUSER | CLONE_NEWNS)) &&
           !mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) &&
           !mount("tmpfs", "/dev/shm", "tmpfs", 0, "size=1m");
}

static void own_shared_memory(void) { (void)has_own_shared_memory(); }

static bool may_have_own_shared_memory(void)
{
    int status = 1;
    pid_t child = fork();
    if (child == 0) _exit(!has_own_shared_memory());
    waitpid(child, &status, 0);
    return status == 0;
}

static void check_preloaded(const char *library)
{
    if (access(library, R_OK)) skip_because(library);
    struct run_spec specs[] = {
        {.target = "threads", .before = library},
        {.target = "threads", .after = library},
        {.target = "endings", .args = {"segv"}, .after = library},
    };
    /* no crash where its files would lie */
    bool leaves_files = strstr(library, "faketime") && !may_have_own_shared_memory();
    size_t count = leaves_files ? 2 : 3;
    for (size_t i = 0; i < count; i++) {
        struct both both;
        specs[i].prepare = own_shared_memory;
        both_run(&both, &specs[i]);
        both_fini(&both);
    }
}

static void jemalloc_preloaded_before_and_after(void **state)
{
    check_preloaded("/usr/lib/x86_64-linux-gnu/libjemalloc.so.2");
}

static void tcmalloc_preloaded_before_and_after(void **state)
{
    check_preloaded("/usr/lib/x86_64-linux-gnu/libtcmalloc_minimal.so.4");
}

static void faketime_preloaded_before_and_after(void **state)
{
    check_preloaded("/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_static_program_runs_on),
        cmocka_unit_test(a_static_pie_program_runs_on),
        cmocka_unit_test(a_32_bit_program_runs_on),
        cmocka_unit_test(a_program_under_fakeroot_is_recorded),
        cmocka_unit_test(stint_run_records_under_each_sanitizer),
        cmocka_unit_test(a_program_under_a_script_is_recorded),
        cmocka_unit_test(the_library_opened_late_does_no_harm),
        cmocka_unit_test(the_library_preloaded_and_opened_again_is_one),
        cmocka_unit_test(plugins_in_namespaces_of_their_own_do_no_harm),
        cmocka_unit_test(a_program_under_tsan_is_recorded),
        cmocka_unit_test(a_program_under_ubsan_is_recorded),
        cmocka_unit_test(jemalloc_preloaded_before_and_after),
        cmocka_unit_test(tcmalloc_preloaded_before_and_after),
        cmocka_unit_test(faketime_preloaded_before_and_after),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

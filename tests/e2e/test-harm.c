/* SPDX-License-Identifier: MIT
 *
 * Programs that stint can't record or that bring something difficult along: they run as without it.
 */
#include "cases.h"

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

static void check_preloaded(const char *library)
{
    if (access(library, R_OK)) skip_because(library);
    struct both both;
    both_run(&both, &(struct run_spec){.target = "threads", .before = library});
    both_fini(&both);
    both_run(&both, &(struct run_spec){.target = "threads", .after = library});
    both_fini(&both);
    both_run(&both, &(struct run_spec){.target = "endings", .args = {"segv"}, .after = library});
    both_fini(&both);
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

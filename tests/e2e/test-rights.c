/* SPDX-License-Identifier: MIT
 *
 * Programs with rights of their own or taken away, in namespaces of their own, and directories that
 * others may write to as well. Most of it needs root, which changes who it is in the child alone.
 */
#include "cases.h"

#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>

enum { NOBODY = 65534 };

static void as_nobody(void)
{
    if (setgid(NOBODY) || setuid(NOBODY)) _exit(121);
}

static void open_to_all(const char *dir)
{
    static const char *const below[] = {"", "work", "out", "store"};
    for (size_t i = 0; i < 4; i++) {
        char path[200];
        snprintf(path, sizeof path, "%s/%s", dir, below[i]);
        assert_int_equal(chmod(path, i ? 0777 : 0755), 0);
    }
}

/* A command of the test's own; true where it worked. */
static bool works(const char *format, const char *one, const char *other)
{
    char command[9000];
    snprintf(command, sizeof command, format, one, other);
    return system(command) == 0;
}

/* A copy of a target that nobody may run but not change. */
static char copy_directory[RUN_SCRATCH], copy[RUN_SCRATCH + 10];

static void make_copy(const char *target, const char *then)
{
    run_scratch(copy_directory, "copy");
    assert_non_null(mkdtemp(copy_directory));
    assert_int_equal(chmod(copy_directory, 0755), 0);
    snprintf(copy, sizeof copy, "%s/copy", copy_directory);
    assert_true(works("cp '%s' '%s'", run_target_path(target), copy));
    if (!works(then, copy, "")) copy[0] = 0;
}

static void remove_copy(void) { assert_true(works("rm -r '%s'%s", copy_directory, "")); }

static bool nobody_may_read(const char *path)
{
    int status;
    pid_t pid = fork();
    if (!pid) {
        as_nobody();
        _exit(access(path, R_OK) != 0);
    }
    waitpid(pid, &status, 0);
    return status == 0;
}

/* The copy runs as without stint, and stint leaves nothing. */
static void check_aside(const char *target, const char *then)
{
    if (getuid()) skip_because("not root");
    if (!nobody_may_read(run_setting("STINT_LIBRARY"))) skip_because("nobody can't read the build");
    make_copy(target, then);
    if (!copy[0]) {
        remove_copy();
        skip_because(then);
    }
    struct both both;
    struct run_spec spec = {.target = copy, .prepare = as_nobody, .arrange = open_to_all};
    both_run_bare(&both, &spec);
    remove_copy();
    assert_int_equal(both.plain.status, 0);
    assert_non_null(strstr(both.plain.out, "calls main 1"));
    both_check_left(&both, "");
    both_fini(&both);
}

static const char set_uid[] = "chmod 4755 '%s'%s";
static const char set_capability[] = "PATH=$PATH:/sbin:/usr/sbin; setcap cap_net_raw+ep '%s'%s";

static void a_setuid_program_runs_on(void **state) { check_aside("counts", set_uid); }

static void a_program_with_capabilities_runs_on(void **state)
{
    check_aside("counts", set_capability);
}

/* It is there, and is told by AT_SECURE alone. */
static void a_linked_library_stands_aside_with_anothers_rights(void **state)
{
    check_aside("linked", set_uid);
}

static void a_linked_library_records(void **state)
{
    struct run run;
    run_target(&run, &(struct run_spec){.target = "linked", .no_preload = true}, true);
    json_t *report = report_load(&run, "profiling_results.json", CHECK_ALL);
    check_truth(report, run.out);
    json_decref(report);
    run_fini(&run);
}

/* By `stint run`, which says in one line why nothing is recorded. */
static void check_told(const char *then, const char *why)
{
    if (getuid()) skip_because("not root");
    if (!nobody_may_read(run_setting("STINT_COMMAND"))) skip_because("nobody can't read the build");
    make_copy("counts", then);
    if (!copy[0]) {
        remove_copy();
        skip_because(then);
    }
    struct both both;
    char line[300];
    snprintf(line, sizeof line, "%s '%s'", "exec ${STINT_COMMAND-} ${STINT_COMMAND+run}", copy);
    char command[4200];
    snprintf(command, sizeof command, "STINT_COMMAND=%s", run_setting("STINT_COMMAND"));
    struct run_spec spec = {.target = "/bin/sh",
                            .args = {"-c", line},
                            .stint_env = {command},
                            .no_preload = true,
                            .prepare = as_nobody,
                            .arrange = open_to_all,
                            .says = true};
    both_run_bare(&both, &spec);
    remove_copy();
    assert_int_equal(both.plain.status, 0);
    if (!strstr(both.stint.err, why)) fail_msg("%s", both.stint.err);
    both_check_left(&both, "");
    both_fini(&both);
}

static void run_tells_of_setuid(void **state) { check_told(set_uid, "is setuid or setgid"); }

static void run_tells_of_capabilities(void **state)
{
    check_told(set_capability, "has file capabilities, and");
}

/* pid namespaces */

static bool may_unshare(void)
{
    int status;
    pid_t pid = fork();
    if (!pid) _exit(unshare(CLONE_NEWPID) != 0);
    waitpid(pid, &status, 0);
    return status == 0;
}

/* Ten processes of the same pid, all at once and one after the other. */
static void processes_of_the_same_pid_have_reports_of_their_own(void **state)
{
    if (!may_unshare()) skip_because("may make no pid namespace");
    struct both both;
    char script[5000];
    snprintf(script, sizeof script,
             "for i in 1 2 3 4 5; do unshare -pf '%s' >/dev/null & done; wait; "
             "for i in 1 2 3 4 5; do unshare -pf '%s' >/dev/null; done",
             run_target_path("counts"), run_target_path("counts"));
    both_run_bare(&both, &(struct run_spec){.target = "/bin/sh", .args = {"-c", script}});
    assert_int_equal(both.plain.status, 0);
    both_check_left(&both, NULL);
    if (report_others(&both.stint) != 10) fail_msg("%s", run_list(&both.stint, "out"));
    for (size_t i = 0; i < 10; i++) {
        json_t *report = report_load_other(&both.stint, i, CHECK_ALL);
        assert_int_equal(integer_at(json_object_get(report, "process"), "pid"), 1);
        assert_int_equal(report_calls(report, "middle"), 1000);
        json_decref(report);
    }
    both_fini(&both);
}

/* The kernel drops what would end the init of a namespace: that counts as a snapshot. */
static void the_init_of_a_namespace_survives_and_is_recorded_on(void **state)
{
    if (!may_unshare()) skip_because("may make no pid namespace");
    struct both both;
    char script[5000];
    snprintf(script, sizeof script, "exec unshare -pf '%s' signal-15", run_target_path("endings"));
    both_run_bare(&both, &(struct run_spec){.target = "/bin/sh", .args = {"-c", script}});
    assert_int_equal(WEXITSTATUS(both.plain.status), 2);
    assert_int_equal(report_others(&both.stint), 1);
    json_t *report = report_load_other(&both.stint, 0, CHECK_ALL);
    check_truth(report, both.stint.out);
    assert_string_equal(report_ending(report, "kind"), "exit");
    json_decref(report);
    both_check_left(&both, "profiling_results.1.json");
    both_fini(&both);
}

/* directories */

static void make_read_only(const char *path)
{
    if (mount(path, path, NULL, MS_BIND, NULL)) _exit(123);
    if (mount(NULL, path, NULL, MS_BIND | MS_REMOUNT | MS_RDONLY, NULL)) _exit(123);
}

static void own_mounts(void)
{
    if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL)) _exit(123);
}

static void read_only_out(void)
{
    own_mounts();
    make_read_only("../out");
}

static void read_only_both(void)
{
    read_only_out();
    make_read_only("../store");
    make_read_only("/dev/shm");
}

static void check_one_line(const struct run *run, const char *holds)
{
    const char *line = strstr(run->err, "stint: ");
    if (!line || strstr(line + 1, "\nstint: ") || !strstr(line, holds)) fail_msg("%s", run->err);
}

static bool may_mount(void)
{
    int status;
    pid_t pid = fork();
    if (!pid) {
        own_mounts();
        _exit(0);
    }
    waitpid(pid, &status, 0);
    return status == 0;
}

static void a_read_only_directory_is_said_and_the_store_kept(void **state)
{
    if (!may_mount()) skip_because("may not mount");
    struct both both;
    struct run_spec spec = {.target = "counts", .prepare = read_only_out, .says = true};
    both_run_bare(&both, &spec);
    check_one_line(&both.stint, "stint recover -o FILE ");
    json_t *report = report_recover(&both.stint, CHECK_ALL);
    check_truth(report, both.stint.out);
    json_decref(report);
    both_fini(&both);
}

/* Nowhere may anything be written: the program runs, and is told what is lost. */
static void a_read_only_system_is_said(void **state)
{
    if (!may_mount()) skip_because("may not mount");
    struct both both;
    struct run_spec spec = {.target = "counts", .prepare = read_only_both, .says = true};
    both_run_bare(&both, &spec);
    check_one_line(&both.stint, "in memory alone");
    both_check_left(&both, "");
    both_fini(&both);
}

/* Where everybody may write, others plant links. The random part of a temporary's and a store's
 * name can't be guessed; that an open of one that is there is refused is proved in the unit tests
 * of base and store. */
static void plant_links(const char *dir)
{
    char victim[200], path[300];
    open_to_all(dir);
    snprintf(victim, sizeof victim, "%s/victim", dir);
    FILE *file = fopen(victim, "w");
    assert_non_null(file);
    fputs("precious", file);
    fclose(file);
    static const char *const names[] = {"out/profiling_results.json",
                                        "out/.profiling_results.json.tmp", "store/stint.store"};
    for (size_t i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "%s/%s", dir, names[i]);
        assert_int_equal(symlink(victim, path), 0);
    }
}

static void links_that_others_planted_are_not_followed(void **state)
{
    struct run run;
    run_target(&run, &(struct run_spec){.target = "counts", .arrange = plant_links}, true);
    char *victim = run_read(run_path(&run, "victim"));
    assert_string_equal(victim, "precious");
    free(victim);
    json_t *report = report_load(&run, "profiling_results.json", CHECK_ALL);
    check_truth(report, run.out);
    json_decref(report);
    run_fini(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_setuid_program_runs_on),
        cmocka_unit_test(a_program_with_capabilities_runs_on),
        cmocka_unit_test(a_linked_library_records),
        cmocka_unit_test(a_linked_library_stands_aside_with_anothers_rights),
        cmocka_unit_test(run_tells_of_setuid),
        cmocka_unit_test(run_tells_of_capabilities),
        cmocka_unit_test(processes_of_the_same_pid_have_reports_of_their_own),
        cmocka_unit_test(the_init_of_a_namespace_survives_and_is_recorded_on),
        cmocka_unit_test(a_read_only_directory_is_said_and_the_store_kept),
        cmocka_unit_test(a_read_only_system_is_said),
        cmocka_unit_test(links_that_others_planted_are_not_followed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

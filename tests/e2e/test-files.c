/* SPDX-License-Identifier: MIT
 *
 * Where reports and stores lie, and what happens when they can't: one line that says so, the
 * program's own status, nothing half-written, the store kept. */
#include "cases.h"

#include <fcntl.h>
#include <glob.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

/* Exactly one line beside the program's own, with our prefix. */
static void check_one_line(const struct run *run)
{
    size_t ours = 0;
    for (const char *line = run->err; line && *line;
         line = strchr(line, '\n'), line += line != NULL)
        ours += !strncmp(line, "stint: ", 7);
    if (ours != 1) fail_msg("%zu lines of ours:\n%.2000s", ours, run->err);
}

static void check_store_kept(const struct run *run)
{
    char *store = run_list(run, "store");
    if (strncmp(store, "stint.", 6) || strchr(store, ' ')) fail_msg("stores: \"%s\"", store);
    free(store);
}

/* The report can't be written to env's STINT_OUT: behaviour is kept, and the store. */
static void check_refused(const struct run_spec *given, const char *left)
{
    struct both both;
    struct run_spec spec = *given;
    spec.target = "counts", spec.says = true;
    both_run_bare(&both, &spec);
    check_one_line(&both.stint);
    check_store_kept(&both.stint);
    char *out = run_list(&both.stint, "out");
    assert_string_equal(out, left);
    free(out);
    both_fini(&both);
}

static void a_missing_directory_is_said_and_the_store_kept(void **state)
{
    check_refused(&(struct run_spec){.env = {"STINT_OUT=../out/missing/report.json"}}, "");
}

static void make_directory(const char *dir)
{
    char path[RUN_SCRATCH + 100];
    snprintf(path, sizeof path, "%s/out/report.json", dir);
    assert_int_equal(mkdir(path, 0777), 0);
}

static void a_directory_in_the_reports_place_is_refused(void **state)
{
    struct run_spec spec = {.env = {"STINT_OUT=../out/report.json"}, .arrange = make_directory};
    check_refused(&spec, "report.json");
}

static void make_fifo(const char *dir)
{
    char path[RUN_SCRATCH + 100];
    snprintf(path, sizeof path, "%s/out/report.json", dir);
    assert_int_equal(mkfifo(path, 0666), 0);
}

static void a_fifo_without_a_reader_does_not_block(void **state)
{
    struct run_spec spec = {.env = {"STINT_OUT=../out/report.json"}, .arrange = make_fifo};
    check_refused(&spec, "report.json");
}

static void a_full_device_is_said_and_stays_a_device(void **state)
{
    struct stat before, after;
    assert_int_equal(stat("/dev/full", &before), 0);
    check_refused(&(struct run_spec){.env = {"STINT_OUT=/dev/full"}}, "");
    assert_int_equal(stat("/dev/full", &after), 0);
    assert_true(S_ISCHR(after.st_mode) && before.st_ino == after.st_ino);
}

static void the_null_device_takes_a_report_and_stays_a_device(void **state)
{
    struct both both;
    struct stat before, after;
    assert_int_equal(stat("/dev/null", &before), 0);
    both_run_bare(&both, &(struct run_spec){.target = "counts", .env = {"STINT_OUT=/dev/null"}});
    both_check_left(&both, "");
    assert_int_equal(stat("/dev/null", &after), 0);
    assert_true(S_ISCHR(after.st_mode) && before.st_ino == after.st_ino);
    both_fini(&both);
}

static void make_device(const char *dir)
{
    char path[RUN_SCRATCH + 100];
    snprintf(path, sizeof path, "%s/out/null", dir);
    (void)mknod(path, S_IFCHR | 0666, makedev(1, 3)); /* the superuser alone may */
}

/* Nothing beside the device, whoever reports: a child, a rank, a life before an exec, which fails
 * at first. */
static void a_device_takes_all_reports_and_stays(void **state)
{
    static const char *const args[][3] = {{"forks", "fork", "exit"}, {"execs", "execve"}};
    if (geteuid() != 0) skip();
    for (size_t i = 0; i < sizeof args / sizeof *args; i++) {
        struct both both;
        struct stat after;
        char path[RUN_SCRATCH + 100];
        struct run_spec spec = {
            .target = args[i][0],
            .args = {args[i][1], args[i][2]},
            .arrange = make_device,
            .env = {"STINT_OUT=../out/null", "OMPI_COMM_WORLD_RANK=1", "OMPI_COMM_WORLD_SIZE=2"}};
        both_run_bare(&both, &spec);
        both_check_left(&both, "null");
        snprintf(path, sizeof path, "%s/out/null", both.stint.dir);
        assert_int_equal(stat(path, &after), 0);
        assert_true(S_ISCHR(after.st_mode));
        both_fini(&both);
    }
}

static void plant_symlink(const char *dir)
{
    char path[RUN_SCRATCH + 100], victim[200];
    snprintf(path, sizeof path, "%s/out/profiling_results.json", dir);
    snprintf(victim, sizeof victim, "%s/victim", dir);
    FILE *file = fopen(victim, "w");
    assert_non_null(file);
    fputs("precious", file);
    fclose(file);
    assert_int_equal(symlink(victim, path), 0);
}

static void a_symlink_in_the_reports_place_is_replaced_not_followed(void **state)
{
    struct both both;
    both_run(&both, &(struct run_spec){.target = "counts", .arrange = plant_symlink});
    char *victim = run_read(run_path(&both.stint, "victim"));
    assert_string_equal(victim, "precious");
    struct stat st;
    assert_int_equal(lstat(run_path(&both.stint, "out/profiling_results.json"), &st), 0);
    assert_true(S_ISREG(st.st_mode));
    free(victim);
    both_fini(&both);
}

static void plant_old_report(const char *dir)
{
    char path[RUN_SCRATCH + 100];
    snprintf(path, sizeof path, "%s/out/profiling_results.json", dir);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("{\"old\": true}", file);
    fclose(file);
}

static void an_older_report_is_replaced(void **state)
{
    struct both both;
    both_run(&both, &(struct run_spec){.target = "counts", .arrange = plant_old_report});
    both_fini(&both);
}

static void open_umask(void) { umask(0027); }

static void the_report_has_the_programs_umask(void **state)
{
    struct both both;
    both_run(&both, &(struct run_spec){.target = "counts", .prepare = open_umask});
    struct stat st;
    assert_int_equal(stat(run_path(&both.stint, "out/profiling_results.json"), &st), 0);
    assert_int_equal(st.st_mode & 07777, 0640);
    both_fini(&both);
}

static void the_store_is_its_owners_alone(void **state)
{
    struct run run;
    run_target(&run, &(struct run_spec){.target = "deaths"}, true);
    char *store = run_list(&run, "store"), below[300];
    snprintf(below, sizeof below, "store/%s", store);
    struct stat st;
    assert_int_equal(stat(run_path(&run, below), &st), 0);
    assert_int_equal(st.st_mode & 07777, 0600);
    free(store);
    run_fini(&run);
}

static void the_default_name_is_in_the_directory_where_it_started(void **state)
{
    struct run run;
    struct run_spec spec = {.target = "file-limits", .args = {"chdir"}, .env = {"STINT_OUT"}};
    run_target(&run, &spec, true);
    char *work = run_list(&run, "work");
    assert_string_equal(work, "profiling_results.json");
    free(work);
    json_t *report = report_load_path(run_path(&run, "work/profiling_results.json"), CHECK_ALL);
    check_truth(report, run.out);
    json_decref(report);
    run_fini(&run);
}

/* Changes of rights and limits after the first call, then the end. */
static void check_limits(const char *what, bool says)
{
    struct both both;
    struct run_spec spec = {.target = "file-limits", .args = {what}, .says = says};
    both_run_bare(&both, &spec);
    assert_int_equal(WEXITSTATUS(both.plain.status), 3);
    char *out = run_list(&both.stint, "out");
    if (!strcmp(out, "profiling_results.json")) {
        both.report = report_load(&both.stint, out, CHECK_ALL);
        check_truth(both.report, both.stint.out);
    } else {
        assert_string_equal(out, "");
        assert_true(says);
        check_one_line(&both.stint);
        check_store_kept(&both.stint);
    }
    free(out);
    both_fini(&both);
}

static void a_umask_that_changes_does_no_harm(void **state) { check_limits("umask", false); }

static void few_descriptors_are_enough_or_said(void **state) { check_limits("nofile", true); }

/* The one that is left serves the symbols first, then the report. */
static void one_descriptor_is_enough_for_every_name(void **state)
{
    struct both both;
    both_run(&both, &(struct run_spec){.target = "file-limits", .args = {"nofile4"}});
    both_fini(&both);
}

static void little_address_space_is_enough_or_said(void **state) { check_limits("as", true); }

static void a_file_size_limit_is_said(void **state) { check_limits("fsize", true); }

static void a_user_who_may_not_write_is_told(void **state)
{
    if (getuid()) skip_because("not root");
    check_limits("setuid", true);
}

static void open_to_all(const char *dir)
{
    char path[RUN_SCRATCH + 100];
    snprintf(path, sizeof path, "%s/out", dir);
    assert_int_equal(chmod(dir, 0755), 0);
    assert_int_equal(chmod(path, 0777), 0);
}

/* May a program that gave up root's rights still read what lies there? */
static bool others_may_look(const char *path)
{
    char part[4096];
    struct stat status;
    for (size_t i = 1; path[i] && i < sizeof part; i++) {
        if (path[i] != '/') continue;
        memcpy(part, path, i);
        part[i] = '\0';
        if (stat(part, &status) || !(status.st_mode & S_IXOTH)) return false;
    }
    return true;
}

static void a_store_that_may_not_be_removed_any_more_is_said(void **state)
{
    if (getuid()) skip_because("not root");
    if (!others_may_look(run_setting("STINT_TEST_TARGETS")))
        skip_because("the build lies where others may not look: its names can't be read");
    struct both both;
    struct run_spec spec = {
        .target = "file-limits", .args = {"setuid"}, .arrange = open_to_all, .says = true};
    both_run_bare(&both, &spec);
    char *store = run_list(&both.stint, "store");
    check_one_line(&both.stint);
    check_store_kept(&both.stint);
    assert_non_null(strstr(both.stint.err, store));
    both.report = report_load(&both.stint, "profiling_results.json", CHECK_ALL);
    check_truth(both.report, both.stint.out);
    free(store);
    both_fini(&both);
}

static void another_root_directory_is_said(void **state)
{
    if (getuid()) skip_because("not root");
    check_limits("chroot", true);
}

/* a small tmpfs in the place of a directory of the run */

static void mount_small(const char *dir, const char *below)
{
    char path[RUN_SCRATCH + 100];
    snprintf(path, sizeof path, "%s/%s", dir, below);
    assert_int_equal(mount("tmpfs", path, "tmpfs", 0, "size=16k,mode=0700"), 0);
}

static void mount_small_out(const char *dir) { mount_small(dir, "out"); }

static void mount_small_store(const char *dir) { mount_small(dir, "store"); }

static bool may_mount(void)
{
    char path[RUN_SCRATCH];
    run_scratch(path, "mount");
    if (!mkdtemp(path)) return false;
    bool may = !mount("tmpfs", path, "tmpfs", 0, "size=16k");
    if (may) umount(path);
    rmdir(path);
    return may;
}

static void a_full_disk_is_said_and_leaves_nothing_half_written(void **state)
{
    if (!may_mount()) skip_because("may not mount");
    struct run run;
    struct run_spec spec = {.target = "limits", .arrange = mount_small_out};
    run_target(&run, &spec, true);
    char *out = run_list(&run, "out");
    umount(run_path(&run, "out"));
    assert_int_equal(run.status, 0);
    check_one_line(&run);
    check_store_kept(&run);
    assert_string_equal(out, "");
    free(out);
    run_fini(&run);
}

static void a_store_on_a_full_disk_goes_on_in_memory(void **state)
{
    if (!may_mount()) skip_because("may not mount");
    struct run run;
    struct run_spec spec = {.target = "limits", .arrange = mount_small_store};
    run_target(&run, &spec, true);
    umount(run_path(&run, "store"));
    assert_int_equal(run.status, 0);
    json_t *report = report_load(&run, "profiling_results.json", CHECK_ALL);
    check_truth(report, run.out);
    json_decref(report);
    run_fini(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_missing_directory_is_said_and_the_store_kept),
        cmocka_unit_test(a_directory_in_the_reports_place_is_refused),
        cmocka_unit_test(a_fifo_without_a_reader_does_not_block),
        cmocka_unit_test(a_full_device_is_said_and_stays_a_device),
        cmocka_unit_test(the_null_device_takes_a_report_and_stays_a_device),
        cmocka_unit_test(a_device_takes_all_reports_and_stays),
        cmocka_unit_test(a_symlink_in_the_reports_place_is_replaced_not_followed),
        cmocka_unit_test(an_older_report_is_replaced),
        cmocka_unit_test(the_report_has_the_programs_umask),
        cmocka_unit_test(the_store_is_its_owners_alone),
        cmocka_unit_test(the_default_name_is_in_the_directory_where_it_started),
        cmocka_unit_test(a_umask_that_changes_does_no_harm),
        cmocka_unit_test(few_descriptors_are_enough_or_said),
        cmocka_unit_test(one_descriptor_is_enough_for_every_name),
        cmocka_unit_test(little_address_space_is_enough_or_said),
        cmocka_unit_test(a_file_size_limit_is_said),
        cmocka_unit_test(a_user_who_may_not_write_is_told),
        cmocka_unit_test(a_store_that_may_not_be_removed_any_more_is_said),
        cmocka_unit_test(another_root_directory_is_said),
        cmocka_unit_test(a_full_disk_is_said_and_leaves_nothing_half_written),
        cmocka_unit_test(a_store_on_a_full_disk_goes_on_in_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

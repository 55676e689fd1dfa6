/* SPDX-License-Identifier: MIT
 *
 * How a file gets its name, beside everything that may stand there already, and what a guard takes
 * back. */
#include "base/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static char directory[64];

static const char *path(const char *name)
{
    static char paths[4][512];
    static int next;
    char *text = paths[next++ % 4];
    snprintf(text, sizeof paths[0], "%s/%s", directory, name);
    return text;
}

static int make_directory(void **state)
{
    strcpy(directory, "/tmp/stint-file-XXXXXX");
    return mkdtemp(directory) ? 0 : -1;
}

static int remove_directory(void **state)
{
    DIR *open = opendir(directory);
    struct dirent *entry;
    while (open && (entry = readdir(open))) {
        if (unlink(path(entry->d_name))) (void)rmdir(path(entry->d_name));
    }
    if (open) closedir(open);
    return rmdir(directory);
}

static int entries(void)
{
    DIR *open = opendir(directory);
    int count = -2; /* . and .. */
    while (readdir(open)) count++;
    closedir(open);
    return count;
}

static void put(const char *name, const char *text)
{
    FILE *file = fopen(path(name), "w");
    fputs(text, file);
    fclose(file);
}

static void assert_holds(const char *name, const char *text)
{
    char found[256] = "";
    FILE *file = fopen(path(name), "r");
    assert_non_null(file);
    size_t bytes = fread(found, 1, sizeof found - 1, file);
    fclose(file);
    found[bytes] = '\0';
    assert_string_equal(found, text);
}

static int write_whole(const char *name, const char *text)
{
    struct file_replace file = FILE_REPLACE_INIT;
    struct file_guard guard;
    file_guard(&guard);
    int result = file_replace_open(&file, path(name));
    if (!result) {
        result = file_write_all(file.fd, text, strlen(text));
        if (result)
            file_replace_abort(&file);
        else
            result = file_replace_commit(&file);
    }
    file_unguard(&guard);
    return result;
}

static void a_new_file_appears_with_its_content(void **state)
{
    assert_int_equal(write_whole("new", "text"), 0);
    assert_holds("new", "text");
    assert_int_equal(entries(), 1);
}

static void its_mode_is_0666_less_the_umask(void **state)
{
    struct stat status;
    mode_t before = umask(027);
    assert_int_equal(write_whole("new", "x"), 0);
    umask(before);
    assert_int_equal(stat(path("new"), &status), 0);
    assert_int_equal(status.st_mode & 07777, 0640);
}

static void until_the_commit_the_old_file_stands(void **state)
{
    struct file_replace file = FILE_REPLACE_INIT;
    put("old", "old");
    assert_int_equal(file_replace_open(&file, path("old")), 0);
    assert_int_equal(file_write_all(file.fd, "newer", 5), 0);
    assert_holds("old", "old");
    assert_int_equal(file_replace_commit(&file), 0);
    assert_holds("old", "newer");
    assert_int_equal(entries(), 1);
}

static void an_aborted_file_leaves_nothing(void **state)
{
    struct file_replace file = FILE_REPLACE_INIT;
    put("old", "old");
    assert_int_equal(file_replace_open(&file, path("old")), 0);
    file_replace_abort(&file);
    assert_holds("old", "old");
    assert_int_equal(entries(), 1);
}

/* /proc/self/fd/N is such a link to a file that this test opened itself. */
static void a_link_of_the_system_is_written_through(void **state)
{
    struct file_replace file = FILE_REPLACE_INIT;
    struct stat link;
    char name[64], text[16] = {0};
    int fd = open(path("through"), O_RDWR | O_CREAT, 0600);
    assert_true(fd >= 0);
    snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
    assert_int_equal(file_replace_open(&file, name), 0);
    assert_int_equal(file_write_all(file.fd, "report", 6), 0);
    assert_int_equal(file_replace_commit(&file), 0);
    assert_int_equal(lstat(name, &link), 0);
    assert_true(S_ISLNK(link.st_mode));
    assert_int_equal(pread(fd, text, sizeof text, 0), 6);
    assert_string_equal(text, "report");
    close(fd);
}

static void a_symlink_is_replaced_and_not_followed(void **state)
{
    struct stat status;
    put("victim", "keep");
    assert_int_equal(symlink(path("victim"), path("link")), 0);
    assert_int_equal(write_whole("link", "report"), 0);
    assert_int_equal(lstat(path("link"), &status), 0);
    assert_true(S_ISREG(status.st_mode));
    assert_holds("victim", "keep");
}

static void a_directory_is_refused(void **state)
{
    assert_int_equal(mkdir(path("dir"), 0755), 0);
    assert_int_equal(write_whole("dir", "x"), -EISDIR);
    assert_int_equal(write_whole("dir/", "x"), -EISDIR);
    assert_int_equal(entries(), 1);
}

static void a_missing_directory_is_enoent(void **state)
{
    assert_int_equal(write_whole("none/x", "x"), -ENOENT);
}

static void devices_stay_devices(void **state)
{
    struct stat status;
    struct file_replace file = FILE_REPLACE_INIT;
    assert_int_equal(file_replace_open(&file, "/dev/null"), 0);
    assert_int_equal(file.in_place, 1);
    assert_int_equal(file_write_all(file.fd, "x", 1), 0);
    assert_int_equal(file_replace_commit(&file), 0);
    assert_int_equal(file_replace_open(&file, "/dev/full"), 0);
    assert_int_equal(file_write_all(file.fd, "x", 1), -ENOSPC);
    file_replace_abort(&file);
    assert_int_equal(stat("/dev/null", &status), 0);
    assert_true(S_ISCHR(status.st_mode));
    assert_int_equal(stat("/dev/full", &status), 0);
    assert_true(S_ISCHR(status.st_mode));
}

static void a_fifo_is_written_in_place(void **state)
{
    char read_back[8] = "";
    struct stat status;
    assert_int_equal(mkfifo(path("fifo"), 0600), 0);
    assert_int_equal(write_whole("fifo", "x"), -ENXIO); /* nobody reads */
    int reader = open(path("fifo"), O_RDONLY | O_NONBLOCK);
    assert_int_equal(write_whole("fifo", "hello"), 0);
    assert_int_equal(read(reader, read_back, sizeof read_back), 5);
    assert_string_equal(read_back, "hello");
    close(reader);
    assert_int_equal(lstat(path("fifo"), &status), 0);
    assert_true(S_ISFIFO(status.st_mode));
}

static void a_full_fifo_is_waited_for(void **state)
{
    enum { BYTES = 300000 }; /* over a pipe's capacity */
    static char sent[BYTES], got[BYTES];
    assert_int_equal(mkfifo(path("fifo"), 0600), 0);
    int reader = open(path("fifo"), O_RDONLY | O_NONBLOCK);
    memset(sent, 'a', sizeof sent);
    pid_t writer = fork();
    if (writer == 0) {
        struct file_replace file = FILE_REPLACE_INIT;
        if (file_replace_open(&file, path("fifo"))) _exit(1);
        if (file_write_all(file.fd, sent, sizeof sent)) _exit(2);
        _exit(file_replace_commit(&file) ? 3 : 0);
    }
    size_t bytes = 0;
    fcntl(reader, F_SETFL, 0);
    while (bytes < BYTES) {
        ssize_t part = read(reader, got + bytes, BYTES - bytes);
        if (part > 0) bytes += (size_t)part;
    }
    int status;
    waitpid(writer, &status, 0);
    close(reader);
    assert_int_equal(status, 0);
    assert_memory_equal(sent, got, BYTES);
}

static void the_size_limit_is_an_error_and_no_signal(void **state)
{
    pid_t child = fork();
    if (child == 0) {
        struct rlimit limit = {1000, 1000};
        static char big[5000];
        memset(big, 'x', sizeof big - 1);
        signal(SIGXFSZ, SIG_DFL);
        setrlimit(RLIMIT_FSIZE, &limit);
        _exit(-write_whole("big", big));
    }
    int status;
    waitpid(child, &status, 0);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), EFBIG);
    assert_int_equal(entries(), 0);
}

static void a_signal_that_waited_before_still_waits_after(void **state)
{
    pid_t child = fork();
    if (child == 0) {
        sigset_t pipes, pending;
        sigemptyset(&pipes);
        sigaddset(&pipes, SIGPIPE);
        sigprocmask(SIG_BLOCK, &pipes, NULL);
        raise(SIGPIPE);
        struct file_guard guard;
        file_guard(&guard);
        file_unguard(&guard);
        sigpending(&pending);
        _exit(sigismember(&pending, SIGPIPE) ? 0 : 1);
    }
    int status;
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
}

static void a_broken_pipe_is_an_error_and_no_signal(void **state)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    close(ends[0]);
    struct file_guard guard;
    file_guard(&guard);
    int result = file_write_all(ends[1], "x", 1);
    file_unguard(&guard); /* SIGPIPE would end the test here */
    close(ends[1]);
    assert_int_equal(result, -EPIPE);
}

static void reserved_space_is_there(void **state)
{
    struct stat status;
    int fd = open(path("space"), O_RDWR | O_CREAT, 0600);
    assert_int_equal(file_reserve(fd, 0, 100000), 0);
    fstat(fd, &status);
    close(fd);
    assert_int_equal(status.st_size, 100000);
    assert_true(status.st_blocks * 512 >= 100000);
}

static void a_name_of_full_length_gets_a_temporary(void **state)
{
    char name[256];
    memset(name, 'n', 255);
    name[255] = '\0';
    assert_int_equal(write_whole(name, "x"), 0);
    assert_holds(name, "x");
}

int main(void)
{
#define CASE(test) cmocka_unit_test_setup_teardown(test, make_directory, remove_directory)
    const struct CMUnitTest tests[] = {
        CASE(a_new_file_appears_with_its_content),
        CASE(its_mode_is_0666_less_the_umask),
        CASE(until_the_commit_the_old_file_stands),
        CASE(an_aborted_file_leaves_nothing),
        CASE(a_link_of_the_system_is_written_through),
        CASE(a_symlink_is_replaced_and_not_followed),
        CASE(a_directory_is_refused),
        CASE(a_missing_directory_is_enoent),
        CASE(devices_stay_devices),
        CASE(a_fifo_is_written_in_place),
        CASE(a_full_fifo_is_waited_for),
        CASE(the_size_limit_is_an_error_and_no_signal),
        CASE(a_signal_that_waited_before_still_waits_after),
        CASE(a_broken_pipe_is_an_error_and_no_signal),
        CASE(reserved_space_is_there),
        CASE(a_name_of_full_length_gets_a_temporary),
    };
    return cmocka_run_group_tests_name("base/file", tests, NULL, NULL);
}

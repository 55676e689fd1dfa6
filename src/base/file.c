/* SPDX-License-Identifier: MIT
 *
 * Raw writes, and the way of a new file to its name: temporary beside it, then rename. What stands
 * under the name decides the way: a rename onto a device node would replace the node. Runs in the
 * target, in signal handlers too. */
#include "base/file.h"

#include "base/fmt.h"
#include "base/hash.h"
#include "base/sys.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

enum { NAME_LONGEST = 255, TEMPORARY_TRIES = 16, PATIENCE_SECONDS = 10 };

static uint64_t bit_of(int signal) { return UINT64_C(1) << (signal - 1); }

/* A pipe or terminal that is full: waits until it takes more. */
static int wait_writable(int fd)
{
    struct pollfd waited = {.fd = fd, .events = POLLOUT};
    struct timespec patience = {.tv_sec = PATIENCE_SECONDS}; /* the kernel counts it down */
    long ready;
    do ready = sys_call6(SYS_ppoll, (long)&waited, 1, (long)&patience, 0, 0, 0);
    while (ready == -EINTR);
    if (ready < 0) return (int)ready;
    return ready ? 0 : -ETIMEDOUT;
}

int file_write_all(int fd, const void *data, size_t bytes)
{
    const char *at = data;
    while (bytes) {
        long written = sys_call3(SYS_write, fd, at, bytes);
        if (written == -EAGAIN)
            written = wait_writable(fd);
        else if (written == 0)
            return -EIO;
        if (written == -EINTR) continue;
        if (written < 0) return (int)written;
        at += written;
        bytes -= (size_t)written;
    }
    return 0;
}

void file_guard(struct file_guard *guard)
{
    /* A thread that is single-stepped traps in here too, and dies of a SIGTRAP that it blocks. */
    uint64_t all = ~bit_of(SIGTRAP);
    *guard = (struct file_guard){0};
    (void)sys_call4(SYS_rt_sigprocmask, SIG_SETMASK, &all, &guard->mask, 8);
    (void)sys_call2(SYS_rt_sigpending, &guard->pending, 8);
}

void file_unguard(const struct file_guard *guard)
{
    static const int raised_by_us[] = {SIGXFSZ, SIGPIPE};
    uint64_t pending = 0;
    (void)sys_call2(SYS_rt_sigpending, &pending, 8);
    for (int i = 0; i < 2; i++) {
        uint64_t bit = bit_of(raised_by_us[i]);
        struct timespec now = {0};
        /* One is taken, and the kernel takes a thread's own before the process's: it is ours. */
        if ((pending & bit) && !(guard->pending & bit))
            (void)sys_call4(SYS_rt_sigtimedwait, &bit, 0, &now, 8);
    }
    (void)sys_call4(SYS_rt_sigprocmask, SIG_SETMASK, &guard->mask, 0, 8);
}

static int write_zeros(int fd, uint64_t offset, uint64_t bytes)
{
    static const char zeros[4096];
    while (bytes) {
        size_t part = bytes < sizeof zeros ? (size_t)bytes : sizeof zeros;
        long written = sys_call4(SYS_pwrite64, fd, zeros, part, offset);
        if (written == -EINTR) continue;
        if (written <= 0) return written ? (int)written : -EIO;
        offset += (uint64_t)written;
        bytes -= (uint64_t)written;
    }
    return 0;
}

int file_reserve(int fd, uint64_t offset, uint64_t bytes)
{
    long result;
    do result = sys_call4(SYS_fallocate, fd, 0, offset, bytes);
    while (result == -EINTR);
    if (result == -EOPNOTSUPP || result == -ENOSYS) return write_zeros(fd, offset, bytes);
    return (int)result;
}

static int stat_name(const char *name, struct stat *status)
{
    return (int)sys_call4(SYS_newfstatat, AT_FDCWD, name, status, AT_SYMLINK_NOFOLLOW);
}

static int is_replaced(const struct stat *status)
{
    return S_ISREG(status->st_mode) || S_ISLNK(status->st_mode);
}

static uint64_t some_number(unsigned try)
{
    uint64_t number = 0;
    enum { NONBLOCK = 1 };
    if (sys_call3(SYS_getrandom, &number, sizeof number, NONBLOCK) == sizeof number) return number;
    struct timespec now = {0};
    (void)sys_call2(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
    return hash_u64((uint64_t)now.tv_nsec ^ (uint64_t)now.tv_sec << 30 ^ (uintptr_t)&now ^ try);
}

/* `.NAME.<pid>.<random>.tmp` in the final name's directory; a long NAME is cut. */
static void name_temporary(struct file_replace *file, const char *base, unsigned try)
{
    char suffix[64];
    struct fmt tail = fmt_over(suffix, sizeof suffix);
    fmt_char(&tail, '.');
    fmt_u64(&tail, (uint64_t)sys_call0(SYS_getpid));
    fmt_char(&tail, '.');
    fmt_hex(&tail, some_number(try), 16);
    fmt_text(&tail, ".tmp");
    size_t length = strlen(base), room = NAME_LONGEST - 1 - tail.length;
    struct fmt name = fmt_over(file->temporary, sizeof file->temporary);
    fmt_bytes(&name, file->final_name, (size_t)(base - file->final_name));
    fmt_char(&name, '.');
    fmt_bytes(&name, base, length < room ? length : room);
    fmt_text(&name, suffix);
}

static int open_temporary(struct file_replace *file, const char *base)
{
    long fd = -EEXIST;
    for (unsigned try = 0; try < TEMPORARY_TRIES && (fd == -EEXIST || fd == -EINTR); try++) {
        name_temporary(file, base, try);
        fd = sys_call4(SYS_openat, AT_FDCWD, file->temporary,
                       O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    }
    if (fd < 0) return (int)fd;
    file->fd = (int)fd;
    return 0;
}

/* Not blocking: a FIFO that nobody reads must not hold the target. */
static int open_in_place(struct file_replace *file)
{
    struct stat status;
    long fd;
    do
        fd = sys_call4(SYS_openat, AT_FDCWD, file->final_name,
                       O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0);
    while (fd == -EINTR);
    if (fd < 0) return (int)fd;
    /* Between the look and the open it may have become a file, which is never written in place. */
    if (sys_call2(SYS_fstat, fd, &status) || S_ISREG(status.st_mode)) {
        (void)sys_call1(SYS_close, fd);
        return -EBUSY;
    }
    file->fd = (int)fd;
    file->in_place = 1;
    return 0;
}

/* /dev/stdout, /dev/fd/3, /proc/self/fd/1: links that belong to the system, and name what is open
 * already. */
static int is_system_link(const char *name, const struct stat *status)
{
    return S_ISLNK(status->st_mode) &&
           (strncmp(name, "/dev/", 5) == 0 || strncmp(name, "/proc/", 6) == 0);
}

static int open_behind_link(struct file_replace *file)
{
    long fd;
    do
        fd = sys_call4(SYS_openat, AT_FDCWD, file->final_name,
                       O_WRONLY | O_APPEND | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0);
    while (fd == -EINTR);
    if (fd < 0) return (int)fd;
    file->fd = (int)fd;
    file->in_place = 1;
    return 0;
}

int file_replace_open(struct file_replace *file, const char *final_name)
{
    size_t length = strlen(final_name);
    const char *slash = memrchr(final_name, '/', length);
    struct stat status;
    if (length >= sizeof file->final_name) return -ENAMETOOLONG;
    if (!slash) return -EINVAL;
    if (!slash[1]) return -EISDIR;
    memcpy(file->final_name, final_name, length + 1);
    file->temporary[0] = '\0';
    file->in_place = 0;
    file->fd = -1;
    int found = stat_name(final_name, &status);
    if (found && found != -ENOENT) return found;
    if (!found && S_ISDIR(status.st_mode)) return -EISDIR;
    if (!found && is_system_link(final_name, &status)) return open_behind_link(file);
    if (!found && !is_replaced(&status)) return open_in_place(file);
    return open_temporary(file, file->final_name + (slash + 1 - final_name));
}

static int close_file(struct file_replace *file)
{
    long result = sys_call1(SYS_close, file->fd);
    file->fd = -1;
    /* Linux closes even then, and has reported what it could (close(2)). */
    return result == -EINTR ? 0 : (int)result;
}

static int rename_over(const struct file_replace *file)
{
    struct stat status;
    int found = stat_name(file->final_name, &status);
    if (!found && S_ISDIR(status.st_mode)) return -EISDIR;
    if (!found && !is_replaced(&status)) return -EBUSY; /* it became a device meanwhile */
    enum { NO_REPLACE = 1 };
    long result = -EINVAL;
    if (file->is_new && !found) return -EEXIST;
    if (file->is_new)
        result = sys_call6(SYS_renameat2, AT_FDCWD, (long)file->temporary, AT_FDCWD,
                           (long)file->final_name, NO_REPLACE, 0);
    if (result != -EINVAL) return (int)result; /* file systems that know no such flag */
    return (int)sys_call6(SYS_renameat2, AT_FDCWD, (long)file->temporary, AT_FDCWD,
                          (long)file->final_name, 0, 0);
}

int file_replace_commit(struct file_replace *file)
{
    int result = close_file(file);
    if (file->in_place) return result;
    if (!result) result = rename_over(file);
    if (result) (void)sys_call3(SYS_unlinkat, AT_FDCWD, file->temporary, 0);
    return result;
}

void file_replace_abort(struct file_replace *file)
{
    if (file->fd < 0) return;
    (void)close_file(file); /* what was written is thrown away */
    if (!file->in_place) (void)sys_call3(SYS_unlinkat, AT_FDCWD, file->temporary, 0);
}

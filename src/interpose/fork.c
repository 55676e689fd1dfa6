/* SPDX-License-Identifier: MIT
 *
 * fork by all names that a C function can wrap. vfork is not one (its child returns into the
 * wrapper's frame), and needs nothing. daemon is made anew: libc's ends the parent by a call that
 * nobody sees. */
#include "life/fork.h"
#include "base/compiler.h"
#include "base/sys.h"
#include "life/finish.h"
#include "life/snapshot.h"
#include "real/real.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* After _Fork alone, no lock of libc's is known to be free: no thread is made then. */
static void begin_child(struct fork_notes *notes, pid_t (*real_fork)(void))
{
    fork_child(notes);
    if (real_fork == real()->fork) snapshot_prepare();
}

static pid_t fork_by(pid_t (*real_fork)(void))
{
    struct fork_notes notes;
    int error = errno;
    if (!real_fork) {
        errno = ENOSYS;
        return -1;
    }
    fork_prepare(&notes);
    errno = error;
    pid_t pid = real_fork();
    error = errno;
    if (pid == 0)
        begin_child(&notes, real_fork);
    else
        fork_parent(&notes);
    errno = error;
    return pid;
}

EXPORT pid_t fork(void) { return fork_by(real()->fork); }

EXPORT pid_t __fork(void);
pid_t __fork(void) { return fork_by(real()->fork); }

EXPORT pid_t _Fork(void) { return fork_by(real()->_Fork); }

static int fail(long error)
{
    errno = (int)-error;
    return -1;
}

/* Descriptors 0 to 2 to the real /dev/null, or an error, as glibc's daemon(3) has it. */
static int use_null(void)
{
    struct stat status;
    long fd = sys_call4(SYS_openat, AT_FDCWD, "/dev/null", O_RDWR, 0);
    if (fd < 0) return fail(fd);
    long error = sys_call2(SYS_fstat, fd, &status);
    if (!error && (!S_ISCHR(status.st_mode) || status.st_rdev != makedev(1, 3))) error = -ENODEV;
    for (int standard = 0; standard < 3 && !error; standard++)
        if (standard != fd) (void)sys_call3(SYS_dup3, fd, standard, 0);
    if (error || fd > 2) (void)sys_call1(SYS_close, fd);
    return error ? fail(error) : 0;
}

EXPORT int daemon(int keep_directory, int keep_descriptors)
{
    pid_t pid = fork_by(real()->fork);
    if (pid < 0) return -1;
    if (pid > 0) {
        finish_process(STORE_ENDING_EXIT, 0);
        real()->_exit(0);
    }
    long session = sys_call0(SYS_setsid);
    if (session < 0) return fail(session);
    if (!keep_directory) (void)sys_call1(SYS_chdir, "/"); /* no error of daemon(3) */
    return keep_descriptors ? 0 : use_null();
}

/* SPDX-License-Identifier: MIT
 *
 * Files written from inside a target: every call raw (base/sys.h), EINTR retried, and a file
 * appears under its name whole or not at all. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Writes all bytes. 0 or −errno. Context: any thread, signal-safe; the caller has signals blocked
 * if SIGXFSZ/SIGPIPE must not reach the target (file_guard). */
int file_write_all(int fd, const void *data, size_t bytes);

/* Blocks all signals of this thread but SIGTRAP; file_unguard takes back a SIGXFSZ or SIGPIPE that
 * was not pending before and restores the mask. Context: any thread, signal-safe. */
struct file_guard {
    uint64_t mask, pending;
};
void file_guard(struct file_guard *guard);
void file_unguard(const struct file_guard *guard);

/* Reserves space [offset, offset+bytes) with fallocate, or by writing zeros where the file system
 * can't: never a hole. 0 or −errno. Context: any thread, signal-safe, under file_guard. */
int file_reserve(int fd, uint64_t offset, uint64_t bytes);

/* A file being written beside its final name. */
struct file_replace {
    int fd;
    int in_place;          /* a device, FIFO or socket: written directly */
    int is_new;            /* set by the caller: what stands under the name stays (−EEXIST) */
    char final_name[4096]; /* absolute */
    char temporary[4160];  /* empty where in_place */
};
#define FILE_REPLACE_INIT                                                                          \
    {                                                                                              \
        .fd = -1                                                                                   \
    }

/* Opens the temporary `.NAME.<pid>.<random>.tmp` in the same directory
 * (O_EXCL|O_NOFOLLOW|O_CLOEXEC, 0666 less the umask). A final name that is a directory is refused
 * (−EISDIR); a device, FIFO or socket is opened in place (a FIFO without a reader: −ENXIO); a
 * symlink will be replaced, never followed, but for one below /dev or /proc (/dev/stdout), which is
 * written through and appended to. 0 or −errno; nothing is left open or behind on failure.
 * Context: any thread, signal-safe, under file_guard. */
int file_replace_open(struct file_replace *file, const char *final_name);

/* Renames over the final name (commit) or removes the temporary (abort). Both close. 0 or −errno.
 * After FILE_REPLACE_INIT, a refused open, commit or abort, nothing is open, and abort does
 * nothing.
 */
int file_replace_commit(struct file_replace *file);
void file_replace_abort(struct file_replace *file);

/* SPDX-License-Identifier: MIT
 *
 * The kernel gives a removed file no name again (linkat refuses a count of 0 links), so it is
 * copied. The lock keeps a thread that is new from taking space meanwhile. */
#include "store/rehome.h"

#include "base/file.h"
#include "base/sys.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

static int copy_and_map(struct store *store, int fd)
{
    uint64_t bytes = store_head(store)->file_bytes;
    struct stat file;
    int error = (int)sys_call2(SYS_fstat, fd, &file);
    if (!error) error = file_reserve(fd, 0, bytes);
    if (!error) error = file_write_all(fd, store->base, bytes);
    if (error) return error;
    long at = sys_call6(SYS_mmap, (long)store->base, (long)bytes, PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_FIXED | MAP_POPULATE, fd, 0);
    if (at < 0 && at > -4096) return (int)at; /* refused: what was mapped there still is */
    store->device = file.st_dev;
    store->inode = file.st_ino;
    return 0;
}

static int move(struct store *store, const char *path)
{
    long fd = sys_call4(SYS_openat, AT_FDCWD, path,
                        O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0) return (int)fd;
    int error = copy_and_map(store, (int)fd);
    (void)sys_call1(SYS_close, fd);
    if (error)
        (void)sys_call3(SYS_unlinkat, AT_FDCWD, path, 0);
    else
        memcpy(store->path, path, strlen(path) + 1);
    return error;
}

void store_rehome(struct store *store, const char *path, bool alone)
{
    struct file_guard guard;
    if (!store->base || store->path[0] || !path[0]) return;
    file_guard(&guard);
    bool is_moved = false;
    if (alone && store_lock(store)) {
        is_moved = move(store, path) == 0;
        store_unlock(store);
    }
    if (!is_moved) {
        struct store_head *head = store_head(store);
        head->flags |= STORE_IS_MEMORY | STORE_HAS_MEMORY_CHUNKS;
        head->file_bytes = 0;
    }
    file_unguard(&guard);
}

/* SPDX-License-Identifier: MIT
 *
 * Creating and growing the store. The address range is reserved once; chunks of the file, or of
 * memory after the file refused, are mapped into it one behind the other. All of it happens on slow
 * paths with signals blocked, so that no handler meets a half-grown store or the lock in its own
 * thread's hands. */
#include "store/store.h"

#include "base/file.h"
#include "base/fmt.h"
#include "base/sys.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>

enum {
    SMALLEST_CHUNK = 256 << 10,
    LARGEST_CHUNK = 4 << 20,
    PAGE = 4096,
};
/* Half of what 32-bit refs reach; address space costs nothing where it isn't limited. */
#define MOST_RESERVED (UINT64_C(16) << 30)

static bool is_error(long result) { return result < 0 && result > -4096; }

static long map(void *at, uint64_t bytes, int flags, long fd, uint64_t offset)
{
    return sys_call6(SYS_mmap, (long)at, (long)bytes, PROT_READ | PROT_WRITE, flags, fd,
                     (long)offset);
}

/* A limited address space belongs to the target: at most a thirty-second part of it is taken, or
 * what a first chunk needs. */
static uint64_t most_address_space(void)
{
    struct rlimit limit;
    if (sys_call4(SYS_prlimit64, 0, RLIMIT_AS, NULL, &limit)) return MOST_RESERVED;
    if (limit.rlim_cur == RLIM_INFINITY) return MOST_RESERVED;
    uint64_t share = limit.rlim_cur / 32 & ~(uint64_t)(PAGE - 1);
    if (share < SMALLEST_CHUNK) share = SMALLEST_CHUNK;
    return share < MOST_RESERVED ? share : MOST_RESERVED;
}

static int reserve_addresses(struct store *store)
{
    for (uint64_t bytes = most_address_space(); bytes >= SMALLEST_CHUNK; bytes /= 2) {
        bytes &= ~(uint64_t)(PAGE - 1);
        long at = sys_call6(SYS_mmap, 0, (long)bytes, PROT_NONE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (is_error(at)) continue;
        store->base = (uint8_t *)at;
        store->reserved_bytes = bytes;
        return 0;
    }
    return -ENOMEM;
}

/* Opens the file again by name and checks that it is still ours. */
static long reopen(const struct store *store)
{
    long fd = sys_call4(SYS_openat, AT_FDCWD, store->path, O_RDWR | O_NOFOLLOW | O_CLOEXEC, 0);
    if (fd < 0) return fd;
    struct stat file;
    bool is_ours = sys_call2(SYS_fstat, fd, &file) == 0 && file.st_dev == store->device &&
                   file.st_ino == store->inode;
    if (is_ours) return fd;
    (void)sys_call1(SYS_close, fd);
    return -ESTALE;
}

/* Maps file bytes [offset, offset + bytes) to their place, reserved first: no hole is ever touched.
 */
static int map_file_chunk(const struct store *store, long fd, uint64_t offset, uint64_t bytes)
{
    int error = file_reserve((int)fd, offset, bytes);
    if (error) return error;
    long at = map(store->base + offset, bytes, MAP_SHARED | MAP_FIXED | MAP_POPULATE, fd, offset);
    return is_error(at) ? (int)at : 0;
}

static int map_memory_chunk(const struct store *store, uint64_t offset, uint64_t bytes)
{
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED;
    long at = map(store->base + offset, bytes, flags, -1, 0);
    return is_error(at) ? (int)at : 0;
}

static int create_file(struct store *store, const char *directory, uint32_t pid)
{
    uint64_t random = 0;
    if (sys_call3(SYS_getrandom, &random, sizeof random, 0) != (long)sizeof random) return -EIO;
    struct fmt name = fmt_over(store->path, sizeof store->path);
    fmt_text(&name, directory);
    fmt_text(&name, "/stint.");
    fmt_u64(&name, pid);
    fmt_char(&name, '.');
    fmt_hex(&name, random, 16);
    fmt_text(&name, ".store");
    if (name.cut) return -ENAMETOOLONG;
    long fd = sys_call4(SYS_openat, AT_FDCWD, store->path,
                        O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0) return (int)fd;
    struct stat file;
    int error = (int)sys_call2(SYS_fstat, fd, &file);
    if (!error) error = map_file_chunk(store, fd, 0, SMALLEST_CHUNK);
    (void)sys_call1(SYS_close, fd);
    if (error) {
        (void)sys_call3(SYS_unlinkat, AT_FDCWD, store->path, 0);
        return error;
    }
    store->device = file.st_dev;
    store->inode = file.st_ino;
    return 0;
}

static void fill_head(struct store_head *head, bool is_file)
{
    memcpy(head->magic, STORE_MAGIC, sizeof head->magic);
    head->version = STORE_VERSION;
    head->byte_order = STORE_BYTE_ORDER;
    head->head_bytes = sizeof(struct store_head);
    head->node_bytes = sizeof(struct store_node);
    head->function_bytes = sizeof(struct store_function);
    head->frame_bytes = sizeof(struct store_frame);
    head->recorder_bytes = sizeof(struct store_recorder);
    head->module_bytes = sizeof(struct store_module);
    head->file_bytes = is_file ? SMALLEST_CHUNK : 0;
    head->flags = is_file ? 0 : STORE_IS_MEMORY | STORE_HAS_MEMORY_CHUNKS;
    __atomic_store_n(&head->used_bytes, STORE_HEAD_BYTES, __ATOMIC_RELEASE);
}

static int create_guarded(struct store *store, const struct store_options *options)
{
    int error = reserve_addresses(store);
    if (error) return error;
    bool is_file = false;
    for (int i = 0; i < (int)COUNT_OF(options->directories) && options->directories[i]; i++) {
        is_file = create_file(store, options->directories[i], options->pid) == 0;
        if (is_file) break;
    }
    if (!is_file) {
        store->path[0] = '\0';
        error = map_memory_chunk(store, 0, SMALLEST_CHUNK);
    }
    if (error) {
        store_abandon(store);
        return error;
    }
    store->mapped_bytes = SMALLEST_CHUNK;
    fill_head(store_head(store), is_file);
    return 0;
}

int store_create(struct store *store, const struct store_options *options)
{
    struct file_guard guard;
    file_guard(&guard);
    memset(store, 0, sizeof *store);
    int error = create_guarded(store, options);
    file_unguard(&guard);
    return error;
}

static uint64_t whole_pages(uint64_t bytes) { return (bytes + PAGE - 1) & ~(uint64_t)(PAGE - 1); }

/* One more chunk behind the last. Once the file has refused, all further chunks are memory: a later
 * file chunk would leave a gap that a reader of the file takes for data. */
static int grow(struct store *store, uint64_t need)
{
    struct store_head *head = store_head(store);
    uint64_t bytes = store->mapped_bytes / 4;
    if (bytes < SMALLEST_CHUNK) bytes = SMALLEST_CHUNK;
    if (bytes > LARGEST_CHUNK) bytes = LARGEST_CHUNK;
    bytes = whole_pages(bytes < need ? need : bytes);
    if (bytes > store->reserved_bytes - store->mapped_bytes) bytes = whole_pages(need);
    if (bytes > store->reserved_bytes - store->mapped_bytes) return -ENOSPC;

    int error = -ENOSPC;
    if (!(head->flags & STORE_HAS_MEMORY_CHUNKS)) {
        long fd = reopen(store);
        error = fd < 0 ? (int)fd : map_file_chunk(store, fd, store->mapped_bytes, bytes);
        if (fd >= 0) (void)sys_call1(SYS_close, fd);
        if (!error) head->file_bytes = store->mapped_bytes + bytes;
    }
    if (error) {
        error = map_memory_chunk(store, store->mapped_bytes, bytes);
        if (error) return error;
        head->flags |= STORE_HAS_MEMORY_CHUNKS;
    }
    __atomic_store_n(&store->mapped_bytes, store->mapped_bytes + bytes, __ATOMIC_RELAXED);
    return 0;
}

/* Any other holder is on its way to unlock, since its signals are blocked. */
bool store_lock(struct store *store)
{
    uint32_t self = (uint32_t)sys_call0(SYS_gettid);
    for (;;) {
        uint32_t owner = 0;
        if (__atomic_compare_exchange_n(&store->lock, &owner, self, false, __ATOMIC_ACQUIRE,
                                        __ATOMIC_RELAXED)) {
            return true;
        }
        if (owner == self) return false;
        (void)sys_call0(SYS_sched_yield);
    }
}

void store_unlock(struct store *store) { __atomic_store_n(&store->lock, 0, __ATOMIC_RELEASE); }

/* Asking again for what was refused would cost every further call its system calls. */
static bool is_hopeless(const struct store *store, uint64_t bytes)
{
    /* Without the lock: values of two moments refuse, at worst, what would have been refused a
     * moment ago. */
    uint64_t refused = __atomic_load_n(&store->refused_bytes, __ATOMIC_RELAXED);
    if (!refused) return false;
    uint64_t used = __atomic_load_n(&store_head(store)->used_bytes, __ATOMIC_RELAXED);
    return used + bytes >= __atomic_load_n(&store->mapped_bytes, __ATOMIC_RELAXED) + refused;
}

static bool try_grow(struct store *store, uint64_t need)
{
    if (grow(store, need) == 0) return true;
    __atomic_store_n(&store->refused_bytes, need, __ATOMIC_RELAXED);
    return false;
}

static store_ref alloc_locked(struct store *store, uint64_t bytes, uint32_t align)
{
    struct store_head *head = store_head(store);
    uint64_t at = (head->used_bytes + align - 1) & ~(uint64_t)(align - 1);
    uint64_t end = (at + bytes + STORE_UNIT - 1) & ~(uint64_t)(STORE_UNIT - 1);
    bool fits = end <= store->mapped_bytes || try_grow(store, end - store->mapped_bytes);
    if (!fits) return 0;
    __atomic_store_n(&head->used_bytes, end, __ATOMIC_RELEASE);
    return (store_ref)(at / STORE_UNIT);
}

store_ref store_alloc(struct store *store, uint64_t bytes, uint32_t align)
{
    if (!store->base || bytes > store->reserved_bytes) return 0;
    if (is_hopeless(store, bytes)) return 0;
    struct file_guard guard;
    store_ref ref = 0;
    file_guard(&guard);
    if (store_lock(store)) {
        ref = alloc_locked(store, bytes, align);
        store_unlock(store);
    }
    file_unguard(&guard);
    return ref;
}

store_ref store_copy_text(struct store *store, const char *text, size_t bytes)
{
    if (bytes >= UINT32_MAX) return 0;
    store_ref ref = store_alloc(store, sizeof(struct store_text) + bytes + 1, 8);
    if (!ref) return 0;
    struct store_text *copy = store_at(store, ref);
    memcpy(copy->data, text, bytes);
    copy->bytes = (uint32_t)bytes;
    return ref;
}

int store_unlink(struct store *store)
{
    if (!store->base || !store->path[0]) return 0;
    struct file_guard guard;
    file_guard(&guard);
    long fd = reopen(store), error = fd;
    if (fd >= 0) {
        error = sys_call3(SYS_unlinkat, AT_FDCWD, store->path, 0);
        (void)sys_call1(SYS_close, fd);
    }
    file_unguard(&guard);
    if (error < 0 && error != -ENOENT && error != -ESTALE) return (int)error;
    store->path[0] = '\0';
    return 0;
}

void store_abandon(struct store *store)
{
    /* Unmapping a range that we mapped can't fail. */
    if (store->base) (void)sys_call2(SYS_munmap, store->base, store->reserved_bytes);
    memset(store, 0, sizeof *store);
}

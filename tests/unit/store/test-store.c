/* SPDX-License-Identifier: MIT
 *
 * A store from its creation to its end: what stands in the directory, what is in the file, and what
 * happens where the disk, the limit, the name or the memory refuses. */
#include "store/store.h"

#include "child.h"

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

enum { KIB = 1024, MIB = 1024 * 1024, PID = 4242 };

static char directory[64];
static struct store store;

static int make_directory(void **state)
{
    strcpy(directory, "/tmp/stint-store-XXXXXX");
    return mkdtemp(directory) ? 0 : -1;
}

static int remove_directory(void **state)
{
    char path[512];
    store_abandon(&store);
    DIR *open = opendir(directory);
    struct dirent *entry;
    while (open && (entry = readdir(open))) {
        snprintf(path, sizeof path, "%s/%s", directory, entry->d_name);
        (void)unlink(path);
    }
    if (open) closedir(open);
    return rmdir(directory);
}

static int entries_of(const char *path)
{
    DIR *open = opendir(path);
    int count = -2; /* . and .. */
    while (readdir(open)) count++;
    closedir(open);
    return count;
}

static int create_in(const char *first, const char *second)
{
    const struct store_options options = {.directories = {first, second}, .pid = PID};
    return store_create(&store, &options);
}

static void create(void) { assert_int_equal(create_in(directory, NULL), 0); }

static uint64_t file_size(void)
{
    struct stat status;
    assert_int_equal(stat(store.path, &status), 0);
    return (uint64_t)status.st_size;
}

/* Allocates filled pieces until so many bytes are in use; false where memory ends before. */
static bool fill_up_to(uint64_t bytes)
{
    while (store_head(&store)->used_bytes < bytes) {
        store_ref ref = store_alloc(&store, 10000, 8);
        if (!ref) return false;
        memset(store_at(&store, ref), 0x5a, 10000);
    }
    return true;
}

static bool has_memory_chunks(void) { return store_head(&store)->flags & STORE_HAS_MEMORY_CHUNKS; }

/* The file holds what is mapped, as far as the head says. */
static void assert_file_is_the_store(void)
{
    uint64_t bytes = store_head(&store)->file_bytes;
    assert_int_equal(file_size(), bytes);
    char *content = malloc(bytes);
    FILE *file = fopen(store.path, "rb");
    assert_non_null(file);
    assert_int_equal(fread(content, 1, bytes, file), bytes);
    fclose(file);
    assert_int_equal(memcmp(content, store.base, bytes), 0);
    free(content);
}

static bool is_filled(const void *space, uint8_t value, uint64_t bytes)
{
    const uint8_t *at = space;
    while (bytes && *at == value) at++, bytes--;
    return !bytes;
}

static void the_name_has_the_pid_and_16_random_digits(void **state)
{
    char first[sizeof store.path], digits[17] = "";
    int end = 0;
    create();
    assert_memory_equal(store.path, directory, strlen(directory));
    const char *name = store.path + strlen(directory);
    (void)sscanf(name, "/stint.4242.%16[0-9a-f].store%n", digits, &end);
    assert_int_equal(strlen(digits), 16);
    assert_int_equal(strlen(name), end);
    strcpy(first, store.path);
    store_abandon(&store);
    create();
    assert_string_not_equal(store.path, first);
    assert_int_equal(entries_of(directory), 2);
}

static void only_its_owner_may_read_it(void **state)
{
    struct stat status;
    mode_t before = umask(0);
    create();
    umask(before);
    assert_int_equal(stat(store.path, &status), 0);
    assert_int_equal(status.st_mode & 07777, 0600);
}

static void the_head_describes_the_store(void **state)
{
    create();
    const struct store_head *head = store_head(&store);
    assert_memory_equal(head->magic, "STINTSTO", 8);
    assert_int_equal(head->byte_order, 0x01020304);
    assert_int_equal(head->node_bytes, 64);
    assert_int_equal(head->function_bytes, 960);
    assert_int_equal(head->frame_bytes, 40);
    assert_int_equal(head->used_bytes, STORE_HEAD_BYTES);
    assert_int_equal(head->flags, 0);
    assert_file_is_the_store();
}

static void no_descriptor_stays_open(void **state)
{
    int before = entries_of("/proc/self/fd");
    create();
    assert_true(fill_up_to(3 * MIB));
    assert_int_equal(entries_of("/proc/self/fd"), before);
    store_unlink(&store);
    assert_int_equal(entries_of("/proc/self/fd"), before);
}

static void the_first_directory_that_takes_it_has_it(void **state)
{
    assert_int_equal(create_in("/nowhere/at/all", directory), 0);
    assert_memory_equal(store.path, directory, strlen(directory));
    assert_int_equal(entries_of(directory), 1);
}

static void without_a_directory_it_is_memory(void **state)
{
    static char too_long[5000];
    memset(too_long, 'd', sizeof too_long - 1);
    too_long[0] = '/';
    assert_int_equal(create_in("/nowhere/at/all", too_long), 0);
    assert_string_equal(store.path, "");
    assert_int_equal(store_head(&store)->flags, STORE_IS_MEMORY | STORE_HAS_MEMORY_CHUNKS);
    assert_int_equal(store_head(&store)->file_bytes, 0);
    assert_true(fill_up_to(3 * MIB));
    store_unlink(&store);
    store_abandon(&store);
    assert_int_equal(create_in(NULL, NULL), 0);
    assert_true(fill_up_to(MIB));
}

static void space_is_zeroed_aligned_and_apart(void **state)
{
    static const uint32_t aligns[] = {8, 16, 64, 4096};
    create();
    uint64_t end = STORE_HEAD_BYTES;
    for (uint32_t i = 0; i < 2000; i++) {
        uint64_t bytes = 1 + i * 37 % 1500;
        store_ref ref = store_alloc(&store, bytes, aligns[i % 4]);
        assert_int_not_equal(ref, 0);
        uint64_t at = (uint64_t)ref * 8;
        assert_true(at >= end && at % aligns[i % 4] == 0);
        end = at + bytes;
        assert_true(is_filled(store.base + at, 0, bytes));
        memset(store_at(&store, ref), 0xff, bytes);
    }
}

static void it_grows_with_its_file_and_nothing_moves(void **state)
{
    create();
    uint8_t *base = store.base;
    store_ref first = store_copy_text(&store, "first", 5);
    assert_true(fill_up_to(20 * MIB));
    assert_ptr_equal(store.base, base);
    assert_string_equal(((struct store_text *)store_at(&store, first))->data, "first");
    assert_false(has_memory_chunks());
    assert_true(store_head(&store)->file_bytes >= store_head(&store)->used_bytes);
    assert_file_is_the_store();
}

static void one_piece_may_be_larger_than_any_chunk(void **state)
{
    create();
    store_ref ref = store_alloc(&store, 50 * MIB, 64);
    assert_int_not_equal(ref, 0);
    ((char *)store_at(&store, ref))[50 * MIB - 1] = 1;
    assert_int_not_equal(store_alloc(&store, 8, 8), 0);
    assert_true(file_size() >= 50 * MIB);
}

static void a_text_is_counted_and_terminated(void **state)
{
    create();
    store_ref ref = store_copy_text(&store, "one\0two!", 7);
    const struct store_text *text = store_at(&store, ref);
    assert_int_equal(text->bytes, 7);
    assert_memory_equal(text->data, "one\0two", 8);
    text = store_at(&store, store_copy_text(&store, "", 0));
    assert_int_equal(text->bytes, 0);
    assert_int_equal(store_copy_text(&store, "", (size_t)1 << 33), 0);
}

static void what_the_range_does_not_hold_is_refused(void **state)
{
    create();
    uint64_t reserved = store.reserved_bytes, used = store_head(&store)->used_bytes;
    assert_int_equal(store_alloc(&store, UINT64_MAX, 8), 0);
    assert_int_equal(store_alloc(&store, reserved + 1, 8), 0);
    assert_int_equal(store_alloc(&store, reserved, 4096), 0);
    assert_int_equal(store_head(&store)->used_bytes, used);
    store.reserved_bytes = MIB; /* as where the address space is limited */
    assert_false(fill_up_to(2 * MIB));
    assert_true(store_head(&store)->used_bytes <= MIB);
    assert_int_not_equal(store_alloc(&store, 8, 8), 0);
    store.reserved_bytes = reserved;
    struct store none = {0};
    assert_int_equal(store_alloc(&none, 8, 8), 0);
}

static int check_continues_in_memory(uint64_t file_limit)
{
    uint64_t file_bytes = store_head(&store)->file_bytes;
    CHECK(has_memory_chunks() && !(store_head(&store)->flags & STORE_IS_MEMORY));
    CHECK(file_bytes <= file_limit && file_size() >= file_bytes);
    uint64_t used = store_head(&store)->used_bytes - STORE_HEAD_BYTES;
    CHECK(is_filled(store.base + STORE_HEAD_BYTES, 0x5a, used));
    return child_has_nothing_pending() ? 0 : 72;
}

static int grow_beyond_the_limit(void)
{
    CHECK(signal(SIGXFSZ, SIG_DFL) != SIG_ERR && child_limit_files(600 * KIB) == 0);
    CHECK(create_in(directory, NULL) == 0 && fill_up_to(4 * MIB));
    int result = check_continues_in_memory(600 * KIB);
    if (result) return result;
    uint64_t file_bytes = store_head(&store)->file_bytes;
    CHECK(child_limit_files(RLIM_INFINITY) == 0 && fill_up_to(8 * MIB));
    CHECK(store_head(&store)->file_bytes == file_bytes); /* a gap would be read as data */
    return 0;
}

static void a_limit_on_files_kills_nobody_and_memory_takes_over(void **state)
{
    child_run(grow_beyond_the_limit);
}

static int create_beyond_the_limit(void)
{
    CHECK(signal(SIGXFSZ, SIG_DFL) != SIG_ERR && child_limit_files(0) == 0);
    CHECK(create_in(directory, NULL) == 0);
    CHECK(store.path[0] == '\0' && entries_of(directory) == 0 && child_has_nothing_pending());
    return fill_up_to(MIB) ? 0 : 72;
}

static void a_file_that_gets_no_space_is_not_left_behind(void **state)
{
    child_run(create_beyond_the_limit);
}

static int fill_a_tiny_disk(void)
{
    if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL))
        return CHILD_NOT_POSSIBLE;
    if (mount("tiny", directory, "tmpfs", 0, "size=640k")) return CHILD_NOT_POSSIBLE;
    CHECK(create_in(directory, NULL) == 0 && store.path[0]);
    CHECK(fill_up_to(4 * MIB));
    return check_continues_in_memory(640 * KIB);
}

static void a_full_disk_kills_nobody_and_memory_takes_over(void **state)
{
    child_run(fill_a_tiny_disk);
}

/* Sanitizers take more than any limit; emulators ignore it. */
static int create_in_a_small_address_space(void)
{
    unsigned long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%lu", &pages) != 1 || pages > 1000000) return CHILD_NOT_POSSIBLE;
    struct rlimit limit = {pages * 4096 + 32 * MIB, RLIM_INFINITY}, now;
    CHECK(setrlimit(RLIMIT_AS, &limit) == 0 && getrlimit(RLIMIT_AS, &now) == 0);
    if (now.rlim_cur != limit.rlim_cur) return CHILD_NOT_POSSIBLE;
    CHECK(create_in(directory, NULL) == 0);
    CHECK(store.reserved_bytes <= limit.rlim_cur / 8 && fill_up_to(512 * KIB));
    return mmap(NULL, 16 * MIB, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED;
}

static void a_limited_address_space_stays_the_programs(void **state)
{
    child_run(create_in_a_small_address_space);
}

static void put(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void assert_holds(const char *path, const char *text)
{
    char found[64] = "";
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_non_null(fgets(found, sizeof found, file));
    fclose(file);
    assert_string_equal(found, text);
}

static void growing_follows_no_symlink(void **state)
{
    char other[128];
    create();
    snprintf(other, sizeof other, "%s/other", directory);
    put(other, "precious");
    assert_int_equal(unlink(store.path), 0);
    assert_int_equal(symlink(other, store.path), 0);
    assert_true(fill_up_to(2 * MIB));
    assert_true(has_memory_chunks());
    assert_holds(other, "precious");
}

static void a_file_that_took_the_name_is_neither_grown_nor_removed(void **state)
{
    char path[sizeof store.path];
    create();
    strcpy(path, store.path);
    assert_int_equal(unlink(path), 0);
    put(path, "another's");
    assert_true(fill_up_to(2 * MIB));
    assert_true(has_memory_chunks());
    store_unlink(&store);
    assert_holds(path, "another's");
}

static void unlinking_removes_the_file_and_keeps_the_mapping(void **state)
{
    create();
    store_ref ref = store_copy_text(&store, "still here", 10);
    assert_int_equal(store_unlink(&store), 0);
    assert_int_equal(entries_of(directory), 0);
    assert_string_equal(((struct store_text *)store_at(&store, ref))->data, "still here");
    assert_string_equal(store.path, "");
    store_unlink(&store);
    assert_true(fill_up_to(2 * MIB));
}

static int unlink_without_rights(void)
{
    CHECK(setuid(65534) == 0);
    CHECK(store_unlink(&store) == -EACCES);
    return store.path[0] ? 0 : 72;
}

static void a_file_that_may_not_be_removed_is_told(void **state)
{
    if (getuid()) skip();
    create();
    child_run(unlink_without_rights);
    assert_int_equal(entries_of(directory), 1);
}

static int abandon(void)
{
    store_abandon(&store);
    CHECK(!store.base && !store.path[0]);
    store_unlink(&store);
    return entries_of(directory) == 1 ? 0 : 72;
}

static void a_child_that_abandons_it_leaves_it_to_its_parent(void **state)
{
    create();
    child_run(abandon);
    assert_true(fill_up_to(2 * MIB));
    assert_file_is_the_store();
}

static void whoever_holds_the_lock_itself_gets_nothing_and_does_not_wait(void **state)
{
    create();
    store.lock = (uint32_t)gettid();
    assert_int_equal(store_alloc(&store, 8, 8), 0);
    assert_int_equal(store_copy_text(&store, "x", 1), 0);
    assert_int_equal(store.lock, gettid());
    store.lock = 0;
    assert_int_not_equal(store_alloc(&store, 8, 8), 0);
}

enum { THREADS = 8, PIECES = 1500 };
static store_ref pieces[THREADS][PIECES];

static uint64_t piece_bytes(uintptr_t thread, uint32_t i)
{
    return 16 + (thread * 131 + i * 37) % 2000;
}

static void *allocate(void *argument)
{
    uintptr_t thread = (uintptr_t)argument;
    for (uint32_t i = 0; i < PIECES; i++) {
        store_ref ref = store_alloc(&store, piece_bytes(thread, i), 8);
        if (!ref) return NULL;
        memset(store_at(&store, ref), (int)(thread + 1), piece_bytes(thread, i));
        pieces[thread][i] = ref;
    }
    return argument;
}

static void eight_threads_get_space_apart(void **state)
{
    pthread_t threads[THREADS];
    create();
    for (uintptr_t t = 0; t < THREADS; t++) {
        assert_int_equal(pthread_create(&threads[t], NULL, allocate, (void *)t), 0);
    }
    for (uintptr_t t = 0; t < THREADS; t++) {
        void *result;
        assert_true(pthread_join(threads[t], &result) == 0 && result == (void *)t);
    }
    for (uintptr_t t = 0; t < THREADS; t++) {
        for (uint32_t i = 0; i < PIECES; i++) {
            const void *piece = store_at(&store, pieces[t][i]);
            assert_true(is_filled(piece, (uint8_t)(t + 1), piece_bytes(t, i)));
        }
    }
    assert_file_is_the_store();
}

#define IN_DIRECTORY(name) cmocka_unit_test_setup_teardown(name, make_directory, remove_directory)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_DIRECTORY(the_name_has_the_pid_and_16_random_digits),
        IN_DIRECTORY(only_its_owner_may_read_it),
        IN_DIRECTORY(the_head_describes_the_store),
        IN_DIRECTORY(no_descriptor_stays_open),
        IN_DIRECTORY(the_first_directory_that_takes_it_has_it),
        IN_DIRECTORY(without_a_directory_it_is_memory),
        IN_DIRECTORY(space_is_zeroed_aligned_and_apart),
        IN_DIRECTORY(it_grows_with_its_file_and_nothing_moves),
        IN_DIRECTORY(one_piece_may_be_larger_than_any_chunk),
        IN_DIRECTORY(a_text_is_counted_and_terminated),
        IN_DIRECTORY(what_the_range_does_not_hold_is_refused),
        IN_DIRECTORY(a_limit_on_files_kills_nobody_and_memory_takes_over),
        IN_DIRECTORY(a_file_that_gets_no_space_is_not_left_behind),
        IN_DIRECTORY(a_full_disk_kills_nobody_and_memory_takes_over),
        IN_DIRECTORY(a_limited_address_space_stays_the_programs),
        IN_DIRECTORY(growing_follows_no_symlink),
        IN_DIRECTORY(a_file_that_took_the_name_is_neither_grown_nor_removed),
        IN_DIRECTORY(unlinking_removes_the_file_and_keeps_the_mapping),
        IN_DIRECTORY(a_file_that_may_not_be_removed_is_told),
        IN_DIRECTORY(a_child_that_abandons_it_leaves_it_to_its_parent),
        IN_DIRECTORY(whoever_holds_the_lock_itself_gets_nothing_and_does_not_wait),
        IN_DIRECTORY(eight_threads_get_space_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

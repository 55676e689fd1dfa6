/* SPDX-License-Identifier: MIT
 *
 * Directories → files named stint.<pid>.<random>.store → heads → what a user wants to know; and
 * from a dead store to its report. Runs in `stint`. */
#include "stores/stores.h"

#include "base/fault.h"
#include "store/view.h"
#include "stores/process.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DIRECTORIES = 3 };

/* The pid in "stint.<pid>.<random>.store", or 0 where it is no such name. */
static uint32_t pid_of_name(const char *name)
{
    unsigned pid = 0;
    int end = 0;
    if (sscanf(name, "stint.%9u.%n", &pid, &end) != 1 || end == 0) return 0;
    const char *suffix = strchr(name + end, '.');
    return suffix && strcmp(suffix, ".store") == 0 ? pid : 0;
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static void copy_text(char *to, size_t capacity, const struct view *view, store_ref ref)
{
    uint32_t bytes = 0;
    const char *text = view_text(view, ref, &bytes);
    if (!text || bytes >= capacity) bytes = 0;
    if (bytes) memcpy(to, text, bytes);
    to[bytes] = '\0';
}

static void read_head(struct store_found *store, const struct view *view)
{
    const struct store_head *head = view_head(view);
    char executable[4096];
    memcpy(store->run, head->run, sizeof store->run);
    store->run[sizeof store->run - 1] = '\0';
    store->is_damaged = head->pid == 0; /* or not whole yet: its process is just beginning */
    if (store->is_damaged) return;
    store->pid = head->pid;
    store->process_start = head->process_start;
    store->started_unix_ns = head->started_unix_ns;
    copy_text(executable, sizeof executable, view, head->executable);
    snprintf(store->program, sizeof store->program, "%.255s", base_name(executable));
    copy_text(store->out, sizeof store->out, view, head->out);
    store->is_alive = process_is_alive(head->pid, head->process_start);
}

int stores_describe(const char *path, struct store_found *store, struct fault *fault)
{
    struct stat status;
    if (lstat(path, &status) != 0) return fault_set(fault, -errno, "can't be read");
    if (!S_ISREG(status.st_mode)) return fault_set(fault, -EINVAL, "not an ordinary file");
    if (status.st_uid != geteuid())
        return fault_set(fault, -EPERM,
                         "another user's, whose word on where to write is not taken");
    *store = (struct store_found){.bytes = (uint64_t)status.st_blocks * 512, .is_damaged = true};
    snprintf(store->path, sizeof store->path, "%s", path);
    store->pid = pid_of_name(base_name(path));
    store->is_alive = store->pid && process_exists(store->pid);
    struct view view;
    int error = view_open(&view, path, fault);
    if (error) return error;
    read_head(store, &view);
    view_close(&view);
    return store->is_damaged ? fault_set(fault, -EBADMSG, "its head was never filled") : 0;
}

/* A store that lives long enough to be looked at is told even where its head is cut: somebody may
 * want to remove it. */
static void visit_directory(const char *directory,
                            void (*visit)(const struct store_found *store, void *context),
                            void *context)
{
    DIR *entries = opendir(directory);
    if (!entries) return;
    for (struct dirent *entry; (entry = readdir(entries));) {
        char path[4096];
        struct store_found store;
        struct fault fault = {0};
        if (!pid_of_name(entry->d_name)) continue;
        if (snprintf(path, sizeof path, "%s/%s", directory, entry->d_name) >= (int)sizeof path)
            continue;
        store.is_damaged = false;
        if (stores_describe(path, &store, &fault) == 0 || store.is_damaged) visit(&store, context);
    }
    closedir(entries);
}

/* False where it is among the first `count` already: then known[count] is free to use again. */
static bool is_new_directory(char (*known)[PATH_MAX], size_t count, const char *directory)
{
    if (!directory || !*directory || !realpath(directory, known[count])) return false;
    for (size_t i = 0; i < count; i++)
        if (strcmp(known[i], known[count]) == 0) return false;
    return true;
}

void stores_visit(const char *beside, void (*visit)(const struct store_found *store, void *context),
                  void *context)
{
    const char *wish = getenv("STINT_STORE");
    const char *automatic[DIRECTORIES] = {getenv("XDG_RUNTIME_DIR"), "/dev/shm",
                                          beside ? beside : "."};
    const char *asked[DIRECTORIES] = {wish};
    bool is_automatic = !wish || !*wish || strcmp(wish, "auto") == 0;
    const char **wanted = is_automatic ? automatic : asked;
    if (wish && strcmp(wish, "none") == 0) return;
    char known[DIRECTORIES][PATH_MAX];
    size_t count = 0;
    for (size_t i = 0; i < DIRECTORIES; i++) {
        if (!is_new_directory(known, count, wanted[i])) continue;
        visit_directory(known[count++], visit, context);
    }
}

/* Gives a finished report its name without taking one that is there. */
static int name_exclusively(const char *temporary, const char *path)
{
    if (renameat2(AT_FDCWD, temporary, AT_FDCWD, path, RENAME_NOREPLACE) == 0) return 0;
    if (errno != EINVAL && errno != ENOSYS) return -errno;
    if (link(temporary, path) != 0) return -errno; /* file systems without that flag */
    (void)unlink(temporary);                       /* has its second name already */
    return 0;
}

static int write_exclusively(const struct report_input *asked, const char *path,
                             struct fault *fault)
{
    struct report_input input = *asked;
    char temporary[4096];
    struct stat status;
    if (lstat(path, &status) == 0) return fault_set(fault, -EEXIST, "the report's name is taken");
    int length = snprintf(temporary, sizeof temporary, "%.*s.%s.%ld.recovered",
                          (int)(base_name(path) - path), path, base_name(path), (long)getpid());
    if (length >= (int)sizeof temporary) return fault_set(fault, -ENAMETOOLONG, "name too long");
    input.path = temporary;
    int error = report_write(&input, fault);
    if (error) return error;
    error = name_exclusively(temporary, path);
    if (error == 0) return 0;
    (void)unlink(temporary); /* the name's fault is the one to tell */
    return fault_set(fault, error, "the report can't get its name");
}

/* A relative name as report_write wants it. */
static int absolute(const char *path, char result[4096], struct fault *fault)
{
    char directory[4096] = "";
    if (path[0] != '/' && !getcwd(directory, sizeof directory - 1))
        return fault_set(fault, -errno, "no current directory");
    if (path[0] != '/') strcat(directory, "/");
    if (snprintf(result, 4096, "%s%s", directory, path) >= 4096)
        return fault_set(fault, -ENAMETOOLONG, "the report's name is too long");
    return 0;
}

int stores_recover(const struct store_found *store, const struct stores_recovery *recovery,
                   struct fault *fault)
{
    char path[4096];
    struct report_input input = {.path = path, .is_killed = 1, .killed = recovery->killed};
    int error = absolute(recovery->path, path, fault);
    if (error == 0) error = view_open(&input.view, store->path, fault);
    if (error) return error;
    error = recovery->may_replace ? report_write(&input, fault)
                                  : write_exclusively(&input, path, fault);
    view_close(&input.view);
    if (error) return error;
    if (unlink(store->path) != 0) return fault_set(fault, -errno, "the store can't be removed");
    return 0;
}

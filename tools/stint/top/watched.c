/* SPDX-License-Identifier: MIT
 *
 * A process's store is the file that it has mapped: so it is found wherever it lies, also in
 * another mount namespace. Runs in `stint`. */
#include "top/watched.h"

#include "base/fmt.h"
#include "base/num.h"
#include "base/say.h"
#include "stores/process.h"
#include "stores/stores.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool refuse(const char *word, const char *why)
{
    say_line(word, ": ", why, (char *)0);
    return false;
}

/* The store of a process that runs, and of this user. */
static bool check(const char *word, const char *path)
{
    struct store_found store;
    struct fault fault = {0};
    int error = stores_describe(path, &store, &fault);
    bool is_system =
        error && fault.error != -EBADMSG && fault.error != -EINVAL && fault.error != -EPERM;
    if (error == -EPERM) return refuse(word, "another user's; watch it as that user");
    if (error) {
        say_line(word, ": ", fault.text, is_system ? ": " : "",
                 is_system ? strerror(-fault.error) : "", (char *)0);
        return false;
    }
    if (store.is_alive) return true;
    return refuse(word, "its program is gone; `stint recover` makes its report");
}

/* "…/stint.<pid>.<random>.store" at the end of a line of /proc/<pid>/maps, cut out of it. */
static const char *store_in_line(char *line)
{
    char *path = strchr(line, '/');
    char *name = path ? strrchr(path, '/') : NULL;
    size_t length = path ? strcspn(path, "\n") : 0;
    if (!path || strncmp(name, "/stint.", 7) != 0) return NULL;
    path[length] = '\0';
    return length > 6 && strcmp(path + length - 6, ".store") == 0 ? path : NULL;
}

/* A forked child may still have its parent's mapped. */
static bool is_of(const char *path, uint32_t pid)
{
    struct store_found store;
    struct fault fault = {0};
    return stores_describe(path, &store, &fault) != 0 || process_is_alive(pid, store.process_start);
}

static bool find_mapped(FILE *maps, uint32_t pid, char path[4096])
{
    static char line[8192];
    while (fgets(line, sizeof line, maps)) {
        const char *found = store_in_line(line);
        if (!found) continue;
        struct fmt text = fmt_over(path, 4096);
        fmt_text(&text, found);
        if (access(path, F_OK) != 0) { /* in a mount namespace of its own */
            text = fmt_over(path, 4096);
            fmt_text(&text, "/proc/");
            fmt_u64(&text, pid);
            fmt_text(&text, "/root");
            fmt_text(&text, found);
        }
        if (access(path, F_OK) == 0 && is_of(path, pid)) return true;
    }
    return false;
}

static bool find_of_process(const char *word, uint32_t pid, char path[4096])
{
    char maps_path[64], directory[64];
    struct stat status;
    snprintf(directory, sizeof directory, "/proc/%u", pid);
    snprintf(maps_path, sizeof maps_path, "/proc/%u/maps", pid);
    if (stat(directory, &status) != 0) return refuse(word, "no process has that id");
    FILE *maps = fopen(maps_path, "re");
    if (!maps && (errno == EACCES || errno == EPERM))
        return refuse(word, "not permitted to look at that process; watch it as its user");
    bool is_found = maps && find_mapped(maps, pid, path);
    if (maps) fclose(maps);
    if (is_found) return true;
    return refuse(word, "has no store: it runs without stint, has recorded nothing yet, or keeps "
                        "all in memory (STINT_STORE)");
}

bool watched_find(const char *word, char path[4096])
{
    uint64_t number = 0;
    bool is_number = num_parse_u64(word, &number) == 0;
    if (is_number && (number == 0 || number > 0x7fffffff))
        return refuse(word, "no process has that id");
    if (is_number && !find_of_process(word, (uint32_t)number, path)) return false;
    if (!is_number) snprintf(path, 4096, "%s", word);
    return check(word, path);
}

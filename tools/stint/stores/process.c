/* SPDX-License-Identifier: MIT
 *
 * /proc/<pid>/stat and status, read. Runs in `stint`. */
#include "stores/process.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct process_stat {
    char state;
    long threads;
    unsigned long long start_time;
};

/* Fields 3, 20 and 22; the name before them may hold blanks and parentheses. */
static bool read_stat(const char *pid, struct process_stat *stat)
{
    char path[64], line[1024];
    snprintf(path, sizeof path, "/proc/%.20s/stat", pid);
    FILE *file = fopen(path, "re");
    if (!file) return false;
    size_t length = fread(line, 1, sizeof line - 1, file);
    fclose(file);
    line[length] = '\0';
    const char *behind = strrchr(line, ')');
    return behind && sscanf(behind,
                            ") %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d "
                            "%ld %*d %llu",
                            &stat->state, &stat->threads, &stat->start_time) == 3;
}

static bool is_running(const struct process_stat *stat)
{
    return (stat->state != 'Z' && stat->state != 'X') || stat->threads > 1;
}

/* The pid in the innermost namespace: the last of "NSpid:	4242	7". */
static uint32_t innermost_pid(const char *pid)
{
    char path[64], line[256];
    unsigned long innermost = 0;
    snprintf(path, sizeof path, "/proc/%.20s/status", pid);
    FILE *file = fopen(path, "re");
    while (file && fgets(line, sizeof line, file)) {
        const char *last = strncmp(line, "NSpid:", 6) == 0 ? strrchr(line, '\t') : NULL;
        if (last) innermost = strtoul(last, NULL, 10);
    }
    if (file) fclose(file);
    return (uint32_t)innermost;
}

static bool is_alive_below(uint32_t pid, uint64_t start_time)
{
    DIR *entries = opendir("/proc");
    bool is_alive = false;
    for (struct dirent *entry; entries && !is_alive && (entry = readdir(entries));) {
        struct process_stat stat;
        if (entry->d_name[0] < '0' || entry->d_name[0] > '9') continue;
        is_alive = read_stat(entry->d_name, &stat) && stat.start_time == start_time &&
                   innermost_pid(entry->d_name) == pid && is_running(&stat);
    }
    if (entries) closedir(entries);
    return is_alive;
}

bool process_is_alive(uint32_t pid, uint64_t start_time)
{
    char name[24];
    struct process_stat stat;
    snprintf(name, sizeof name, "%u", pid);
    if (read_stat(name, &stat) && stat.start_time == start_time) return is_running(&stat);
    return is_alive_below(pid, start_time);
}

bool process_exists(uint32_t pid) { return kill((pid_t)pid, 0) == 0 || errno == EPERM; }

bool process_own_run(char run[48])
{
    struct process_stat stat;
    if (!read_stat("self", &stat)) return false;
    snprintf(run, 48, "%ld:%llu", (long)getpid(), stat.start_time);
    return true;
}

/* SPDX-License-Identifier: MIT
 *
 * Stands in for life/companion.c: the linker takes these, and the room's own never comes in. */
#include "fake-companion.h"

#include "contract/report.h"
#include "life/companion.h"
#include "life/fork.h"
#include "life/start.h"
#include "life/thread.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum fake_write fake_write;
enum fake_walk fake_walk;
int fake_is_closed;

static char directory[64];
static int times;
static volatile int for_ever = 1;
static _Alignas(16) char stack[256 * 1024];

static volatile char *volatile nowhere;

__attribute__((no_sanitize("address", "undefined"))) static void fault(void) { *nowhere = 1; }

static int write_line(const struct report_request *request)
{
    const struct store_head *head = request->store;
    char line[200];
    times++;
    while (fake_write == FAKE_HANGS && for_ever) continue;
    if (fake_write == FAKE_FAULTS) fault();
    if (fake_write == FAKE_FAILS) return -ENOSPC;
    if (fake_write == FAKE_RAISES) kill(getpid(), SIGINT);
    int fd = open(request->path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    int bytes =
        snprintf(line, sizeof line, "%s%u %d %d %u %d", request->is_snapshot ? "snapshot " : "",
                 head->ending.kind, head->ending.status, head->ending.signal,
                 head->ending.backtrace ? head->ending.frames : 0, times);
    if (write(fd, line, (size_t)bytes) != bytes) return -EIO;
    return close(fd) ? -errno : 0;
}

static size_t walk_three(void *context, uint64_t *addresses, size_t capacity)
{
    while (fake_walk == FAKE_WALK_HANGS && for_ever) continue;
    if (fake_walk == FAKE_WALK_FAULTS) fault();
    for (uint64_t i = 0; i < 3; i++) addresses[i] = i + 1;
    return 3;
}

static void nothing(void) {}

static const struct report_table table = {
    .version = CONTRACT_VERSION, .write = write_line, .abandon = nothing, .walk = walk_three};

void companion_open(void) {}
const struct report_table *companion_table(void) { return fake_is_closed ? NULL : &table; }
void *companion_stack_top(void) { return fake_is_closed ? NULL : stack + sizeof stack; }

int fake_set_up(void **state)
{
    strcpy(directory, "/tmp/stint-life-XXXXXX");
    fake_write = FAKE_WRITES;
    fake_walk = FAKE_WALKS;
    fake_is_closed = 0;
    return mkdtemp(directory) ? 0 : -1;
}

/* The newest entry with `part` in its name, and how many there are. */
static int look(const char *part, char *found, size_t capacity)
{
    DIR *open = opendir(directory);
    struct dirent *entry;
    int count = 0;
    while ((entry = readdir(open))) {
        if (entry->d_name[0] == '.' || !strstr(entry->d_name, part)) continue;
        snprintf(found, capacity, "%s/%s", directory, entry->d_name);
        count++;
    }
    closedir(open);
    return count;
}

int fake_tear_down(void **state)
{
    char path[400];
    while (look("", path, sizeof path)) unlink(path);
    return rmdir(directory);
}

int fake_files(const char *part)
{
    char path[400];
    return look(part, path, sizeof path);
}

const char *fake_report(const char *part)
{
    static char line[200];
    char path[400];
    memset(line, 0, sizeof line);
    if (!look(part, path, sizeof path)) return "";
    int fd = open(path, O_RDONLY);
    if (read(fd, line, sizeof line - 1) < 0) line[0] = '\0';
    close(fd);
    return line;
}

int fake_child(void (*run)(void))
{
    int status;
    pid_t child = fork();
    if (child == 0) {
        int null = open("/dev/null", O_WRONLY);
        dup2(null, 2);
        snprintf(process.settings.out, sizeof process.settings.out, "%s/report.json", directory);
        snprintf(process.settings.store, sizeof process.settings.store, "%s", directory);
        process.settings.follow = true;
        /* Short only where it is what ends the report: a busy machine is slow. */
        bool hangs = fake_write == FAKE_HANGS || fake_walk == FAKE_WALK_HANGS;
        process.settings.report_timeout_ns = hangs ? 20000000 : 30000000000;
        for (int signal_number = 1; signal_number < NSIG; signal_number++)
            signal(signal_number, SIG_DFL); /* cmocka's own */
        times = 0;
        run();
        _exit(99);
    }
    waitpid(child, &status, 0);
    return status;
}

void fake_record(void)
{
    if (!thread_attach()) _exit(98);
}

/* SPDX-License-Identifier: MIT
 *
 * Whether the command is silent is told by what it has written in all (/proc/PID/io). After the
 * line the cursor goes back to its start, so that output overwrites it. Runs in `stint`. */
#include "run/progress.h"

#include "report/summary.h"
#include "store/view.h"
#include "stores/stores.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { PERIOD_MS = 1000, SILENT_LOOKS = 2 };

struct sum {
    const char *run;
    uint64_t calls, threads;
};

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* 0 where the kernel does not say: then it counts as silent. */
static uint64_t written_by(pid_t pid)
{
    char path[64];
    unsigned long long bytes = 0;
    snprintf(path, sizeof path, "/proc/%d/io", (int)pid);
    FILE *file = fopen(path, "re");
    if (!file) return 0;
    if (fscanf(file, "rchar: %*u wchar: %llu", &bytes) != 1) bytes = 0;
    fclose(file);
    return bytes;
}

static void add_recorder(struct sum *sum, const struct view *view,
                         const struct store_recorder *recorder)
{
    struct view_items items = {.segment = __atomic_load_n(&recorder->nodes, __ATOMIC_ACQUIRE)};
    sum->threads += recorder->state == STORE_THREAD_RUNNING;
    for (const struct store_node *node; (node = view_next_node(view, &items));)
        sum->calls += __atomic_load_n(&node->count, __ATOMIC_RELAXED);
}

static void add_store(const struct store_found *found, void *context)
{
    struct sum *sum = context;
    struct view view;
    struct fault fault = {0};
    uint64_t steps = 0;
    if (found->is_damaged || strcmp(found->run, sum->run) != 0) return;
    if (view_open(&view, found->path, &fault) != 0) return;
    for (const struct store_recorder *recorder = NULL;
         (recorder = view_next_recorder(&view, recorder, &steps));)
        add_recorder(sum, &view, recorder);
    view_close(&view);
}

static void draw(struct progress *progress, const struct child *child)
{
    struct sum sum = {.run = child->run};
    char elapsed[16];
    stores_visit(progress->beside, add_store, &sum);
    summary_time((now_s() - progress->started_s) * 1e3, elapsed);
    dprintf(STDERR_FILENO, "\r\033[Kstint: %s, %llu call%s, %llu thread%s\r", elapsed,
            (unsigned long long)sum.calls, sum.calls == 1 ? "" : "s",
            (unsigned long long)sum.threads, sum.threads == 1 ? "" : "s");
    progress->is_drawn = 1;
}

static void clear(struct progress *progress)
{
    if (progress->is_drawn) dprintf(STDERR_FILENO, "\033[K");
    progress->is_drawn = 0;
}

static void look(const struct child *child, void *context)
{
    struct progress *progress = context;
    uint64_t written = written_by(child->pid);
    progress->silent_looks = written == progress->written ? progress->silent_looks + 1 : 0;
    progress->written = written;
    if (progress->silent_looks < SILENT_LOOKS)
        clear(progress);
    else if (progress_can_be_seen())
        draw(progress, child);
}

struct child_watch progress_watch(struct progress *progress)
{
    progress->started_s = now_s();
    return (struct child_watch){look, progress, PERIOD_MS};
}

void progress_end(struct progress *progress) { clear(progress); }

/* Not from the background, where writing may stop the writer. */
int progress_can_be_seen(void)
{
    return isatty(STDERR_FILENO) && tcgetpgrp(STDERR_FILENO) == getpgrp();
}

/* SPDX-License-Identifier: MIT
 *
 * process, kernel and clock → the store's head, once a store. Runs in the starter with signals
 * blocked, perhaps on a small stack: what is large is static. */
#include "life/head.h"

#include "base/compiler.h"
#include "base/sys.h"
#include "clock/clock.h"
#include "config.h"
#include "life/identity.h"
#include "life/outname.h"
#include "life/start.h"
#include "record/recorder.h"

#include <string.h>
#include <time.h>

/* Separated by NUL, the last one without. */
static char arguments[32768];
static size_t argument_bytes;

COLD void head_keep_arguments(int argc, char *const *argv)
{
    size_t used = 0;
    for (int i = 0; i < argc && argv[i]; i++) {
        size_t length = strlen(argv[i]), room = sizeof arguments - used;
        size_t bytes = length + 1 < room ? length + 1 : room;
        memcpy(arguments + used, argv[i], bytes);
        used += bytes;
        if (bytes <= length) break;
    }
    argument_bytes = used ? used - 1 : 0;
}

static store_ref text(const char *data, size_t bytes)
{
    return store_copy_text(&process.store, data, bytes);
}

static void fill_texts(struct store_head *head)
{
    static char scratch[4096]; /* the starter's alone */
    size_t length = identity_executable(scratch, sizeof scratch);
    head->executable = length ? text(scratch, length) : 0;
    head->host = text(scratch, identity_host(scratch, sizeof scratch));
    if (!argument_bytes) { /* an event before our constructor: nobody has overwritten them yet */
        long bytes = identity_read_file("/proc/self/cmdline", arguments, sizeof arguments);
        argument_bytes = bytes > 0 ? (size_t)bytes - 1 : 0;
    }
    head->arguments = text(arguments, argument_bytes);
    if (outname_fill(process.out, 1, scratch, sizeof scratch))
        head->out = text(scratch, strlen(scratch));
}

static void fill_clock(struct store_head *head)
{
    struct timespec now = {0};
    (void)sys_call2(SYS_clock_gettime, CLOCK_REALTIME, &now);
    head->started_unix_ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
    head->clock_source = clock_choose((enum clock_wish)process.settings.clock);
    struct clock_pair first = clock_read_pair((enum clock_source)head->clock_source);
    head->first_ticks = first.ticks;
    head->first_raw_ns = first.raw_ns;
    head->first_error_ns = first.error_ns;
}

static void configure(const struct store_head *head)
{
    const struct settings *settings = &process.settings;
    const struct recorder_options options = {
        .store = &process.store,
        .max_nodes = settings->max_nodes,
        .max_depth = settings->max_depth,
        .max_threads = settings->max_threads,
        .function_samples = settings->function_samples,
        .max_samples = settings->max_samples,
        .sample_bytes = settings->sample_bytes,
        .clock_source = head->clock_source,
    };
    recorder_configure(&options);
}

COLD void head_fill(void)
{
    struct store_head *head = store_head(&process.store);
    memcpy(head->stint_version, STINT_VERSION, sizeof STINT_VERSION);
    memcpy(head->run, process.run, sizeof head->run);
    head->pid = process.pid;
    head->parent_pid = (uint32_t)sys_call0(SYS_getppid);
    head->process_start = process.start_time;
    head->boot_id = identity_boot();
    head->max_nodes = process.settings.max_nodes;
    if (process.settings.thread_trees) head->flags |= STORE_THREAD_TREES;
    fill_clock(head);
    fill_texts(head);
    configure(head);
}

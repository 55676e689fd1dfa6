/* SPDX-License-Identifier: MIT
 *
 * Where a store may lie, and what its head says from the first moment on. What the target may
 * overwrite until then is kept here before. Runs in the thread that starts, signals blocked. */
#include "life/newstore.h"

#include "base/compiler.h"
#include "base/fmt.h"
#include "base/sys.h"
#include "clock/clock.h"
#include "config.h"
#include "life/crash.h"
#include "life/modules.h"
#include "life/start.h"
#include "life/warn.h"
#include "record/recorder.h"
#include "self/identity.h"
#include "self/outname.h"

#include <string.h>
#include <time.h>

/* The environment's word for where stores belong; copied since environ may be overwritten. */
static char runtime_directory[4096];

/* The arguments, separated by NUL, the last one without; the first 32 KiB, copied before the target
 * overwrites them. */
static char arguments[32768];
static size_t argument_bytes;

COLD void newstore_keep_arguments(int argc, char *const *argv)
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

void newstore_keep_directory(const char *directory)
{
    struct fmt out = fmt_over(runtime_directory, sizeof runtime_directory);
    fmt_text(&out, directory ? directory : "");
}

/* Where stores may lie, in the order of preference. `report` is the report's directory. */
static void choose_directories(struct store_options *options, char *report, size_t capacity)
{
    const char *wish = process.settings.store;
    size_t n = 0;
    if (strcmp(wish, "none") == 0) return;
    if (strcmp(wish, "auto") != 0) {
        (void)outname_absolute(wish, process.directory, report, capacity);
        options->directories[n] = report;
        return;
    }
    if (runtime_directory[0] == '/') options->directories[n++] = runtime_directory;
    options->directories[n++] = "/dev/shm";
    if (!outname_fill(process.out, 1, report, capacity)) return;
    char *slash = strrchr(report, '/');
    if (!slash) return;
    slash[slash == report] = '\0';
    options->directories[n] = report;
}

static store_ref store_text_of(const char *data, size_t bytes)
{
    return store_copy_text(&process.store, data, bytes);
}

void newstore_note_out(void)
{
    static char name[4096]; /* of who reports, or starts */
    const struct store_head *head = store_head(&process.store);
    struct store_text *out = head->out ? store_at(&process.store, head->out) : NULL;
    if (!out || !outname_fill(process.out, head->snapshots + 1, name, sizeof name)) return;
    size_t length = strlen(name);
    memcpy(out->data, name, length + 1);
    out->bytes = (uint32_t)length;
}

static void fill_texts(struct store_head *head)
{
    static char scratch[4096]; /* the starter's alone */
    size_t length = identity_executable(scratch, sizeof scratch);
    head->executable = length ? store_text_of(scratch, length) : 0;
    head->host = store_text_of(scratch, identity_host(scratch, sizeof scratch));
    if (!argument_bytes) { /* an event before our constructor: nobody has overwritten them yet */
        long bytes = identity_read_file("/proc/self/cmdline", arguments, sizeof arguments);
        argument_bytes = bytes > 0 ? (size_t)bytes - 1 : 0;
    }
    head->arguments = store_text_of(arguments, argument_bytes);
    if (outname_fill(process.out, UINT32_MAX, scratch, sizeof scratch)) /* the longest */
        head->out = store_text_of(scratch, strlen(scratch));
    newstore_note_out();
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
        .worst_laps = settings->worst_frames,
        .lap_budget_ns = settings->frame_budget_ns,
    };
    recorder_configure(&options);
}

COLD static void fill_head(void)
{
    struct store_head *head = store_head(&process.store);
    memcpy(head->stint_version, STINT_VERSION, sizeof STINT_VERSION);
    memcpy(head->run, process.run, sizeof head->run);
    head->pid = process.pid;
    head->parent_pid = (uint32_t)sys_call0(SYS_getppid);
    head->process_start = process.start_time;
    head->boot_id = clock_boot_id();
    head->max_nodes = process.settings.max_nodes;
    head->lap_budget_ns = process.settings.frame_budget_ns;
    head->worst_laps = process.settings.worst_frames;
    if (process.settings.thread_trees) head->flags |= STORE_THREAD_TREES;
    fill_clock(head);
    fill_texts(head);
    configure(head);
}

COLD bool newstore_make(void)
{
    static char directory[4096]; /* the starter's alone */
    struct store_options options = {.pid = process.pid};
    if (!process.out[0]) {
        warn_once(WARN_NAME_TOO_LONG, process.settings.out);
        return false;
    }
    choose_directories(&options, directory, sizeof directory);
    if (store_create(&process.store, &options)) {
        warn_once(WARN_NO_STORE, "the kernel refuses it");
        return false;
    }
    if (!process.store.path[0] && options.directories[0] == directory)
        warn_once(WARN_STORE_DIRECTORY, directory);
    fill_head();
    modules_store();
    crash_install();
    return true;
}

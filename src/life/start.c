/* SPDX-License-Identifier: MIT
 *
 * The once-only start. The constructor (or an event that comes before it) copies what the target
 * may overwrite later: settings, paths, arguments. The first event makes the store and fills its
 * head. Both are races with one winner; signals are blocked meanwhile, so a handler never meets a
 * half-done start in its own thread. */
#include "life/start.h"

#include "base/compiler.h"
#include "base/file.h"
#include "base/fmt.h"
#include "base/say.h"
#include "base/sys.h"
#include "clock/clock.h"
#include "config.h"
#include "control/control.h"
#include "life/companion.h"
#include "life/crash.h"
#include "life/finish.h"
#include "life/lapnames.h"
#include "life/modules.h"
#include "life/snapshot.h"
#include "life/thread.h"
#include "life/warn.h"
#include "real/real.h"
#include "record/recorder.h"
#include "self/identity.h"
#include "self/outname.h"
#include "self/run.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

struct process process;
_Static_assert(sizeof process.run == RUN_BYTES, "a run's name fits");

/* The environment's word for where stores belong; copied since environ may be overwritten. */
static char runtime_directory[4096];

static enum process_state state_now(void)
{
    /* Pairs with the release in set_state: what a state promises is there. */
    return (enum process_state)__atomic_load_n(&process.state, __ATOMIC_ACQUIRE);
}

static void set_state(enum process_state state)
{
    __atomic_store_n(&process.state, (uint32_t)state, __ATOMIC_RELEASE);
}

/* True for the one thread that takes the process from `from` to `to`. */
static bool claim(enum process_state from, enum process_state to)
{
    uint32_t expected = from;
    if (!__atomic_compare_exchange_n(&process.state, &expected, (uint32_t)to, false,
                                     __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        return false;
    __atomic_store_n(&process.starter, identity_tid(), __ATOMIC_RELAXED);
    return true;
}

/* Waits, at most a second, until another thread has left `state`; not for oneself (a fault inside
 * the start whose handler is instrumented). */
static void wait_while(enum process_state state)
{
    const struct timespec pause = {0, 100000};
    for (int i = 0; i < 10000 && state_now() == state; i++) {
        if (__atomic_load_n(&process.starter, __ATOMIC_RELAXED) == identity_tid()) return;
        (void)sys_call2(SYS_nanosleep, &pause, NULL);
    }
}

static const char *environment_value(const char *name)
{
    size_t length = strlen(name);
    for (char **entry = environ; entry && *entry; entry++)
        if (strncmp(*entry, name, length) == 0 && (*entry)[length] == '=')
            return *entry + length + 1;
    return NULL;
}

static void copy_text(char *to, size_t capacity, const char *from)
{
    struct fmt out = fmt_over(to, capacity);
    fmt_text(&out, from ? from : "");
}

/* A bound as the user would write it: durations in seconds where they are whole. */
static void bound_text(struct fmt *out, const struct settings_row *row, uint64_t bound)
{
    bool is_time = row->kind == SETTINGS_DURATION || row->kind == SETTINGS_MS;
    fmt_u64(out, is_time ? (bound >= 1000000000 ? bound / 1000000000 : bound / 1000000) : bound);
    if (is_time) fmt_text(out, bound >= 1000000000 ? "s" : "ms");
}

COLD static void say_bad_setting(const struct settings_row *row, const char *value)
{
    static const char *const kinds[] = {
        [SETTINGS_TEXT] = "a name that can be used",
        [SETTINGS_BOOL] = "0 or 1",
        [SETTINGS_COUNT] = "a count",
        [SETTINGS_BYTES] = "a number of bytes",
        [SETTINGS_DURATION] = "a time",
        [SETTINGS_CHOICE] = "one of ",
        [SETTINGS_MS] = "a number of milliseconds",
        [SETTINGS_SIGNAL] = "a signal that the program can do without (USR1, USR2, RTMIN+3 …)",
    };
    if (!row) {
        say_line("unknown setting ", value, " ignored; see `stint settings`", (char *)0);
        return;
    }
    char bounds_space[80], shown_space[104];
    struct fmt bounds = fmt_over(bounds_space, sizeof bounds_space);
    struct fmt shown = fmt_over(shown_space, sizeof shown_space);
    for (; *value && shown.length < 100; value++) fmt_char(&shown, *value);
    if (row->most && row->kind != SETTINGS_BOOL) {
        fmt_text(&bounds, " (");
        bound_text(&bounds, row, row->least);
        fmt_text(&bounds, " … ");
        bound_text(&bounds, row, row->most);
        fmt_text(&bounds, ")");
    }
    say_line(row->name, "=", shown_space, *value ? "… is not " : " is not ", kinds[row->kind],
             row->choices ? row->choices : "", bounds_space, "; using ", row->default_value,
             (char *)0);
}

/* A descendant keeps silent: one bad setting is told once a run, not by each of its processes. */
static void keep_silent(const struct settings_row *row, const char *value) {}

static void find_directory(void)
{
    long length = sys_call2(SYS_getcwd, process.directory, sizeof process.directory);
    if (length <= 0 || process.directory[0] != '/') process.directory[0] = '\0';
}

/* A relative preload has a relative dli_fname; the target may change its directory later. */
static void find_library(void)
{
    Dl_info info;
    if (!dladdr(&process, &info) || !info.dli_fname) return;
    struct fmt out = fmt_over(process.library, sizeof process.library);
    if (info.dli_fname[0] != '/') {
        fmt_text(&out, process.directory);
        fmt_char(&out, '/');
    }
    fmt_text(&out, info.dli_fname);
    if (out.cut || process.library[0] != '/') process.library[0] = '\0';
}

static void find_identity(void)
{
    process.pid = identity_pid();
    process.start_time = identity_stat(process.pid).start_time;
}

static bool is_number(const char *text)
{
    size_t digits = text ? strspn(text, "0123456789") : 0;
    return digits && digits < 12 && !text[digits];
}

/* The launcher's number of this process among its peers: Open MPI, PMIx, MPICH, Slurm; else "0". It
 * has peers where the launcher also says that they are more than one. */
static const char *rank(bool *has_peers)
{
    static const char *const names[][2] = {{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
                                           {"PMIX_RANK", "SLURM_STEP_NUM_TASKS"},
                                           {"PMI_RANK", "PMI_SIZE"},
                                           {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS"}};
    *has_peers = false;
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        const char *value = environment_value(names[i][0]), *size = environment_value(names[i][1]);
        if (!is_number(value)) continue;
        *has_peers = is_number(size) && strcmp(size, "0") != 0 && strcmp(size, "1") != 0;
        return value;
    }
    return "0";
}

static bool is_device(const char *pattern)
{
    char name[sizeof process.out];
    struct stat status;
    return outname_fill(pattern, 1, name, sizeof name) &&
           sys_call4(SYS_newfstatat, AT_FDCWD, name, &status, 0) == 0 && S_ISCHR(status.st_mode);
}

static void find_out_name(void)
{
    char host[65];
    bool has_peers;
    const char *number = rank(&has_peers);
    (void)identity_host(host, sizeof host);
    struct outname_values values = {
        .directory = process.directory,
        .program = program_invocation_short_name,
        .host = host,
        .rank = number,
        .pid = process.pid,
    };
    bool fits = outname_pattern(process.settings.out, &values, process.out, sizeof process.out);
    process.is_to_device = fits && is_device(process.out);
    values.is_descendant = !process.is_root && !process.is_to_device;
    values.has_peers = has_peers && !process.is_to_device;
    fits = outname_pattern(process.settings.out, &values, process.out, sizeof process.out);
    if (!fits) process.out[0] = '\0'; /* told by the first event: an idle process says nothing */
}

/* False: libc itself has not started yet. */
COLD static bool prepare(void)
{
    if (!environ) return false;
    process.is_off = getauxval(AT_SECURE) != 0;
    if (process.is_off) return true;
    warn_init();
    find_identity();
    find_directory();
    find_library();
    process.is_root = run_find(process.run, process.pid, process.start_time,
                               environment_value("STINT_ROOT"), process.library);
    settings_read(&process.settings, environ, process.is_root ? say_bad_setting : keep_silent);
    process.is_off = process.settings.disable || (!process.is_root && !process.settings.follow);
    find_out_name();
    copy_text(runtime_directory, sizeof runtime_directory, environment_value("XDG_RUNTIME_DIR"));
    if (process.is_off) return true;
    thread_init();
    struct control_process *page = control_process();
    if (page) __atomic_store_n(&page->pid, process.pid, __ATOMIC_RELEASE);
    process.is_off = !page;
    if (page) modules_rescan();
    return true;
}

bool start_process(void)
{
    enum process_state state = state_now();
    if (LIKELY(state > PROCESS_PREPARING)) return true;
    int saved = errno;
    struct file_guard guard;
    file_guard(&guard);
    if (claim(PROCESS_NEW, PROCESS_PREPARING))
        set_state(prepare() ? PROCESS_READY : PROCESS_NEW);
    else
        wait_while(PROCESS_PREPARING);
    file_unguard(&guard);
    errno = saved;
    return state_now() > PROCESS_PREPARING;
}

/* The arguments, separated by NUL, the last one without; the first 32 KiB, copied before the target
 * overwrites them. */
static char arguments[32768];
static size_t argument_bytes;

COLD static void keep_arguments(int argc, char *const *argv)
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

static bool is_constructed;

COLD bool start_announce(void)
{
    int saved = errno;
    if (start_is_vfork_child() || !start_process()) return true;
    modules_announce();
    if (is_constructed) companion_open();
    errno = saved;
    return !process.is_off;
}

__attribute__((constructor)) static void constructor(int argc, char **argv)
{
    int saved = errno;
    keep_arguments(argc, argv);
    (void)real();
    if (start_process() && !process.is_off) {
        finish_register();
        is_constructed = true;
        if (modules_can_record()) companion_open();
        snapshot_prepare();
        lapnames_look();
    }
    errno = saved;
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

void start_note_out(void)
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
    start_note_out();
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

COLD static bool make_store(void)
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

bool start_recording(void)
{
    enum process_state state = state_now();
    if (LIKELY(state == PROCESS_RECORDING)) return true;
    if (process.is_off || state == PROCESS_FINISHED || !start_process()) return false;
    int saved = errno;
    struct file_guard guard;
    file_guard(&guard);
    if (!process.is_off && claim(PROCESS_READY, PROCESS_STARTING)) {
        process.is_off = !make_store();
        set_state(process.is_off ? PROCESS_READY : PROCESS_RECORDING);
    } else {
        wait_while(PROCESS_STARTING);
    }
    file_unguard(&guard);
    errno = saved;
    return state_now() == PROCESS_RECORDING;
}

void start_child(void)
{
    find_identity();
    process.is_root = false;
    process.is_off = process.is_off || !process.settings.follow;
    process.store = (struct store){.base = NULL};
    find_out_name();
    modules_forget_store();
    struct control_process *page = control_process();
    if (page) __atomic_store_n(&page->pid, process.pid, __ATOMIC_RELEASE);
    set_state(PROCESS_READY);
}

bool start_is_vfork_child(void) { return control_is_vfork_child(); }

uint64_t start_ticks_now(void)
{
    return clock_now((enum clock_source)store_head(&process.store)->clock_source);
}

bool start_out_name(uint32_t snapshot, const char *insert, char *name, uint64_t capacity)
{
    if (!outname_fill(process.out, snapshot, name, capacity)) return false;
    return process.is_to_device || outname_insert(name, capacity, insert);
}

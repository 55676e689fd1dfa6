/* SPDX-License-Identifier: MIT
 *
 * The once-only start. The constructor (or an event that comes before it) copies what the target
 * may overwrite later: settings, paths, arguments. The first event makes the store (newstore.c).
 * Both are races with one winner; signals are blocked meanwhile, so a handler never meets a
 * half-done start in its own thread. */
#include "life/start.h"

#include "base/compiler.h"
#include "base/file.h"
#include "base/fmt.h"
#include "base/say.h"
#include "base/sys.h"
#include "clock/clock.h"
#include "control/control.h"
#include "life/companion.h"
#include "life/finish.h"
#include "life/lapnames.h"
#include "life/modules.h"
#include "life/newstore.h"
#include "life/snapshot.h"
#include "life/thread.h"
#include "life/warn.h"
#include "real/real.h"
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

/* What a name is made of, and a forked child's too: it may have written over its arguments and its
 * environment by then (a title for ps). */
static char program[256], rank_text[16];
static bool has_peers;

static void find_name_parts(void)
{
    struct fmt name = fmt_over(program, sizeof program);
    struct fmt number = fmt_over(rank_text, sizeof rank_text);
    fmt_text(&name, program_invocation_short_name);
    fmt_text(&number, rank(&has_peers));
}

static void find_out_name(void)
{
    char host[65];
    (void)identity_host(host, sizeof host);
    struct outname_values values = {
        .directory = process.directory,
        .program = program,
        .host = host,
        .rank = rank_text,
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
    find_name_parts();
    find_out_name();
    newstore_keep_directory(environment_value("XDG_RUNTIME_DIR"));
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
    newstore_keep_arguments(argc, argv);
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

bool start_recording(void)
{
    enum process_state state = state_now();
    if (LIKELY(state == PROCESS_RECORDING)) return true;
    if (process.is_off || state == PROCESS_FINISHED || !start_process()) return false;
    int saved = errno;
    struct file_guard guard;
    file_guard(&guard);
    if (!process.is_off && claim(PROCESS_READY, PROCESS_STARTING)) {
        process.is_off = !newstore_make();
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

/* SPDX-License-Identifier: MIT
 *
 * The head and the threads' rows are brought up to date, a name is found, the companion writes, on
 * a stack of its own and guarded: the target's other threads run on and may go on recording into
 * the store that is being read. Runs in any thread, also in a signal handler and after everything
 * else has ended. */
#include "life/reporting.h"

#include "base/fmt.h"
#include "base/onstack.h"
#include "base/reason.h"
#include "base/sys.h"
#include "clock/clock.h"
#include "life/companion.h"
#include "life/modules.h"
#include "life/newstore.h"
#include "life/start.h"
#include "life/warn.h"
#include "self/identity.h"
#include "self/outname.h"
#include "self/run.h"
#include "signals/guard.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

/* The one being made, or the exec's; written by the claim's owner alone. */
static struct {
    char name[sizeof process.out];
    uint32_t is_new; /* what stands under that name stays */
} report;

static uint64_t cpu_clock_ns(long clock)
{
    struct timespec time = {0};
    if (sys_call2(SYS_clock_gettime, clock, &time)) return 0;
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

/* The kernel's name of a thread now: programs name their threads late. */
static void read_thread_name(uint32_t tid, char name[16])
{
    char path[64];
    struct fmt text = fmt_over(path, sizeof path);
    fmt_text(&text, "/proc/self/task/");
    fmt_u64(&text, tid);
    fmt_text(&text, "/comm");
    long fd = sys_call4(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
    if (fd < 0) return;
    char read[16];
    long bytes = sys_call3(SYS_read, fd, read, sizeof read);
    (void)sys_call1(SYS_close, fd);
    if (bytes < 1) return;
    if (read[bytes - 1] == '\n') bytes--;
    if (bytes > 15) bytes = 15;
    memcpy(name, read, (size_t)bytes);
    memset(name + bytes, 0, 16 - (size_t)bytes);
}

/* CPU time and name of the threads that live; those that ended have noted theirs. */
static void refresh_threads(void)
{
    const struct store_head *head = store_head(&process.store);
    store_ref at = __atomic_load_n(&head->recorders, __ATOMIC_ACQUIRE);
    while (at) {
        struct store_recorder *thread = store_at(&process.store, at);
        at = __atomic_load_n(&thread->next, __ATOMIC_ACQUIRE);
        if (__atomic_load_n(&thread->state, __ATOMIC_ACQUIRE) != STORE_THREAD_RUNNING) continue;
        /* The kernel's clock of another thread: MAKE_THREAD_CPUCLOCK in linux/posix-timers.h. */
        enum { THREAD_CPU = 6 };
        uint64_t cpu_ns = cpu_clock_ns((long)(int)(~thread->tid << 3 | THREAD_CPU));
        if (!cpu_ns || !thread->tid) continue;
        cpu_ns += thread->cpu_before_ns;
        __atomic_store_n(&thread->cpu_ns, cpu_ns, __ATOMIC_RELAXED);
        read_thread_name(thread->tid, thread->name);
    }
}

static void refresh_head(void)
{
    struct store_head *head = store_head(&process.store);
    struct clock_pair pair = clock_read_pair((enum clock_source)head->clock_source);
    head->last_ticks = pair.ticks;
    head->last_raw_ns = pair.raw_ns;
    head->last_error_ns = pair.error_ns;
    head->cpu_ns = cpu_clock_ns(CLOCK_PROCESS_CPUTIME_ID);
}

static long call_write(void *request) { return companion_table()->write(request); }

static long write_on_stack(void *request)
{
    struct onstack place;
    return onstack_call(&place, call_write, request, companion_stack_top());
}

/* Brings the head's clocks and the threads' rows up to date and has the companion write, guarded
 * (between guard_begin and guard_end). Signals are blocked. 0 or −errno. */
static int write_report(const char *path, bool is_snapshot)
{
    const struct store_head *head = store_head(&process.store);
    if (!companion_table()) return -ENOSYS;
    modules_store();
    refresh_threads();
    refresh_head();
    struct report_request request = {
        .store = process.store.base,
        .store_bytes = __atomic_load_n(&head->used_bytes, __ATOMIC_ACQUIRE),
        /* What a report takes is not the program's: its calls end with it. */
        .now_ticks = head->ending.kind && !is_snapshot ? head->ending.ticks : head->last_ticks,
        .path = path,
        .is_snapshot = is_snapshot,
        .is_new = (int)report.is_new,
    };
    int result = (int)guard_run(write_on_stack, &request, process.settings.report_timeout_ns);
    /* No errors of the report's own: the guard left it in its middle. */
    if (result == -ETIMEDOUT || result == -EFAULT) companion_table()->abandon();
    return result;
}

/* Why there is no report, what to do, and what is kept. */
static void say_failed(const char *path, int error)
{
    const char *store = process.store.path;
    char line[1024];
    struct fmt text = fmt_over(line, sizeof line);
    if (error != -ENOSYS) {
        fmt_text(&text, path);
        fmt_text(&text, ": ");
        reason_add(&text, error);
    }
    fmt_text(&text, store[0] ? "; what was recorded is kept: stint recover -o FILE "
                             : "; what was recorded is lost, it was in memory alone");
    fmt_text(&text, store);
    warn_once(error == -ENOSYS ? WARN_NO_COMPANION_YET : WARN_REPORT, line);
}

/* Its report stands. A program that gave up its rights can't take it away. */
static void remove_store(void)
{
    if (store_unlink(&process.store)) warn_once(WARN_STORE_STAYS, process.store.path);
}

/* A pid comes again: in a long run, or in two namespaces at once. What this run reported under our
 * name is another process's, unless it is a snapshot of ours. */
static bool keeps_what_is_there(const char *name)
{
    struct stat status;
    if (process.is_root || store_head(&process.store)->snapshots) return false;
    if (sys_call4(SYS_newfstatat, AT_FDCWD, name, &status, AT_SYMLINK_NOFOLLOW)) return true;
    if (!S_ISREG(status.st_mode)) return false;
    uint64_t written_ns =
        (uint64_t)status.st_mtim.tv_sec * 1000000000u + (uint64_t)status.st_mtim.tv_nsec;
    return written_ns >= run_started_unix_ns(process.run);
}

/* `<name>`, `<name>.2`, … before the extension: the first that is free. */
static int write_named(void)
{
    enum { SAME_NAMES = 10000 };
    int result = -EEXIST;
    for (unsigned n = 1; n < SAME_NAMES && result == -EEXIST; n++) {
        char insert[16];
        struct fmt text = fmt_over(insert, sizeof insert);
        if (n > 1) {
            fmt_char(&text, '.');
            fmt_u64(&text, n);
        }
        if (!start_out_name(store_head(&process.store)->snapshots + 1, insert, report.name,
                            sizeof report.name)) {
            memcpy(report.name, process.out, sizeof report.name);
            return -ENAMETOOLONG;
        }
        report.is_new = keeps_what_is_there(report.name);
        if (n < SAME_NAMES - 1 && report.is_new &&
            !sys_call4(SYS_faccessat, AT_FDCWD, report.name, 0, 0))
            continue;
        result = write_report(report.name, false);
        report.is_new = 0;
    }
    return result;
}

int reporting_final(void)
{
    char *name = report.name;
    __atomic_store_n(&process.state, PROCESS_FINISHED, __ATOMIC_RELEASE);
    int result = write_named();
    if (result)
        say_failed(name, result);
    else
        remove_store();
    return result;
}

int reporting_again(void) { return write_report(report.name, false); }

/* `path` of `bytes`, as the caller means it at this moment, into the claim's name. */
static int name_absolute(const char *path, size_t bytes)
{
    struct fmt name = fmt_over(report.name, sizeof report.name);
    if (!bytes) return -ENOENT;
    if (path[0] != '/') {
        long length = sys_call2(SYS_getcwd, report.name, sizeof report.name);
        if (length <= 0) return length ? (int)length : -ENOENT;
        if (report.name[0] != '/') return -ENOENT; /* the directory is out of reach */
        name.length = (size_t)length - 1;
        if (name.length > 1) fmt_char(&name, '/');
    }
    fmt_bytes(&name, path, bytes);
    return name.cut ? -ENAMETOOLONG : 0;
}

int reporting_snapshot(const char *path, size_t bytes)
{
    struct store_head *head = store_head(&process.store);
    bool fits = path || start_out_name(head->snapshots + 1, "", report.name, sizeof report.name);
    int result = !fits ? -ENAMETOOLONG : path ? name_absolute(path, bytes) : 0;
    if (!result) result = write_report(report.name, true);
    if (result) return result;
    head->snapshots++;
    newstore_note_out();
    return 0;
}

/* True where the intended name tells this process from others by its pid already. */
static bool name_has_pid(void) { return !process.is_root || outname_has_pid(process.settings.out); }

/* `<name>.<pid>.exec<N>.json` with the first N whose file is not there yet. */
static bool name_exec_report(void)
{
    enum { LIVES = 10000 };
    for (unsigned life = 1; life < LIVES; life++) {
        char insert[64];
        struct fmt text = fmt_over(insert, sizeof insert);
        if (!name_has_pid()) {
            fmt_char(&text, '.');
            fmt_u64(&text, identity_pid());
        }
        fmt_text(&text, ".exec");
        fmt_u64(&text, life);
        if (!start_out_name(store_head(&process.store)->snapshots + 1, insert, report.name,
                            sizeof report.name))
            return false;
        if (process.is_to_device) return true;
        if (sys_call4(SYS_faccessat, AT_FDCWD, report.name, 0, 0) == -ENOENT) return true;
    }
    return false;
}

void reporting_before_exec(void)
{
    guard_begin(false);
    int result = name_exec_report() ? write_report(report.name, false) : -ENAMETOOLONG;
    guard_end();
    if (result)
        say_failed(report.name, result);
    else
        remove_store();
    if (result || process.is_to_device) report.name[0] = '\0'; /* nothing to take away */
}

void reporting_take_back(void)
{
    if (report.name[0]) (void)sys_call3(SYS_unlinkat, AT_FDCWD, report.name, 0);
}

void reporting_child(void) { memset(&report, 0, sizeof report); }
